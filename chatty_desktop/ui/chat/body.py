"""The text of one message: selectable, never scrolling by itself, loading nothing."""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from itertools import accumulate
from typing import Any

from PySide6.QtCore import QPoint, QRect, QRectF, QSize, Qt, QUrl, Signal
from PySide6.QtGui import (
    QColor,
    QContextMenuEvent,
    QDesktopServices,
    QGuiApplication,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QTextCharFormat,
    QTextCursor,
    QTextFrame,
    QWheelEvent,
)
from PySide6.QtWidgets import QFrame, QSizePolicy, QTextBrowser, QTextEdit, QToolButton, QWidget

from chatty_desktop.domain.hidden import revealed
from chatty_desktop.domain.search import spans
from chatty_desktop.ui.chat.links import address, is_disguised
from chatty_desktop.ui.chat.markdown import (
    CODE_SIDE,
    CODE_TOP,
    LIST_INDENT,
    Block,
    Rendered,
    css,
    is_outside_link,
)
from chatty_desktop.ui.language import tr
from chatty_desktop.ui.pieces import icon_button
from chatty_desktop.ui.plain import tip
from chatty_desktop.ui.questions import confirm
from chatty_desktop.ui.readable import shortened
from chatty_desktop.ui.theme import Theme

MOST_MARKED = 200
"""Places drawn as found at once; Qt takes seconds for thousands."""


class MessageBody(QTextBrowser):
    """Draws rendered Markdown, or plain text that grows at its end while it streams.

    pressed: by the mouse; with Shift, to choose everything up to here (bool). released: no more.
    save_wanted: a block of code, and its language, is to be saved.
    dragged: a selection is being drawn to this point of the body, so that the transcript can
    scroll along.
    """

    pressed = Signal(bool)
    released = Signal()
    dragged = Signal(QPoint)
    save_wanted = Signal(str, str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._code: list[tuple[QTextFrame, Block, tuple[QToolButton, ...]]] = []
        self._pattern: re.Pattern[str] | None = None
        self._found_places: list[tuple[int, int]] | None = []
        self._meant: int | None = None
        self._marks_due = False
        self._shown_places = range(0)
        self.setProperty("bare", True)
        self.setAccessibleName(tr("Text of the message"))
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        # Not Fixed: the height it would be fixed at is that of the width before.
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.setOpenLinks(False)
        self.setUndoRedoEnabled(False)
        self.setTabChangesFocus(True)
        self.setTextInteractionFlags(Qt.TextInteractionFlag.TextBrowserInteraction)
        # Hinted glyphs reach a pixel beyond the width they were laid out for.
        self.document().setDocumentMargin(1)
        self.document().setIndentWidth(LIST_INDENT)
        self.document().documentLayout().documentSizeChanged.connect(self._place_buttons)
        self.horizontalScrollBar().valueChanged.connect(self._place_buttons)
        self.anchorClicked.connect(self._open)
        # Where a link leads is shown before it is followed.
        self.highlighted.connect(lambda url: self.setToolTip(tip(address(url))))

    # --- content -------------------------------------------------------------------------

    def show_rendered(self, rendered: Rendered) -> None:
        """Replace what is shown."""
        self._drop_buttons()
        # Tab comes to links; a text without any is only read.
        linked = "<a " in rendered.html
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus if linked else Qt.FocusPolicy.ClickFocus)
        # For tables that are wider than the chat; everything else breaks into lines.
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        family = self._theme.monospace().family()
        self.document().setDefaultStyleSheet(css(self._theme.tokens, f"'{family}'"))
        self.setHtml(rendered.html)
        frames = sorted(self._frames(), key=lambda frame: frame.firstPosition())
        for frame, block in zip(frames, rendered.blocks, strict=False):
            if block.kind == "code":
                self._code.append((frame, block, self._code_buttons(block)))
        self._place_buttons()

    def show_plain(self, text: str) -> None:
        """Replace what is shown by text as it stands."""
        self._drop_buttons()
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setPlainText(revealed(text))

    def append_plain(self, text: str) -> None:
        """Add to plain text without laying out again what is there, keeping a selection."""
        cursor = QTextCursor(self.document())
        cursor.movePosition(QTextCursor.MoveOperation.End)
        cursor.insertText(revealed(text))

    def loadResource(self, kind: int, name: Any) -> Any:
        """Nothing a message names is ever loaded: no image, no style sheet, no file."""
        return None

    # --- marks ---------------------------------------------------------------------------

    @property
    def marked(self) -> int:
        """How many places are marked."""
        return len(self._places)

    @property
    def _places(self) -> list[tuple[int, int]]:
        """From where to where they stand, in the document's own counting."""
        if self._found_places is None:
            self._found_places = []
            if self._pattern is not None:
                text = self.document().toPlainText()
                self._found_places = _in_units(text, list(spans(text, self._pattern)))
        return self._found_places

    def mark(self, pattern: re.Pattern[str] | None) -> None:
        """Mark every place that a pattern finds in the words on the screen, folded as a search
        folds them. Looked for and drawn when the text comes into sight."""
        self._pattern, self._found_places = pattern, None
        self._meant, self._marks_due = None, True
        if pattern is None:
            self._show_marks()
        self.viewport().update()

    def set_found(self, number: int | None) -> QRect:
        """Show which of the marked places is the one meant; returns where it is."""
        self._meant, self._marks_due = number, True
        self.viewport().update()
        if number is None:
            return QRect()
        return self.cursorRect(self._cursor(self._places[number][0]))

    def _show_marks(self) -> None:
        self._marks_due = False
        self._shown_places = self._places_in_sight()
        tokens = self._theme.tokens
        shown: list[QTextEdit.ExtraSelection] = []
        for at in sorted({*self._shown_places, *([] if self._meant is None else [self._meant])}):
            start, end = self._places[at]
            selection = QTextEdit.ExtraSelection()
            look = QTextCharFormat()
            meant = at == self._meant
            look.setBackground(QColor(tokens.accent if meant else tokens.mark))
            look.setForeground(QColor(tokens.on_accent if meant else tokens.text))
            selection.cursor = self._cursor(start, end)
            selection.format = look
            shown.append(selection)
        if shown or self.extraSelections():
            self.setExtraSelections(shown)

    def _places_in_sight(self) -> range:
        """The numbers of the places to draw: all, or where there are many those around what is
        in sight. They move on by halves, so that a little scrolling leaves them as they are."""
        count = len(self._places)
        if count <= MOST_MARKED:
            return range(count)
        middle = self.cursorForPosition(self.visibleRegion().boundingRect().center()).position()
        step = MOST_MARKED // 2
        first = (bisect_left(self._places, (middle,)) // step) * step - step // 2
        first = max(0, min(first, count - MOST_MARKED))
        return range(first, first + MOST_MARKED)

    def _cursor(self, start: int, end: int | None = None) -> QTextCursor:
        cursor = QTextCursor(self.document())
        cursor.setPosition(start)
        if end is not None:
            cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
        return cursor

    # --- size ----------------------------------------------------------------------------

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        document = self.document()
        if document.textWidth() != width:
            document.setTextWidth(width)
        size = document.size()
        bar = self.horizontalScrollBar().sizeHint().height() if size.width() > width else 0
        return max(1, math.ceil(size.height())) + bar

    def sizeHint(self) -> QSize:
        width = self.width()
        return QSize(width, self.heightForWidth(width))

    def minimumSizeHint(self) -> QSize:
        return QSize(0, 0)

    # --- events --------------------------------------------------------------------------

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place_buttons()

    def focusNextPrevChild(self, forward: bool) -> bool:
        """From one link to the next, unless the keyboard is on a button."""
        if self.hasFocus():
            return super().focusNextPrevChild(forward)
        return QFrame.focusNextPrevChild(self, forward)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """The transcript scrolls, not the message."""
        event.ignore()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            # Where words are selected already, Shift selects more of them.
            extends = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
            extends = extends and not self.textCursor().hasSelection()
            self.pressed.emit(extends)
            if extends:
                return
        super().mousePressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        super().mouseReleaseEvent(event)
        self.released.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """What is to be copied is for the transcript to say, which knows more than one message."""
        keys = QKeySequence.StandardKey
        if event.matches(keys.Copy) or event.matches(keys.SelectAll):
            event.ignore()
        else:
            super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Without words selected, the menu is that of the message."""
        if self.textCursor().hasSelection() or self.anchorAt(event.pos()):
            super().contextMenuEvent(event)
        else:
            event.ignore()

    def unselect(self) -> None:
        """Select no words."""
        cursor = self.textCursor()
        if cursor.hasSelection():
            cursor.clearSelection()
            self.setTextCursor(cursor)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        super().mouseMoveEvent(event)
        if event.buttons() & Qt.MouseButton.LeftButton:
            self.dragged.emit(event.position().toPoint())

    def paintEvent(self, event: QPaintEvent) -> None:
        width = self.viewport().width()
        if self.document().textWidth() != width:
            # A layout asked last how high it would be at another width.
            self.document().setTextWidth(width)
        if self._marks_due or self._places_in_sight() != self._shown_places:
            self._show_marks()
        if self._code:
            self._paint_code_panels()
        super().paintEvent(event)

    # --- code blocks ---------------------------------------------------------------------

    def _paint_code_panels(self) -> None:
        tokens = self._theme.tokens
        painter = QPainter(self.viewport())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(self._theme.small())
        for frame, block, _ in self._code:
            rect = self._rect(frame)
            painter.setPen(QColor(tokens.border))
            painter.setBrush(QColor(tokens.code_background))
            painter.drawRoundedRect(rect.adjusted(0.5, 0.5, -0.5, -0.5), 8, 8)
            painter.setPen(QColor(tokens.muted))
            title = QRectF(rect.left() + 12, rect.top() + 2, rect.width() - 90, CODE_TOP - 4)
            painter.drawText(title, Qt.AlignmentFlag.AlignVCenter, block.language or "code")
        painter.end()

    def _code_buttons(self, block: Block) -> tuple[QToolButton, ...]:
        """What can be done to a block of code, from the right."""
        copy = self._button("copy", tr("Copy this code"))
        save = self._button("download-simple", tr("Save this code …"))

        def copied() -> None:
            QGuiApplication.clipboard().setText(block.text)
            self._theme.dress(copy, "check", "success")
            copy.setToolTip(tr("Copied"))

        copy.clicked.connect(copied)
        save.clicked.connect(lambda: self.save_wanted.emit(block.text, block.language))
        return copy, save

    def _button(self, icon: str, name: str) -> QToolButton:
        button = icon_button(self._theme, icon, name)
        button.setParent(self.viewport())
        button.setCursor(Qt.CursorShape.ArrowCursor)
        button.show()
        return button

    def _place_buttons(self) -> None:
        for frame, _, buttons in self._code:
            rect = self._rect(frame)
            right = round(rect.right())
            for button in buttons:
                right -= button.sizeHint().width() + 4
                button.move(right, round(rect.top()) + 5)

    def _drop_buttons(self) -> None:
        for _, _, buttons in self._code:
            for button in buttons:
                button.hide()
                button.deleteLater()
        self._code.clear()

    def _frames(self) -> list[QTextFrame]:
        found: list[QTextFrame] = []
        waiting = list(self.document().rootFrame().childFrames())
        while waiting:
            frame = waiting.pop()
            found.append(frame)
            waiting += frame.childFrames()
        return found

    def _rect(self, frame: QTextFrame) -> QRectF:
        """Where the panel of a code block is drawn, from the text within.

        `frameBoundingRect` is off by the cell's padding.
        """
        layout = self.document().documentLayout()
        first = layout.blockBoundingRect(frame.firstCursorPosition().block())
        last = layout.blockBoundingRect(frame.lastCursorPosition().block())
        panel = first.united(last).adjusted(-CODE_SIDE, -CODE_TOP, CODE_SIDE, CODE_SIDE)
        panel.translate(-self.horizontalScrollBar().value(), 0)
        panel.setRight(min(panel.right(), self.viewport().width() - 1))
        return panel

    def _open(self, url: QUrl) -> None:
        if not is_outside_link(url.toString()):
            return
        if not is_disguised(self._shown_as(url), url):
            QDesktopServices.openUrl(url)
            return
        confirm(
            self,
            tr("Open this address?"),
            tr(
                "The link leads to {address}, which is not what it seems to be.",
                address=shortened(address(url), 600, 1),
            ),
            tr("Open"),
            lambda: QDesktopServices.openUrl(url),
        )

    def _shown_as(self, url: QUrl) -> str:
        """The words of the links that lead there."""
        words = ""
        block = self.document().begin()
        while block.isValid():
            place = block.begin()
            while not place.atEnd():
                fragment = place.fragment()
                if QUrl(fragment.charFormat().anchorHref()) == url:
                    words += fragment.text()
                place += 1
            block = block.next()
        return words


def _in_units(text: str, places: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Places counted as Qt counts, which is in UTF-16."""
    if all(char <= "\uffff" for char in text):
        return places
    units = list(accumulate((1 + (char > "\uffff") for char in text), initial=0))
    return [(units[start], units[end]) for start, end in places]
