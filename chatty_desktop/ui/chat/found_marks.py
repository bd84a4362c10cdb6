"""The places in a message at which a search found something, marked on the screen."""

from __future__ import annotations

import re
from bisect import bisect_left
from itertools import accumulate

from PySide6.QtCore import QRect
from PySide6.QtGui import QColor, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QTextEdit

from chatty_desktop.domain.search import spans
from chatty_desktop.ui.theme import Theme

MOST_MARKED = 200
"""Places drawn as found at once; Qt takes seconds for thousands."""


class FoundMarks:
    """Those in the text that a view shows, which calls `draw_due` before it paints."""

    def __init__(self, view: QTextEdit, theme: Theme) -> None:
        self._view = view
        self._theme = theme
        self._pattern: re.Pattern[str] | None = None
        self._found: list[tuple[int, int]] | None = []
        self._meant: int | None = None
        self._due = False
        self._shown = range(0)

    @property
    def count(self) -> int:
        """How many places are marked."""
        return len(self._places)

    @property
    def _places(self) -> list[tuple[int, int]]:
        """From where to where they stand, in the document's own counting."""
        if self._found is None:
            self._found = []
            if self._pattern is not None:
                text = self._view.document().toPlainText()
                self._found = _in_units(text, list(spans(text, self._pattern)))
        return self._found

    def mark(self, pattern: re.Pattern[str] | None) -> None:
        """Mark every place that a pattern finds in the words on the screen, folded as a search
        folds them. Looked for and drawn when the text comes into sight."""
        self._pattern, self._found = pattern, None
        self._meant, self._due = None, True
        if pattern is None:
            self._draw()
        self._view.viewport().update()

    def set_found(self, number: int | None) -> QRect:
        """Show which of the marked places is the one meant; returns where it is."""
        self._meant, self._due = number, True
        self._view.viewport().update()
        if number is None:
            return QRect()
        return self._view.cursorRect(self._cursor(self._places[number][0]))

    def draw_due(self) -> None:
        """Draw the marks anew where others come into sight, or are meant."""
        if self._due or self._in_sight() != self._shown:
            self._draw()

    def _draw(self) -> None:
        self._due = False
        self._shown = self._in_sight()
        tokens = self._theme.tokens
        shown: list[QTextEdit.ExtraSelection] = []
        for at in sorted({*self._shown, *([] if self._meant is None else [self._meant])}):
            start, end = self._places[at]
            selection = QTextEdit.ExtraSelection()
            look = QTextCharFormat()
            meant = at == self._meant
            look.setBackground(QColor(tokens.accent if meant else tokens.mark))
            look.setForeground(QColor(tokens.on_accent if meant else tokens.text))
            selection.cursor = self._cursor(start, end)
            selection.format = look
            shown.append(selection)
        if shown or self._view.extraSelections():
            self._view.setExtraSelections(shown)

    def _in_sight(self) -> range:
        """The numbers of the places to draw: all, or where there are many those around what is
        in sight. They move on by halves, so that a little scrolling leaves them as they are."""
        count = len(self._places)
        if count <= MOST_MARKED:
            return range(count)
        center = self._view.visibleRegion().boundingRect().center()
        middle = self._view.cursorForPosition(center).position()
        step = MOST_MARKED // 2
        first = (bisect_left(self._places, (middle,)) // step) * step - step // 2
        first = max(0, min(first, count - MOST_MARKED))
        return range(first, first + MOST_MARKED)

    def _cursor(self, start: int, end: int | None = None) -> QTextCursor:
        cursor = QTextCursor(self._view.document())
        cursor.setPosition(start)
        if end is not None:
            cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
        return cursor


def _in_units(text: str, places: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Places counted as Qt counts, which is in UTF-16."""
    if all(char <= "\uffff" for char in text):
        return places
    units = list(accumulate((1 + (char > "\uffff") for char in text), initial=0))
    return [(units[start], units[end]) for start, end in places]
