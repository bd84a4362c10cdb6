"""Text of a machine, word for word: monospaced, with what is invisible in it shown, a bounded part
of it drawn, all of it copied as it is."""

from __future__ import annotations

import re
from itertools import islice

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QTextOption, QWheelEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPlainTextEdit, QVBoxLayout, QWidget

from chatty_desktop.domain.hidden import all_revealed
from chatty_desktop.domain.search import folded_text
from chatty_desktop.ui.language import number, tr
from chatty_desktop.ui.pieces import MOST_CHARS, caption, icon_button
from chatty_desktop.ui.theme import Theme
from chatty_desktop.ui.tokens import XS, M, S


class Verbatim(QFrame):
    """A text under its name, as high as it needs up to `most` lines.

    text: all of it, drawn or not.
    """

    def __init__(self, name: str, theme: Theme, most: int = 14, parent: QWidget | None = None):
        super().__init__(parent)
        self.text = ""
        self._theme = theme
        self._most = most
        self._name = caption(theme, name)
        self.cut = caption(theme)
        self.cut.setWordWrap(True)
        self.box = _Box(theme)
        self.box.setAccessibleName(name)
        copy = icon_button(theme, "copy", tr("Copy: {what}", what=name))
        copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(self.text))
        above = QHBoxLayout()
        above.addWidget(self._name, 1)
        above.addWidget(copy)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(XS)
        column.addLayout(above)
        column.addWidget(self.box)
        column.addWidget(self.cut)
        self.cut.hide()

    def set_name(self, name: str) -> None:
        """Call the text something else."""
        self._name.setText(name)
        self.box.setAccessibleName(name)

    def show_text(self, text: str) -> None:
        """Draw a text; of a very long one the beginning, and say so."""
        if text == self.text and self.box.toPlainText():
            return
        self.text = text
        shown = text[:MOST_CHARS]
        self.box.setPlainText(all_revealed(shown))
        self.box.fit(self._most)
        self.cut.setVisible(len(shown) < len(text))
        self.cut.setText(
            tr(
                "The first {shown} of {count} characters. Copying takes all of them.",
                shown=number(len(shown)),
                count=number(len(text)),
            )
        )

    def choose(self, pattern: re.Pattern[str], number: int) -> None:
        """Select the so-manieth place that a pattern for folded text finds, from 0, as far as it
        is drawn."""
        shown = self.box.toPlainText()
        folded = folded_text(shown)
        # Folding may make a text longer or shorter, and the places then are others.
        text = folded if len(folded) == len(shown) else shown.lower()
        found = next(islice(pattern.finditer(text), number, None), None)
        if found is not None:
            cursor = self.box.textCursor()
            cursor.setPosition(found.start())
            cursor.setPosition(found.end(), cursor.MoveMode.KeepAnchor)
            self.box.setTextCursor(cursor)


class _Box(QPlainTextEdit):
    """Scrolls by the wheel only once it has the focus, so that what it stands in can scroll."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.setReadOnly(True)
        self.setTabChangesFocus(True)
        self.setFont(theme.monospace())
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse
            | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.setProperty("code", True)

    def fit(self, most: int) -> None:
        """As high as the text, estimated by its letters since the width is not known yet."""
        metrics = self.fontMetrics()
        across = max(20, (max(self.width(), 320) - 2 * M) // max(1, metrics.averageCharWidth()))
        lines = 0
        for line in self.toPlainText().rstrip("\n").split("\n"):
            lines += 1 + max(0, len(line) - 1) // across
            if lines >= most:
                break
        around = 2 * (int(self.document().documentMargin()) + S)
        self.setFixedHeight(min(lines, most) * metrics.lineSpacing() + around)

    def wheelEvent(self, event: QWheelEvent) -> None:
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()
