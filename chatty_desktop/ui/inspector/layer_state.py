"""State, in the inspector: Σ, and what is not folded yet."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from PySide6.QtWidgets import QWidget

from chatty_desktop.domain.memory import LayerSnapshot
from chatty_desktop.ui.inspector.layer_view import LayerView
from chatty_desktop.ui.inspector.pending_view import PendingView
from chatty_desktop.ui.inspector.state_view import StateView
from chatty_desktop.ui.inspector.waiting_view import WaitingView
from chatty_desktop.ui.language import tr
from chatty_desktop.ui.theme import Theme
from chatty_desktop.ui.tokens import S


class View(LayerView):
    """What waits for the person's word, Σ over its fields, then the queue."""

    def __init__(self, kind: str, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(kind, theme, parent)
        self._state = StateView(theme)
        self._state.message_wanted.connect(self.message_wanted)
        self._waiting = WaitingView(theme)
        self._pending = PendingView(theme, tr("Not folded yet"), tr("Nothing is waiting."))
        self._pending.message_wanted.connect(self.message_wanted)
        self.body.addWidget(self._waiting)
        self.body.addWidget(self._state)
        self.body.addSpacing(S)
        self.body.addWidget(self._pending)

    def show_body(self, layer: LayerSnapshot, config: Mapping[str, Any]) -> None:
        there = layer.state is not None
        self._state.setVisible(there)
        self._pending.setVisible(there)
        self._waiting.setVisible(there and layer.waiting is not None)
        if there:
            fields = config.get("fields", ())
            named = [(f["name"], f["description"]) for f in fields]
            self._state.show_state(layer, named, self.doing, self.ledger)
            self._waiting.show_waiting(layer.waiting, layer.key, self.doing)
            self._pending.show_pending(layer.pending or ())
