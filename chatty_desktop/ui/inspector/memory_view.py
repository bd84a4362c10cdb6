"""The Memory tab: every layer of an agent's memory, drawn from what the layer says of itself."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLabel, QStackedWidget, QVBoxLayout, QWidget

from chatty_desktop.domain.memory import LayerSnapshot, MemorySnapshot
from chatty_desktop.ui.inspector.episodic_view import EpisodicView
from chatty_desktop.ui.inspector.pending_view import MessageCard, PendingView
from chatty_desktop.ui.inspector.state_view import StateView
from chatty_desktop.ui.pieces import Empty, Problem, TextButton, Words, scrolled
from chatty_desktop.ui.theme import Theme
from chatty_desktop.ui.tokens import XL, L, M, S


class MemoryView(QStackedWidget):
    """All layers one below the other, or a sentence when there is nothing to show."""

    message_wanted = Signal(str)
    reembed_wanted = Signal()
    stop_reembedding_wanted = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._layers: list[LayerView] = []
        self._embedding = (0, 0)
        self._empty = Empty(theme, "brain")
        content = QWidget()
        self._column = QVBoxLayout(content)
        self._column.setContentsMargins(L, M, L, L)
        self._column.setSpacing(XL)
        self._column.addStretch(1)
        self.addWidget(self._empty)
        self.addWidget(scrolled(content))

    def say(self, title: str, hint: str) -> None:
        """Show a sentence in place of memory."""
        self._build(())
        self._empty.say(title, hint)
        self.setCurrentIndex(0)

    def show_memory(self, snapshot: MemorySnapshot) -> None:
        """Draw what memory holds; what is drawn already is updated in its place."""
        if [layer.kind for layer in snapshot.layers] != [view.kind for view in self._layers]:
            self._build(snapshot.layers)
        configs = layer_configs(snapshot.strategy, len(snapshot.layers))
        for view, layer, config in zip(self._layers, snapshot.layers, configs, strict=True):
            view.show_layer(layer, config, named=len(snapshot.layers) > 1)
        self.setCurrentIndex(1)

    def show_embedding(self, done: int, total: int) -> None:
        """Show how far embedding again has come; 0 of 0 ends it."""
        self._embedding = (done, total)
        for view in self._layers:
            view.episodes.show_progress(done, total)

    def _build(self, layers: Sequence[LayerSnapshot]) -> None:
        for view in self._layers:
            self._column.removeWidget(view)
            view.hide()
            view.deleteLater()
        self._layers = [LayerView(layer.kind, self._theme) for layer in layers]
        for index, view in enumerate(self._layers):
            view.message_wanted.connect(self.message_wanted)
            view.episodes.reembed_wanted.connect(self.reembed_wanted)
            view.episodes.stop_wanted.connect(self.stop_reembedding_wanted)
            view.episodes.show_progress(*self._embedding)
            self._column.insertWidget(index, view)


class LayerView(QWidget):
    """One layer: the parts that its snapshot has."""

    message_wanted = Signal(str)

    def __init__(self, kind: str, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.kind = kind
        self._theme = theme
        self._verbatim_from: str | None = None
        self._starts_at: str | None = None
        self._title = QLabel(kind.replace("_", " ").capitalize())
        self._title.setFont(theme.heading())
        self._badge = Problem(theme)
        self._sentence = Words()
        self._where = TextButton("Show where it begins")
        self._where.clicked.connect(self._show_where)
        self._state = StateView(theme)
        self._state.message_wanted.connect(self.message_wanted)
        self.episodes = EpisodicView(theme)
        self.episodes.message_wanted.connect(self.message_wanted)
        self._pending = PendingView(theme)
        self._pending.message_wanted.connect(self.message_wanted)
        self._start = QWidget()
        self._start_column = QVBoxLayout(self._start)
        self._start_column.setContentsMargins(0, 0, 0, 0)
        self._start_column.setSpacing(S)

        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(M)
        column.addWidget(self._title)
        column.addWidget(self._badge)
        column.addWidget(self._sentence)
        column.addWidget(self._where)
        column.addWidget(self._state)
        column.addWidget(self.episodes)
        column.addSpacing(S)
        column.addWidget(self._pending)
        column.addWidget(self._start)

    def show_layer(self, layer: LayerSnapshot, config: Mapping[str, Any], *, named: bool) -> None:
        """Draw the layer; `named` says to head it with its kind."""
        self._title.setVisible(named)
        self._badge.say(layer.badge)
        sentence = "" if layer.state is not None else what_is_sent(layer, config)
        self._sentence.setText(sentence)
        self._sentence.setVisible(bool(sentence))
        self._verbatim_from = layer.verbatim_from
        self._where.setVisible(bool(sentence and layer.verbatim_from))
        self._state.setVisible(layer.state is not None)
        if layer.state is not None:
            fields = config.get("fields", ())
            self._state.show_state(layer, [(f["name"], f["description"]) for f in fields])
        self.episodes.setVisible(layer.episodes is not None)
        if layer.episodes is not None:
            self.episodes.show_episodes(layer)
        self._pending.setVisible(layer.pending is not None)
        if layer.pending is not None:
            self._pending.show_pending(layer.pending)
        self._show_start(layer)

    def _show_start(self, layer: LayerSnapshot) -> None:
        message = layer.starts_at
        self._start.setVisible(message is not None)
        if message is None or message.id == self._starts_at:
            return
        self._starts_at = message.id
        while item := self._start_column.takeAt(0):
            old = item.widget()
            if old is not None:
                old.hide()
                old.deleteLater()
        self._start_column.addWidget(
            Words(
                "The strategy was changed in mid-session. Nothing was deleted; this memory takes"
                " in the chat from here on:",
                "muted",
            )
        )
        card = MessageCard(message, self._theme, time.time())
        card.pressed.connect(lambda: self.message_wanted.emit(message.id))
        self._start_column.addWidget(card)

    def _show_where(self) -> None:
        if self._verbatim_from:
            self.message_wanted.emit(self._verbatim_from)


def layer_configs(strategy: Mapping[str, Any], count: int) -> list[Mapping[str, Any]]:
    """The configuration of each of `count` layers: a composite's own layers, else the strategy."""
    layers = strategy.get("layers")
    return list(layers) if isinstance(layers, list) and len(layers) == count else [strategy] * count


def what_is_sent(layer: LayerSnapshot, config: Mapping[str, Any]) -> str:
    """A plain sentence on what the model will see of the chat; "" when the layer shows parts
    of its own."""
    match layer.kind:
        case "none":
            return (
                "No memory: the model sees the new message alone."
                " What was said before stays in the chat, but is not sent."
            )
        case "window":
            most = f"the last {config['max_messages']} messages"
            if not layer.size:
                return f"The model will see {most} of this chat, word for word."
            return (
                f"The next request carries {_messages(layer.size)} word for word"
                f" (this memory holds {most})."
            )
        case "full_transcript":
            if not layer.size:
                return "The model will see this whole chat, word for word."
            return (
                f"The next request carries the whole chat word for word:"
                f" {_messages(layer.size)} so far."
            )
    return ""


def _messages(count: int) -> str:
    return "1 message" if count == 1 else f"{count} messages"
