"""What a person does to memory from its views: changes, and where something is from."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from chatty_desktop.domain.history import Change
from chatty_desktop.domain.messages import Scope
from chatty_desktop.engine.memory_acts import MemoryActs
from chatty_desktop.engine.memory_past import MemoryPast
from chatty_desktop.ui.inspector.origin_dialog import OriginDialog
from chatty_desktop.ui.inspector.words_dialog import Saving, WordsDialog
from chatty_desktop.ui.language import tr
from chatty_desktop.ui.tasks import Tasks
from chatty_desktop.ui.theme import Theme

Failed = Callable[[str], None]


class MemoryDoing(QObject):
    """Carries out what is done to the memory of the scope that `scope` gives.

    message_wanted: the id of a message something is from. row_wanted: the id of a ledger row.
    """

    message_wanted = Signal(str)
    row_wanted = Signal(str)

    def __init__(
        self,
        acts: MemoryActs,
        past: MemoryPast,
        *,
        scope: Callable[[], Scope | None],
        tasks: Tasks,
        theme: Theme,
        window: QWidget,
    ) -> None:
        super().__init__(window)
        self.acts = acts
        self._past = past
        self._scope = scope
        self._tasks = tasks
        self._theme = theme
        self._window = window

    def do(
        self,
        act: Callable[[Scope], Coroutine[Any, Any, None]],
        *,
        done: Callable[[], object] | None = None,
        failed: Failed | None = None,
    ) -> None:
        """Act on the scope that is shown now; `failed` gets the reason, in place of a banner."""
        scope = self._scope()
        if scope is None:
            return

        async def doing() -> None:
            await act(scope)
            if done is not None:
                done()

        self._tasks.start(doing(), failed=failed)

    # --- writing -----------------------------------------------------------------------------

    def correct_fact(self, layer: str, fact_id: str, subject: str, words: str) -> None:
        """Ask for the right words of a fact."""

        def save(text: str, done: Callable[[], object], failed: Failed) -> None:
            self.do(
                lambda scope: self.acts.change_fact(scope, layer, fact_id, text),
                done=done,
                failed=failed,
            )

        label = tr("What is known of {subject}:", subject=subject)
        self._ask(tr("Correct a fact"), label, words, save)

    def add_fact(self, layer: str) -> None:
        """Ask for a fact, and what it is about."""

        def save(text: str, done: Callable[[], object], failed: Failed) -> None:
            subject, colon, fact = text.partition(":")
            self.do(
                lambda scope: self.acts.add_fact(scope, layer, subject, fact if colon else ""),
                done=done,
                failed=failed,
            )

        label = tr("What it is about, a colon, the fact – such as “Leo: likes trains”:")
        self._ask(tr("Add a fact"), label, "", save)

    def write_summary(self, layer: str, words: str) -> None:
        """Ask for another text of the summary."""

        def save(text: str, done: Callable[[], object], failed: Failed) -> None:
            self.do(
                lambda scope: self.acts.change_summary(scope, layer, text),
                done=done,
                failed=failed,
            )

        label = tr("It stands for the messages that are no longer sent word for word:")
        self._ask(tr("Edit the summary"), label, words, save)

    def _ask(self, title: str, label: str, words: str, save: Saving) -> WordsDialog:
        dialog = WordsDialog(title, label, words, save, self._theme, self._window)
        dialog.open()
        return dialog

    # --- where from --------------------------------------------------------------------------

    def show_key(self, layer: str, key: str) -> None:
        """Show every change of a key of Σ, and go to the message it is from."""

        def undo(change: Change, failed: Failed) -> None:
            self.do(
                lambda scope: self.acts.undo(scope, layer, key, change.revision_id),
                done=lambda: self.show_key(layer, key),
                failed=failed,
            )

        def restore(change: Change, failed: Failed) -> None:
            self.do(
                lambda scope: self.acts.bring_back(scope, layer, key, change.revision_id),
                done=lambda: self.show_key(layer, key),
                failed=failed,
            )

        self._show(
            tr("Where “{key}” is from", key=key),
            lambda scope: self._past.of_key(scope, layer, key),
            undo=undo,
            restore=restore,
        )

    def show_fact(self, layer: str, fact_id: str) -> None:
        """Show every change of a fact, and go to the message it is from."""
        self._show(
            tr("Where this fact is from"),
            lambda scope: self._past.of_fact(scope, layer, fact_id),
        )

    def show_summary(self, layer: str, sentence: str) -> None:
        """Show the summaries that hold a sentence, and go to the message it is from."""

        def restore(change: Change, failed: Failed) -> None:
            self.do(
                lambda scope: self.acts.restore_summary(scope, layer, change.revision_id),
                done=lambda: self.show_summary(layer, ""),
                failed=failed,
            )

        self._show(
            tr("Where “{words}” is from", words=sentence[:80])
            if sentence
            else tr("Where the summary is from"),
            lambda scope: self._past.of_summary(scope, layer, sentence),
            restore=restore,
        )

    def _show(
        self,
        title: str,
        read: Callable[[Scope], Coroutine[Any, Any, list[Change]]],
        *,
        undo: Callable[[Change, Failed], None] | None = None,
        restore: Callable[[Change, Failed], None] | None = None,
    ) -> None:
        async def showing(scope: Scope) -> None:
            changes = await read(scope)
            for old in self._window.findChildren(OriginDialog):
                old.close()
            dialog = OriginDialog(title, changes, self._theme, self._window)
            dialog.offer(undo, restore)
            dialog.message_wanted.connect(self.message_wanted)
            dialog.row_wanted.connect(self.row_wanted)
            dialog.show()
            if changes:
                self.message_wanted.emit(first_message(changes[0]))

        self.do(showing)


def first_message(change: Change) -> str:
    """The message that tells most of a change; for what a person wrote, the one it was after."""
    return change.sources[0].id if change.sources else change.after_message_id
