"""The Memory tab: every layer of an agent's memory in order, each in the view of its kind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget

from chatty_desktop.domain.episodes import EpisodesFound
from chatty_desktop.domain.memory import LayerSnapshot, MemorySnapshot
from chatty_desktop.ui.inspector.doing import MemoryDoing
from chatty_desktop.ui.inspector.layer_view import LayerView, build_layer_view
from chatty_desktop.ui.language import tr
from chatty_desktop.ui.pieces import Empty, scrolled
from chatty_desktop.ui.theme import Theme
from chatty_desktop.ui.tokens import XL, L, M


class MemoryView(QStackedWidget):
    """All layers one below the other, or a sentence when there is nothing to show."""

    message_wanted = Signal(str)
    fact_changed = Signal(str, str, object)
    fact_forget_wanted = Signal(str)
    reembed_wanted = Signal()
    stop_reembedding_wanted = Signal()
    search_wanted = Signal(str)

    def __init__(
        self, theme: Theme, doing: MemoryDoing | None = None, parent: QWidget | None = None
    ) -> None:
        """Without `doing` it is to be read only."""
        super().__init__(parent)
        self._theme = theme
        self._doing = doing
        self._layers: list[LayerView] = []
        self._embedding = (0, 0)
        self._empty = Empty(theme, "brain")
        content = QWidget()
        self._column = QVBoxLayout(content)
        self._column.setContentsMargins(L, M, L, L)
        self._column.setSpacing(XL)
        self._column.addStretch(1)
        self.addWidget(self._empty)
        self.addWidget(scrolled(content, tr("Memory")))

    def say(self, title: str, hint: str) -> None:
        """Show a sentence in place of memory."""
        self._build(())
        self._empty.say(title, hint)
        self.setCurrentIndex(0)

    def show_memory(self, snapshot: MemorySnapshot) -> None:
        """Draw what memory holds; what is drawn already is updated in its place."""
        if not snapshot.layers:
            self.say(
                tr("No layer of memory"), tr("Add layers to this agent's memory in the editor.")
            )
            return
        if [layer.kind for layer in snapshot.layers] != [view.kind for view in self._layers]:
            self._build(snapshot.layers)
        configs = layer_configs(snapshot.strategy, len(snapshot.layers))
        for view, layer, config in zip(self._layers, snapshot.layers, configs, strict=True):
            view.doing = self._doing
            view.ledger = snapshot.ledger
            view.show_layer(layer, config, named=len(snapshot.layers) > 1)
        self.setCurrentIndex(1)

    def show_embedding(self, done: int, total: int) -> None:
        """Show how far embedding again has come; 0 of 0 ends it."""
        self._embedding = (done, total)
        for view in self._layers:
            view.show_embedding(done, total)

    def show_found(self, text: str, found: EpisodesFound) -> None:
        """Show what a search of the episodes found."""
        for view in self._layers:
            view.show_found(text, found)

    def show_search_failure(self, text: str, reason: str) -> None:
        """Say why a search of the episodes failed."""
        for view in self._layers:
            view.show_search_failure(text, reason)

    def _build(self, layers: Sequence[LayerSnapshot]) -> None:
        for view in self._layers:
            self._column.removeWidget(view)
            view.hide()
            view.deleteLater()
        self._layers = [build_layer_view(layer.kind, self._theme) for layer in layers]
        for index, view in enumerate(self._layers):
            view.message_wanted.connect(self.message_wanted)
            view.fact_changed.connect(self.fact_changed)
            view.fact_forget_wanted.connect(self.fact_forget_wanted)
            view.reembed_wanted.connect(self.reembed_wanted)
            view.stop_wanted.connect(self.stop_reembedding_wanted)
            view.search_wanted.connect(self.search_wanted)
            view.show_embedding(*self._embedding)
            self._column.insertWidget(index, view)


def layer_configs(strategy: Mapping[str, Any], count: int) -> list[Mapping[str, Any]]:
    """The configuration of each of `count` layers: a composite's own layers, else the strategy."""
    layers = strategy.get("layers")
    return list(layers) if isinstance(layers, list) and len(layers) == count else [strategy] * count
