"""Long texts that were pasted: they lie below what is being written, and are sent with it."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from chatty_desktop.ui.elided import ElidedLabel
from chatty_desktop.ui.language import number, tr
from chatty_desktop.ui.pieces import IconLabel, TextButton, clear, icon_button
from chatty_desktop.ui.theme import Theme, set_tone
from chatty_desktop.ui.tokens import XS, S

LONGEST = 50_000
LONGEST_LINE = 8_000
"""Characters. Qt lays out a whole line after each key, and a long one takes the longer the more
there is of it: 8,000 characters without a space 3 ms, 100,000 more than 200 ms."""


def is_long(text: str) -> bool:
    """Whether a text is laid aside rather than put among what is being written."""
    return len(text) > LONGEST or (
        len(text) > LONGEST_LINE and max(map(len, text.split("\n"))) > LONGEST_LINE
    )


class LaidAside(QWidget):
    """One row a text: how long it is, how it begins, and how to be rid of it.

    changed: another text lies there, or one no longer does.
    wanted: a text that is to be put among what is being written; it no longer lies here.
    """

    changed = Signal()
    wanted = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._texts: list[str] = []
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(XS)
        self.hide()

    @property
    def texts(self) -> Sequence[str]:
        return self._texts

    def add(self, text: str) -> None:
        """Lay one more aside."""
        self.set_texts([*self._texts, text])

    def set_texts(self, texts: Sequence[str]) -> None:
        """Have these lie here and no others."""
        if list(texts) == self._texts:
            return
        self._texts = list(texts)
        clear(self._column)
        for place, text in enumerate(self._texts):
            self._column.addWidget(self._row(place, text))
        self.setVisible(bool(self._texts))
        self.changed.emit()

    def _row(self, place: int, text: str) -> QFrame:
        row = QFrame()
        row.setProperty("panel", "raised")
        line = QHBoxLayout(row)
        line.setContentsMargins(S, XS, XS, XS)
        line.setSpacing(S)
        line.addWidget(IconLabel(self._theme, "file-text"))
        size = tr("Pasted text, {count} characters", count=number(len(text)))
        row.setAccessibleName(size)
        name = ElidedLabel(f"{size} · {text[:120]}")
        name.setToolTip(tr("It is sent below what you write."))
        name.setFont(self._theme.small())
        set_tone(name, "muted")
        line.addWidget(name, 1)
        if max(map(len, text.split("\n"))) <= LONGEST_LINE:
            put = TextButton(tr("Edit"))
            put.setFont(self._theme.small())
            put.setToolTip(tr("Put it among what you write"))
            put.setAccessibleName(tr("Put the pasted text among what you write"))
            put.clicked.connect(lambda: self._put_back(place))
            line.addWidget(put)
        remove = icon_button(self._theme, "x", tr("Remove the pasted text"))
        remove.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        remove.clicked.connect(lambda: self.set_texts(_without(self._texts, place)))
        line.addWidget(remove)
        return row

    def _put_back(self, place: int) -> None:
        text = self._texts[place]
        self.set_texts(_without(self._texts, place))
        self.wanted.emit(text)


def _without(texts: Sequence[str], place: int) -> list[str]:
    return [*texts[:place], *texts[place + 1 :]]
