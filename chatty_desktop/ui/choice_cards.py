"""A few big choices of which one is taken, each with a sentence, some with more to fill in."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import (
    QButtonGroup,
    QFrame,
    QHBoxLayout,
    QRadioButton,
    QVBoxLayout,
    QWidget,
)

from chatty_desktop.ui.pieces import caption, emphasise
from chatty_desktop.ui.theme import Theme, restyle
from chatty_desktop.ui.tokens import XS, M, S

INDENT = 24
"""From the edge of a card's words to the words below its round button."""


class ChoiceCard(QFrame):
    """One choice; pressing it anywhere takes it.

    radio: its title. `details` take what is to be filled in; they show while it is taken.
    """

    def __init__(
        self, theme: Theme, title: str, words: str = "", parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setProperty("panel", "choice")
        self.radio = QRadioButton(title)
        emphasise(self.radio)
        self._words = caption(theme)
        self._words.setWordWrap(True)
        self._inner = QWidget()
        self.details = QVBoxLayout(self._inner)
        self.details.setContentsMargins(INDENT, XS, 0, 0)
        self.details.setSpacing(M)
        below = QHBoxLayout()
        below.setContentsMargins(INDENT, 0, 0, 0)
        below.addWidget(self._words)
        column = QVBoxLayout(self)
        column.setContentsMargins(M, S, M, S)
        column.setSpacing(XS)
        column.addWidget(self.radio)
        column.addLayout(below)
        column.addWidget(self._inner)
        self._inner.hide()
        self.say(words)
        self.radio.toggled.connect(self._draw)

    def say(self, words: str) -> None:
        """The sentence below the title; "" for none."""
        self._words.setText(words)
        self._words.setVisible(bool(words))
        self.radio.setAccessibleDescription(words)

    def words(self) -> str:
        return self._words.text()

    def allow(self, there: bool) -> None:
        """Whether it can be taken."""
        self.radio.setEnabled(there)
        self.setEnabled(there)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton and self.radio.isEnabled():
            self.radio.setFocus()
            self.radio.click()
        super().mouseReleaseEvent(event)

    def _draw(self, taken: bool) -> None:
        self._inner.setVisible(taken and self.details.count() > 0)
        restyle(self, "taken", taken)


class ChoiceCards(QWidget):
    """Choices by a key, one below the other.

    taken: the key of the choice that the person took.
    """

    taken = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._group = QButtonGroup(self)
        self.cards: dict[str, ChoiceCard] = {}
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(S)

    def add(self, key: str, title: str, words: str = "") -> ChoiceCard:
        """One more choice, below the others."""
        card = ChoiceCard(self._theme, title, words)
        self.cards[key] = card
        self._group.addButton(card.radio)
        self._column.addWidget(card)
        # Not `toggled`: that is emitted for what the code sets, too.
        card.radio.clicked.connect(lambda: self.taken.emit(key))
        return card

    @property
    def key(self) -> str:
        """The choice that is taken, "" while none is."""
        return next((key for key, card in self.cards.items() if card.radio.isChecked()), "")

    def set(self, key: str) -> None:
        """Take a choice, telling nobody."""
        self.cards[key].radio.setChecked(True)
