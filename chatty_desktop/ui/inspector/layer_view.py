"""One layer of memory in the inspector: what every kind shows, and how the view of a kind is found.

A file `layer_<kind>.py` in this folder holds a class `View` that draws what is of that kind alone.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import Any, cast

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from chatty_desktop.domain.episodes import EpisodesFound
from chatty_desktop.domain.memory import LayerSnapshot, LedgerEntry
from chatty_desktop.ui.inspector.doing import MemoryDoing
from chatty_desktop.ui.inspector.pending_view import MessageCard
from chatty_desktop.ui.language import tr, trn
from chatty_desktop.ui.pieces import Problem, TextButton, Words, clear
from chatty_desktop.ui.plain import Label
from chatty_desktop.ui.theme import Theme
from chatty_desktop.ui.tokens import M, S


class LayerView(QWidget):
    """The frame of a layer's view: its name, what is wrong with it, and where it started; what a
    kind shows goes into `body`. `doing` is what a person can do, None where memory is to be read
    only; `ledger` is its newest rows.

    message_wanted: the id of a message the person wants to see in the chat.
    fact_changed: the key of the layer, the id of a fact, and its new words, or None to delete it.
    fact_forget_wanted: the id of a fact that is to leave no trace.
    reembed_wanted: every episode is to be embedded by the present embedder.
    stop_wanted: and now no more.
    search_wanted: a text to search the episodes for.
    """

    message_wanted = Signal(str)
    fact_changed = Signal(str, str, object)
    fact_forget_wanted = Signal(str)
    reembed_wanted = Signal()
    stop_wanted = Signal()
    search_wanted = Signal(str)

    def __init__(self, kind: str, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.kind = kind
        self.key = kind
        self.doing: MemoryDoing | None = None
        self.ledger: Sequence[LedgerEntry] = ()
        self.theme = theme
        self._starts_at: str | None = None
        self._title = Label(kind.replace("_", " ").capitalize())
        self._title.setFont(theme.heading())
        self._badge = Problem(theme)
        self.body = QVBoxLayout()
        self.body.setSpacing(M)
        self._start = QWidget()
        self._start_column = QVBoxLayout(self._start)
        self._start_column.setContentsMargins(0, 0, 0, 0)
        self._start_column.setSpacing(S)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(M)
        column.addWidget(self._title)
        column.addWidget(self._badge)
        column.addLayout(self.body)
        column.addWidget(self._start)

    def show_layer(self, layer: LayerSnapshot, config: Mapping[str, Any], *, named: bool) -> None:
        """Draw the layer; `named` says to head it with its kind."""
        self._title.setVisible(named)
        self.key = layer.key
        self._badge.say(layer.badge)
        self.show_body(layer, config)
        self._show_start(layer)

    def show_body(self, layer: LayerSnapshot, config: Mapping[str, Any]) -> None:
        """Draw what is of this kind alone."""

    def show_embedding(self, done: int, total: int) -> None:
        """Show how far embedding again has come, where that is of interest; 0 of 0 ends it."""

    def show_found(self, text: str, found: EpisodesFound) -> None:
        """Show what a search for `text` found, where episodes are shown."""

    def show_search_failure(self, text: str, reason: str) -> None:
        """Say why a search for `text` failed, where episodes are shown."""

    def _show_start(self, layer: LayerSnapshot) -> None:
        message = layer.starts_at
        self._start.setVisible(message is not None)
        if message is None or message.id == self._starts_at:
            return
        self._starts_at = message.id
        clear(self._start_column)
        self._start_column.addWidget(
            Words(
                tr(
                    "The strategy was changed in mid-session. Nothing was deleted; this memory"
                    " takes in the chat from here on:"
                ),
                "muted",
            )
        )
        card = MessageCard(message, self.theme, time.time())
        card.pressed.connect(lambda: self.message_wanted.emit(message.id))
        self._start_column.addWidget(card)


class SentenceView(LayerView):
    """A layer that a sentence tells all of, with the way to where it begins."""

    def __init__(self, kind: str, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(kind, theme, parent)
        self._verbatim_from: str | None = None
        self._sentence = Words()
        self._where = TextButton(tr("Show where it begins"))
        self._where.clicked.connect(self._show_where)
        self.body.addWidget(self._sentence)
        self.body.addWidget(self._where)

    def sentence(self, layer: LayerSnapshot, config: Mapping[str, Any]) -> str:
        """What the model will see of the chat."""
        raise NotImplementedError

    def show_body(self, layer: LayerSnapshot, config: Mapping[str, Any]) -> None:
        self._sentence.setText(self.sentence(layer, config))
        self._verbatim_from = layer.verbatim_from
        self._where.setVisible(layer.verbatim_from is not None)

    def _show_where(self) -> None:
        if self._verbatim_from:
            self.message_wanted.emit(self._verbatim_from)


def build_layer_view(kind: str, theme: Theme) -> LayerView:
    """The view of a kind; a kind without one of its own is shown by its name and its badge."""
    name = f"chatty_desktop.ui.inspector.layer_{kind}"
    if find_spec(name) is None:
        return LayerView(kind, theme)
    return cast("LayerView", import_module(name).View(kind, theme))


def messages(count: int) -> str:
    """A number of messages in words."""
    return trn("{count} message", "{count} messages", count)
