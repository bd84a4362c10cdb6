"""A change of Σ that waits for the person's word."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from PySide6.QtWidgets import QFrame, QVBoxLayout, QWidget

from chatty_desktop.domain.json_text import NotJson, read_json
from chatty_desktop.domain.memory import LedgerEntry
from chatty_desktop.ui.button_row import ButtonRow
from chatty_desktop.ui.inspector.doing import MemoryDoing
from chatty_desktop.ui.inspector.words_dialog import WordsDialog
from chatty_desktop.ui.language import tr
from chatty_desktop.ui.pieces import LongWords, Problem, Words, clear, emphasise
from chatty_desktop.ui.plain import Label
from chatty_desktop.ui.readable import readable_patch
from chatty_desktop.ui.theme import Theme, set_tone
from chatty_desktop.ui.tokens import L, M, S


class WaitingView(QFrame):
    """What a fold would change, and three answers: accept, change, refuse."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._entry: LedgerEntry | None = None
        self._doing: MemoryDoing | None = None
        self._layer = ""
        self.setProperty("panel", "card")
        title = Label(tr("Waiting for your word"))
        emphasise(title)
        set_tone(title, "memory")
        self._hint = Words(
            tr("The model wants to change this. Until you decide, nothing more is folded; the"
               " messages stay in the queue and are still sent."),
            "muted",
        )  # fmt: skip
        self._changes = QVBoxLayout()
        self._changes.setSpacing(S)
        self.problem = Problem(theme, "danger", "warning-circle")
        self.answers = ButtonRow(
            (tr("Accept"), self._accept),
            (tr("Change …"), self._change),
            (tr("Refuse"), self._refuse),
        )
        column = QVBoxLayout(self)
        column.setContentsMargins(M, M, M, M)
        column.setSpacing(S)
        column.addWidget(title)
        column.addWidget(self._hint)
        column.addLayout(self._changes)
        column.addWidget(self.problem)
        column.addWidget(self.answers)
        self.setAccessibleName(tr("Waiting for your word"))

    def show_waiting(
        self, entry: LedgerEntry | None, layer: str, doing: MemoryDoing | None
    ) -> None:
        """Draw what waits; None, nothing."""
        self._layer, self._doing = layer, doing
        self.setVisible(entry is not None)
        self.answers.setVisible(doing is not None)
        if entry == self._entry or entry is None:
            self._entry = entry
            return
        self._entry = entry
        self.problem.say("")
        self._free(True)
        clear(self._changes)
        for key, value in readable_patch(entry.patch or {}):
            name = Label(key)
            emphasise(name)
            set_tone(name, "memory")
            words = LongWords()
            words.show_text(value)
            words.setContentsMargins(L, 0, 0, 0)
            self._changes.addWidget(name)
            self._changes.addWidget(words)

    def _accept(self) -> None:
        if self._entry is not None:
            self._decide(self._entry.patch, self._refused)

    def _refuse(self) -> None:
        self._decide(None, self._refused)

    def _change(self) -> None:
        entry = self._entry
        if entry is None:
            return

        def save(text: str, done: Callable[[], object], failed: Callable[[str], None]) -> None:
            try:
                patch = read_json(text)
            except NotJson as error:
                failed(tr("This is not JSON: {error}", error=error))
                return
            if not isinstance(patch, dict):
                failed(tr("Write one JSON object: each key with its new value, or null."))
                return
            self._decide(patch, failed, done)

        label = tr("Each key with its new value; null forgets a key:")
        text = json.dumps(entry.patch, ensure_ascii=False, indent=2)
        WordsDialog(tr("Change what is kept"), label, text, save, self._theme, self.window()).open()

    def _decide(
        self,
        patch: dict[str, Any] | None,
        failed: Callable[[str], None],
        done: Callable[[], object] | None = None,
    ) -> None:
        entry, doing, layer = self._entry, self._doing, self._layer
        if entry is None or doing is None:
            return
        self._free(False)

        def failing(reason: str) -> None:
            self._free(True)
            failed(reason)

        doing.do(
            lambda scope: doing.acts.decide(scope, layer, entry.id, patch),
            done=done,
            failed=failing,
        )

    def _refused(self, reason: str) -> None:
        self.problem.say(reason)

    def _free(self, free: bool) -> None:
        for button in self.answers.buttons:
            button.setEnabled(free)
