"""What a message says: plain while it is written, Markdown once it is done, piece by piece."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator

from PySide6.QtCore import QPoint, QRect, Qt, Signal
from PySide6.QtWidgets import QPushButton, QVBoxLayout, QWidget
from shiboken6 import isValid

from chatty_desktop.domain.messages import Role
from chatty_desktop.ui.chat.body import MessageBody
from chatty_desktop.ui.chat.markdown import render, render_typed
from chatty_desktop.ui.chat.pieces_of_text import Pieces
from chatty_desktop.ui.language import number, tr
from chatty_desktop.ui.pieces import edge_to_edge
from chatty_desktop.ui.theme import Theme

PIECE = 12_000
"""Characters of plain words drawn as Markdown in one go, or fewer with more to draw in them: some
30 ms of work."""

PLAIN = 60_000
"""Characters shown of a reply while it is being written."""


LINE = 3_000
"""Characters of a line that is being written; Qt lays out all of it each time it grows, so a longer
one goes on in a text of its own, until the end."""


class MessageText(QWidget):
    """A long text is drawn piece by piece as the reader asks, so that none holds up the window.

    shown: all of the text, drawn or not.
    resized: its height for the present width is not what it was.
    pressed, released, save_wanted: as of `MessageBody`.
    dragged: a selection is being drawn to this point (in this widget's coordinates).
    """

    resized = Signal()
    pressed = Signal(bool)
    released = Signal()
    dragged = Signal(QPoint)
    save_wanted = Signal(str, str)

    def __init__(self, role: Role, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.shown = ""
        self._role = role
        self._theme = theme
        self._waiting = Pieces("", PIECE)
        self._bodies: list[MessageBody] = []
        self._more: QPushButton | None = None
        self._pattern: re.Pattern[str] | None = None
        self._found: int | None = None
        # Of a text that is being written: the length of its last line.
        self._line: int | None = None
        self._column = edge_to_edge(QVBoxLayout(self))

    def show_final(self, text: str) -> None:
        """Draw a finished text, as many pieces of it as are drawn now, at least one."""
        drawn = 1 if self._line is not None else len(self._bodies)
        self.clear()
        self.shown = text
        plain, typed = self._role == "tool", self._role == "user"
        self._waiting = Pieces(text, PIECE, fences=not plain, tables=not plain and not typed)
        for _ in range(max(1, drawn)):
            self._draw_piece()
        self._offer_rest()
        if self._found is not None:
            self._show_found()

    def add(self, text: str) -> None:
        """Add to a text that is being written; past `PLAIN` it is only counted, until the end."""
        room = PLAIN - len(self.shown)
        if not self.shown:
            text = text.lstrip()
        self.shown += text
        if text and room > 0:
            self._write(text[:room])
        left = max(0, len(self.shown) - PLAIN)
        count = number(left)
        self._offer_more(
            left, tr("Writing … {count} more characters, shown when it is done", count=count)
        )
        if self._more is not None:
            self._more.setEnabled(False)

    def _write(self, text: str) -> None:
        for start in range(0, len(text), LINE):
            part = text[start : start + LINE]
            if self._line is None or self._line >= LINE:
                self._line = 0
                self._body()
            self._bodies[-1].append_plain(part)
            self._bodies[-1].updateGeometry()
            _before, broken, last = part.rpartition("\n")
            self._line = len(last) + (0 if broken else self._line)

    def clear(self) -> None:
        """Show nothing."""
        self._line = None
        for body in self._bodies:
            self._column.removeWidget(body)
            body.hide()
            body.deleteLater()
        self._bodies.clear()
        self._waiting = Pieces("", PIECE)
        self.shown = ""

    def unselect(self) -> None:
        """Select no words."""
        for body in self._bodies:
            body.unselect()

    def set_pattern(self, pattern: re.Pattern[str] | None) -> None:
        """Mark what a pattern finds in the text, folded as a search folds it; None: nothing."""
        if pattern is None and self._pattern is None:
            return
        self._pattern = pattern
        self._found = None
        for body in self._bodies:
            body.marks.mark(pattern)

    def set_found(self, number: int | None) -> QRect:
        """Say which of the places marked is the one meant, counted from 0; returns where it is,
        in this widget, as far as the text is drawn."""
        if number is None and self._found is None:
            # Painting all marks anew takes a moment where they are dense.
            return QRect()
        self._found = number
        return self._show_found()

    def recolour(self) -> Iterator[None]:
        """Draw what is drawn in the colours that the window has now, a piece at each step."""
        for body in tuple(self._bodies) if self._line is None else ():
            if not isValid(self):
                return
            if body in self._bodies:
                self._show(body)
                self.resized.emit()
                yield
        if isValid(self) and self._found is not None:
            self._show_found()

    async def draw_place(self, number: int) -> None:
        """Draw as much of the text as it takes to show the so-manieth place marked, counted from 0,
        with a breath after each piece: there may be a megabyte before it."""
        while isValid(self) and self._waiting.left:
            if sum(body.marks.count for body in self._bodies) > number:
                return
            self._draw_piece()
            self._offer_rest()
            self.resized.emit()
            await asyncio.sleep(0)

    def _show_found(self) -> QRect:
        place = QRect()
        marked = sum(body.marks.count for body in self._bodies)
        # What was found in a mark of Markdown, such as an address, is not on the screen.
        left = None if self._found is None else min(self._found, marked - 1)
        for body in self._bodies:
            here = left if left is not None and 0 <= left < body.marks.count else None
            at = body.marks.set_found(here)
            if here is not None:
                place = QRect(body.mapTo(self, at.topLeft()), at.size())
            if left is not None:
                left -= body.marks.count
        return place

    def plain(self) -> str:
        """The words on the screen."""
        between = "\n" if self._line is None else ""
        return between.join(body.toPlainText() for body in self._bodies)

    def _draw_piece(self) -> None:
        text = self._waiting.take()
        if not text.strip():
            return
        body = self._body()
        body.said = text
        self._show(body)

    def _show(self, body: MessageBody) -> None:
        if self._role == "tool":
            body.show_plain(body.said)
        else:
            draw = render_typed if self._role == "user" else render
            body.show_rendered(draw(body.said, self._theme.tokens))
        if self._pattern is not None:
            body.marks.mark(self._pattern)

    def _more_wanted(self) -> None:
        self._draw_piece()
        self._offer_rest()
        self.resized.emit()

    def _offer_rest(self) -> None:
        left = self._waiting.left
        self._offer_more(left, tr("Show more ({count} characters left)", count=number(left)))

    def _offer_more(self, left: int, text: str) -> None:
        if not left and self._more is None:
            return
        if self._more is None:
            self._more = QPushButton()
            self._more.setProperty("kind", "link")
            self._more.clicked.connect(self._more_wanted)
            self._column.addWidget(self._more, 0, Qt.AlignmentFlag.AlignLeft)
        self._more.setVisible(left > 0)
        self._more.setEnabled(True)
        self._more.setText(text)

    def _body(self) -> MessageBody:
        body = MessageBody(self._theme)
        body.pressed.connect(self.pressed)
        body.released.connect(self.released)
        body.save_wanted.connect(self.save_wanted)
        body.dragged.connect(lambda at: self.dragged.emit(body.mapTo(self, at)))
        self._column.insertWidget(len(self._bodies), body)
        self._bodies.append(body)
        return body
