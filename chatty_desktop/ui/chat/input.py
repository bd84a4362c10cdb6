"""Where a message is written: grows with its text, sends by key, never while composing."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QMimeData, QSize, Qt, Signal
from PySide6.QtGui import QFocusEvent, QInputMethodEvent, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QPlainTextEdit, QSizePolicy, QWidget

from chatty_desktop.domain.settings import SendWith
from chatty_desktop.ui.language import tr

_MOST_LINES = 9


class MessageInput(QPlainTextEdit):
    """Plain text of one to nine lines, scrolling beyond.

    Which key sends is the property `send_with` of the nearest widget above that has one: "enter",
    which it is without any, or "ctrl_enter". The other one, and Shift+Enter, begin a new line.

    submitted: the key that sends was pressed (and not to an input method).
    focused: the keyboard came here, or left.
    step: called with 1 for Up and -1 for Down, in an empty text or at the end of one; whether it
    took the key.
    pasting: called with a text that is pasted; whether it took it.
    attaching: called with what is pasted or dropped before it is taken for text; whether it took
    it.
    """

    submitted = Signal()
    focused = Signal(bool)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._composing = False
        self.step: Callable[[int], bool] = lambda _by: False
        self.pasting: Callable[[str], bool] = lambda _text: False
        self.attaching: Callable[[QMimeData], bool] | None = None
        self.setProperty("bare", True)
        self.setTabChangesFocus(True)
        self.setPlaceholderText(tr("Write a message"))
        self.setAccessibleName(tr("Message"))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.document().setDocumentMargin(2)
        # Also when it wraps elsewhere for another width.
        self.document().documentLayout().documentSizeChanged.connect(self._fit)
        self._fit()

    def put(self, text: str) -> None:
        """Put a text in the place of what is written, the cursor at its end; it can be undone."""
        cursor = self.textCursor()
        cursor.select(cursor.SelectionType.Document)
        cursor.insertText(text)
        self.setTextCursor(cursor)
        self.ensureCursorVisible()

    def has_words(self) -> bool:
        """Whether anything but space is written."""
        block = self.document().begin()
        while block.isValid():
            if block.text().strip():
                return True
            block = block.next()
        return False

    def sizeHint(self) -> QSize:
        return QSize(200, self.height())

    def minimumSizeHint(self) -> QSize:
        return QSize(80, self.height())

    def inputMethodEvent(self, event: QInputMethodEvent) -> None:
        self._composing = bool(event.preeditString())
        super().inputMethodEvent(event)

    def canInsertFromMimeData(self, source: QMimeData) -> bool:
        with_files = self.attaching is not None and (source.hasImage() or source.hasUrls())
        return with_files or super().canInsertFromMimeData(source)

    def insertFromMimeData(self, source: QMimeData) -> None:
        if self.attaching is not None and self.attaching(source):
            return
        if not (source.hasText() and self.pasting(source.text())):
            super().insertFromMimeData(source)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = event.key()
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._enter(event)
        elif key in (Qt.Key.Key_Up, Qt.Key.Key_Down) and self._steps(event):
            event.accept()
        else:
            super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.focused.emit(True)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.focused.emit(False)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _enter(self, event: QKeyEvent) -> None:
        modifiers = event.modifiers()
        shift = bool(modifiers & Qt.KeyboardModifier.ShiftModifier)
        control = bool(modifiers & Qt.KeyboardModifier.ControlModifier)
        if self._composing:
            # This Enter picks a candidate of the input method.
            event.ignore()
        elif shift or not (control or _send_with(self) == "enter"):
            self.textCursor().insertText("\n")
            self.ensureCursorVisible()
        else:
            self.submitted.emit()

    def _steps(self, event: QKeyEvent) -> bool:
        """Whether this key goes through what was sent before."""
        # The keys of a keypad and of a Mac's arrows carry a mark of their own.
        held = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        cursor = self.textCursor()
        if held or self._composing or cursor.hasSelection() or not cursor.atEnd():
            return False
        return self.step(1 if event.key() == Qt.Key.Key_Up else -1)

    def _fit(self) -> None:
        """As high as the text, up to nine lines."""
        # Of a plain text document the size is in lines.
        lines = min(_MOST_LINES, max(1, round(self.document().size().height())))
        height = lines * self.fontMetrics().lineSpacing() + 8
        if height != self.height():
            self.setFixedHeight(height)


def _send_with(widget: QWidget) -> SendWith:
    above: QWidget | None = widget
    while above is not None:
        if found := above.property("send_with"):
            return "ctrl_enter" if found == "ctrl_enter" else "enter"
        above = above.parentWidget()
    return "enter"
