"""Where a message is written: grows with its text, sends on Enter, never while composing."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QFocusEvent, QInputMethodEvent, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QPlainTextEdit, QSizePolicy, QWidget

from chatty_desktop.ui.language import tr

_MOST_LINES = 9


class MessageInput(QPlainTextEdit):
    """Plain text of one to nine lines, scrolling beyond.

    submitted: Enter was pressed (without Shift, and not to an input method).
    focused: the keyboard came here, or left.
    """

    submitted = Signal()
    focused = Signal(bool)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._composing = False
        self.setProperty("bare", True)
        self.setTabChangesFocus(True)
        self.setPlaceholderText(tr("Write a message"))
        self.setAccessibleName(tr("Message"))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        self.document().setDocumentMargin(2)
        self.textChanged.connect(self._fit)
        self._fit()

    def sizeHint(self) -> QSize:
        return QSize(200, self.height())

    def minimumSizeHint(self) -> QSize:
        return QSize(80, self.height())

    def inputMethodEvent(self, event: QInputMethodEvent) -> None:
        self._composing = bool(event.preeditString())
        super().inputMethodEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if not enter:
            super().keyPressEvent(event)
        elif self._composing:
            # This Enter picks a candidate of the input method.
            event.ignore()
        elif event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            self.textCursor().insertText("\n")
            self.ensureCursorVisible()
        else:
            self.submitted.emit()

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.focused.emit(True)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.focused.emit(False)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """As high as the text, up to nine lines."""
        # Of a plain text document the size is in lines.
        lines = min(_MOST_LINES, max(1, round(self.document().size().height())))
        height = lines * self.fontMetrics().lineSpacing() + 8
        if height != self.height():
            self.setFixedHeight(height)
