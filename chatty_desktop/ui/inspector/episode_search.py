"""Searching the episodes of a chat by the words in them."""

from __future__ import annotations

import time

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QLineEdit, QVBoxLayout, QWidget

from chatty_desktop.domain.episodes import EpisodesFound, FoundEpisode, searched_words
from chatty_desktop.ui.inspector.episode_card import EpisodeCard
from chatty_desktop.ui.language import number, tr, trn
from chatty_desktop.ui.pieces import Words, replace
from chatty_desktop.ui.readable import around
from chatty_desktop.ui.theme import Theme
from chatty_desktop.ui.tokens import S

TYPING_MS = 250
"""Without another letter, after which is searched."""

LONGEST_SEARCH = 200
"""Characters."""


class EpisodeSearch(QWidget):
    """A box, and below it what was found.

    search_wanted: a text to search for, again whenever memory has changed.
    showing_changed: whether an answer to what is in the box is shown.
    message_wanted: the id of a message the person pressed.
    remove_wanted: that of one that is not to be recalled any more.
    """

    search_wanted = Signal(str)
    showing_changed = Signal(bool)
    message_wanted = Signal(str)
    remove_wanted = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._showing = False
        self.may_remove = False
        self._drawn: tuple[str, EpisodesFound] | None = None
        self.box = QLineEdit()
        self.box.setPlaceholderText(tr("Search episodes"))
        self.box.setAccessibleName(tr("Search episodes by their words"))
        self.box.setClearButtonEnabled(True)
        self.box.setMaxLength(LONGEST_SEARCH)
        self.box.textChanged.connect(self._typed)
        self.box.returnPressed.connect(self.search)
        self._typing = QTimer(self)
        self._typing.setSingleShot(True)
        self._typing.setInterval(TYPING_MS)
        self._typing.timeout.connect(self.search)
        self._remark = Words(tone="muted")
        self._remark.hide()
        self._cards = QWidget()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(S)
        column.addWidget(self.box)
        column.addWidget(self._remark)
        column.addWidget(self._cards)

    @property
    def showing(self) -> bool:
        """Whether an answer is shown, so that it is to be seen alone."""
        return self._showing

    def search(self) -> None:
        """Search for what is in the box, now."""
        self._typing.stop()
        if searched_words(self.box.text()):
            self.search_wanted.emit(self.box.text())

    def show_found(self, text: str, found: EpisodesFound) -> None:
        """Draw what was found for a text, unless the box has another by now."""
        if text != self.box.text() or (text, found) == self._drawn:
            return
        self._drawn = (text, found)
        now, words = time.time(), searched_words(text)
        cards = QWidget()
        column = QVBoxLayout(cards)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(S)
        for each in found.shown:
            column.addWidget(self._card(each, words, now))
        if more := found.total - len(found.shown):
            column.addWidget(
                Words(tr("{count} more. Another word finds fewer.", count=number(more)), "muted")
            )
        self._show(sentence(text, found), cards)

    def show_failure(self, text: str, reason: str) -> None:
        """Say why a text could not be searched for, unless the box has another by now."""
        if text == self.box.text():
            self._drawn = None
            self._show(reason, QWidget())

    def _typed(self, text: str) -> None:
        if searched_words(text):
            self._typing.start()
        else:
            self._typing.stop()
            self._drawn = None
            self._show("", QWidget())

    def _card(self, found: FoundEpisode, words: tuple[str, ...], now: float) -> EpisodeCard:
        episode = found.episode
        card = EpisodeCard(
            self._theme,
            role=episode.role,
            at=episode.at,
            said=around(episode.content, words),
            remark=remark(found),
            now=now,
        )
        card.pressed.connect(lambda: self.message_wanted.emit(episode.message_id))
        card.remove.setVisible(self.may_remove)
        card.remove.triggered.connect(lambda: self.remove_wanted.emit(episode.message_id))
        return card

    def _show(self, text: str, cards: QWidget) -> None:
        """A sentence and cards below it; "" shows nothing."""
        self._remark.setText(text)
        self._remark.setVisible(bool(text))
        replace(self, self._cards, cards)
        self._cards = cards
        if bool(text) != self._showing:
            self._showing = bool(text)
            self.showing_changed.emit(self._showing)


def sentence(text: str, found: EpisodesFound) -> str:
    """How much was found, in words."""
    if found.total == 0:
        said = " ".join(text.split())
        if len(searched_words(text)) > 1:
            return tr("No episode says all the words of “{said}”.", said=said)
        return tr("No episode says “{said}”.", said=said)
    if found.total == len(found.shown):
        return trn("{count} episode found", "{count} episodes found, newest first", found.total)
    return tr(
        "{total} episodes found; here are the newest {shown}",
        total=number(found.total),
        shown=number(len(found.shown)),
    )


def remark(found: FoundEpisode) -> str:
    """What recall can do with an episode."""
    embedded = tr("Embedded") if found.embedded else tr("Not embedded by the present embedder")
    return embedded if found.on_branch else f"{embedded} · {tr('Said on another branch')}"
