"""Σ as people read it: its keys, their values, when each changed, and how full it is."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QHBoxLayout, QProgressBar, QSizePolicy, QVBoxLayout, QWidget

from chatty_desktop.domain.by_hand import attempts_on
from chatty_desktop.domain.memory import LayerSnapshot, LedgerEntry
from chatty_desktop.ui.elided import ElidedLabel
from chatty_desktop.ui.inspector.doing import MemoryDoing
from chatty_desktop.ui.inspector.key_dialog import KeyDialog
from chatty_desktop.ui.inspector.key_row import KeyRow
from chatty_desktop.ui.language import number, tr
from chatty_desktop.ui.pieces import Words, caption, icon_button, replace
from chatty_desktop.ui.plain import Label
from chatty_desktop.ui.theme import Theme, set_tone
from chatty_desktop.ui.tokens import XS, S


class StateView(QWidget):
    """One Σ. `message_wanted` carries the id of the message after which a key last changed."""

    message_wanted = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._state: dict[str, Any] | None = None
        self._rows: dict[str, KeyRow] = {}
        self._layer = ""
        self._doing: MemoryDoing | None = None
        self._descriptions: dict[str, str] = {}
        sigma = Label("Σ")
        sigma.setFont(theme.heading())
        set_tone(sigma, "memory")
        self._heading = ElidedLabel()
        self._heading.setFont(theme.heading())
        self._heading.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Preferred)
        set_tone(self._heading, "memory")
        self._size = caption(theme)
        self._copy = icon_button(theme, "copy", tr("Copy Σ as JSON"))
        self._copy.clicked.connect(self._to_clipboard)
        self._bar = QProgressBar()
        self._bar.setProperty("tone", "memory")
        self._bar.setTextVisible(False)
        self._hint = Words(tone="muted")
        self._keys = QWidget()

        top = QHBoxLayout()
        top.setSpacing(S)
        top.addWidget(sigma)
        top.addWidget(self._heading)
        top.addWidget(self._size)
        top.addStretch(1)
        top.addWidget(self._copy)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(S)
        column.addLayout(top)
        column.addWidget(self._bar)
        column.addWidget(self._hint)
        column.addWidget(self._keys)

    def show_state(
        self,
        layer: LayerSnapshot,
        fields: Sequence[tuple[str, str]],
        doing: MemoryDoing | None = None,
        ledger: Sequence[LedgerEntry] = (),
    ) -> None:
        """Draw Σ over its fields, (name, description) each; what changed lights up for a moment.

        Keys that the fields no longer have stand after the others. Without `doing` it is to be
        read only; `ledger` tells what folds tried to make of pinned keys.
        """
        self._layer, self._doing = layer.key, doing
        self._descriptions = dict(fields)
        state = layer.state or {}
        descriptions = dict(fields)
        names = [*descriptions, *(key for key in state if key not in descriptions)]
        self._head(layer, len(state), len(names))
        if names != list(self._rows):
            self._build(names)
        now = time.time()
        for name in names:
            row = self._rows[name]
            row.show_value(state.get(name), known=name in state)
            row.describe(descriptions.get(name))
            row.show_change(layer.changes.get(name), now)
            pinned = name in layer.pins
            row.show_pin(pinned, attempts_on(name, ledger, layer.key) if pinned else None)
            row.let_act(doing is not None, pinned=pinned, known=name in state)
            if self._state is not None and self._state.get(name) != state.get(name):
                row.flash()
        self._state = dict(state)

    def _head(self, layer: LayerSnapshot, known: int, total: int) -> None:
        self._heading.setText(tr("{known} of {total} keys", known=known, total=total))
        self._size.setText(f"{layer.size} / {layer.max_chars}")
        self._size.setToolTip(tr("Characters of Σ as compact JSON, and how many it may have"))
        self._bar.setRange(0, max(layer.max_chars, 1))
        self._bar.setValue(min(layer.size, layer.max_chars))
        self._bar.setAccessibleName(
            tr(
                "Σ holds {size} of {most} characters",
                size=number(layer.size),
                most=number(layer.max_chars),
            )
        )
        hint = ""
        if not total:
            hint = tr(
                "This memory has no fields, so nothing can be kept."
                " Add some in the agent editor, under Memory."
            )
        elif not known:
            hint = tr(
                "Nothing is known yet. Send a message: after the reply, what matters is"
                " folded into these keys."
            )
        self._hint.setText(hint)
        self._hint.setVisible(bool(hint))
        self._copy.setEnabled(bool(known))

    def _build(self, names: Sequence[str]) -> None:
        """Rows for other keys, all in a new widget: added to one on the screen, each row would
        have the whole panel laid out anew."""
        keys = QWidget()
        column = QVBoxLayout(keys)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(XS)
        self._rows = {}
        for name in names:
            row = self._rows[name] = KeyRow(name, self._theme)
            row.message_wanted.connect(self.message_wanted)
            row.row_wanted.connect(self._show_row)
            row.edit_wanted.connect(lambda name=name: self._edit(name))
            row.pin_wanted.connect(lambda pinned, name=name: self._pin(name, pinned))
            row.forget_wanted.connect(lambda name=name: self._forget(name))
            row.origin_wanted.connect(lambda name=name: self._show_origin(name))
            column.addWidget(row)
        replace(self, self._keys, keys)
        self._keys = keys

    def _to_clipboard(self) -> None:
        text = json.dumps(self._state or {}, indent=2, ensure_ascii=False)
        QGuiApplication.clipboard().setText(text)

    # --- what a person does ------------------------------------------------------------------

    def _edit(self, key: str) -> None:
        doing, layer = self._doing, self._layer
        if doing is None:
            return
        known = (self._state or {}).get(key)

        def keep(value: Any, done: Callable[[], object], failed: Callable[[str], None]) -> None:
            doing.do(
                lambda scope: doing.acts.change_state(scope, layer, {key: value}),
                done=done,
                failed=failed,
            )

        description = self._descriptions.get(key, "")
        KeyDialog(key, description, known, keep, self._theme, self.window()).open()

    def _pin(self, key: str, pinned: bool) -> None:
        if (doing := self._doing) is not None:
            layer = self._layer
            doing.do(lambda scope: doing.acts.pin(scope, layer, key, pinned))

    def _forget(self, key: str) -> None:
        if (doing := self._doing) is not None:
            layer = self._layer
            doing.do(lambda scope: doing.acts.change_state(scope, layer, {key: None}))

    def _show_origin(self, key: str) -> None:
        if self._doing is not None:
            self._doing.show_key(self._layer, key)

    def _show_row(self, entry_id: str) -> None:
        if self._doing is not None:
            self._doing.row_wanted.emit(entry_id)
