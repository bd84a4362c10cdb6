"""The text of one message: selectable, never scrolling by itself, loading nothing."""

from __future__ import annotations

import math
from typing import Any

from PySide6.QtCore import QEvent, QPoint, QSize, Qt, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPaintEvent,
    QTextCursor,
    QWheelEvent,
)
from PySide6.QtWidgets import QFrame, QSizePolicy, QTextBrowser, QWidget

from chatty_desktop.domain.hidden import revealed
from chatty_desktop.ui.chat.code_panels import CodePanels
from chatty_desktop.ui.chat.found_marks import FoundMarks
from chatty_desktop.ui.chat.links import address, follow
from chatty_desktop.ui.chat.markdown import (
    LIST_INDENT,
    Rendered,
    css,
)
from chatty_desktop.ui.language import tr
from chatty_desktop.ui.plain import tip
from chatty_desktop.ui.theme import Theme


class MessageBody(QTextBrowser):
    """Draws rendered Markdown, or plain text that grows at its end while it streams.

    said: the Markdown that is drawn, for whoever has it drawn.
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
        self.said = ""
        # A layout asks for one width and another in turn, and laying out a long text takes long.
        self._heights: dict[int, int] = {}
        self._theme = theme
        self.panels = CodePanels(self, theme, self.save_wanted.emit)
        self.marks = FoundMarks(self, theme)
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
        self.document().contentsChanged.connect(self._heights.clear)
        self.anchorClicked.connect(lambda url: follow(self, url))
        # Where a link leads is shown before it is followed.
        self.highlighted.connect(lambda url: self.setToolTip(tip(address(url))))

    # --- content -------------------------------------------------------------------------

    def show_rendered(self, rendered: Rendered) -> None:
        """Replace what is shown."""
        self.panels.clear()
        # Tab comes to links; a text without any is only read.
        linked = "<a " in rendered.html
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus if linked else Qt.FocusPolicy.ClickFocus)
        # For tables that are wider than the chat; everything else breaks into lines.
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        family = self._theme.monospace().family()
        self.document().setDefaultStyleSheet(css(self._theme.tokens, f"'{family}'"))
        self.setHtml(rendered.html)
        self.panels.show(rendered.blocks)

    def show_plain(self, text: str) -> None:
        """Replace what is shown by text as it stands."""
        self.panels.clear()
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

    # --- size ----------------------------------------------------------------------------

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        if width not in self._heights:
            self._heights[width] = self._height_at(width)
        return self._heights[width]

    def _height_at(self, width: int) -> int:
        document = self.document()
        if document.textWidth() != width:
            document.setTextWidth(width)
        if document.textWidth() != width:
            # It was the first layout of all, to which Qt adjusts the scroll bars, and that lays the
            # text out for the width that the body has.
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

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._heights.clear()

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
        self.marks.draw_due()
        self.panels.paint()
        super().paintEvent(event)
