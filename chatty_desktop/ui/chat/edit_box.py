"""Writing a message of one's own anew, in the place where it stands."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from chatty_desktop.domain.attachments import Attachment
from chatty_desktop.ui.chat.files.row import FileRow
from chatty_desktop.ui.chat.input import MessageInput
from chatty_desktop.ui.chat.laid_aside import LaidAside, is_long
from chatty_desktop.ui.language import tr
from chatty_desktop.ui.pieces import caption, takes_escape
from chatty_desktop.ui.theme import Theme
from chatty_desktop.ui.tokens import S


class _Words(MessageInput):
    """Esc leaves."""

    left = Signal()

    def event(self, event: QEvent) -> bool:
        return takes_escape(event) or super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.left.emit()
        else:
            super().keyPressEvent(event)


class EditBox(QWidget):
    """The words to change, Send and Cancel.

    sent: the words to send in place of the old ones, with the files that are left in `attached`.
    cancelled: leave them. asked: what is to be done with a file.
    resized: its height is not what it was.

    was_sent: nothing has changed since the words were sent.
    """

    sent = Signal(str)
    asked = Signal(object)
    cancelled = Signal()
    resized = Signal()

    def __init__(
        self,
        text: str,
        files: Sequence[Attachment],
        theme: Theme,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.was_sent = False
        self.words = _Words()
        self.words.setAccessibleName(tr("Your message, to be changed"))
        self._aside = LaidAside(theme)
        self._aside.changed.connect(self._changed)
        self._aside.wanted.connect(self.words.insertPlainText)
        self.words.pasting = self._paste
        self.words.submitted.connect(self._send)
        self.words.left.connect(self.cancelled)
        self.words.textChanged.connect(self._changed)
        self.attached = FileRow(theme, removable=True, parent=self)
        self.attached.set_files(files)
        self.attached.asked.connect(self.asked)
        self.attached.changed.connect(self._changed)
        self.send = QPushButton(tr("Send"))
        self.send.setProperty("kind", "primary")
        self.send.clicked.connect(self._send)
        self.cancel = QPushButton(tr("Cancel"))
        self.cancel.clicked.connect(self.cancelled)
        hint = caption(theme, tr("What follows stays as another version."))
        hint.setWordWrap(True)
        buttons = QHBoxLayout()
        buttons.setSpacing(S)
        buttons.addWidget(hint, 1)
        buttons.addWidget(self.cancel)
        buttons.addWidget(self.send)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, S)
        column.setSpacing(S)
        column.addWidget(self.words)
        column.addWidget(self._aside)
        column.addWidget(self.attached)
        column.addLayout(buttons)
        if is_long(text):
            self._aside.set_texts([text])
        else:
            self.words.setPlainText(text)
        self._changed()

    @property
    def text(self) -> str:
        """What is to be sent."""
        parts = (self.words.toPlainText(), *self._aside.texts)
        return "\n\n".join(part for part in parts if part.strip()) if parts[1:] else parts[0]

    def begin(self) -> None:
        """The keyboard goes to the end of the words."""
        self.words.setFocus()
        self.words.moveCursor(self.words.textCursor().MoveOperation.End)

    def _changed(self) -> None:
        self.was_sent = False
        said = self.words.has_words() or bool(self._aside.texts)
        self.send.setEnabled(said or bool(self.attached.files))
        self.resized.emit()

    def _paste(self, text: str) -> bool:
        """Lay a long text aside; whether it was one."""
        if long := is_long(text):
            self._aside.add(text)
        return long

    def _send(self) -> None:
        text = self.text
        if text.strip() or self.attached.files:
            self.was_sent = True
            self.sent.emit(text)
