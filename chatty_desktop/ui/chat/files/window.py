"""A file of a message in a window of its own: an image as large as fits, a text to read."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QImage, QPainter, QPaintEvent, QTextOption
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QPlainTextEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from chatty_desktop.domain.attachments import Attachment
from chatty_desktop.domain.hidden import revealed
from chatty_desktop.ui.chat.files.chip import told_size
from chatty_desktop.ui.chat.laid_aside import is_long
from chatty_desktop.ui.language import number, tr
from chatty_desktop.ui.pieces import caption
from chatty_desktop.ui.theme import Theme
from chatty_desktop.ui.tokens import L, S

MOST_CHARS = 200_000
"""Of a text that is shown: Qt lays all of it out."""


class _Picture(QWidget):
    """An image, scaled down to the room and never up."""

    def __init__(self, image: QImage, name: str) -> None:
        super().__init__()
        self._image = image
        self.setMinimumSize(160, 120)
        self.setAccessibleName(name)

    def sizeHint(self) -> QSize:
        return self._image.size()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        size = self._image.size()
        if size.width() > self.width() or size.height() > self.height():
            size = size.scaled(self.size(), Qt.AspectRatioMode.KeepAspectRatio)
        left, top = (self.width() - size.width()) // 2, (self.height() - size.height()) // 2
        painter.drawImage(self.rect().adjusted(left, top, -left, -top), self._image)
        painter.end()


class FileWindow(QDialog):
    """save_wanted, copy_wanted: by the buttons below."""

    save_wanted = Signal()
    copy_wanted = Signal()

    def __init__(
        self, file: Attachment, content: QImage | str, theme: Theme, parent: QWidget
    ) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(revealed(file.name))
        about = told_size(file)
        self.text: QPlainTextEdit | None = None
        shown: QWidget
        if isinstance(content, QImage):
            shown = _Picture(content, file.name)
        else:
            shown = self.text = QPlainTextEdit()
            if is_long(content):
                # Looking for words to break at takes seconds in a line that has none.
                self.text.setWordWrapMode(QTextOption.WrapMode.WrapAnywhere)
            self.text.setReadOnly(True)
            self.text.setFont(theme.monospace())
            self.text.setAccessibleName(file.name)
            self.text.setPlainText(content[:MOST_CHARS])
            if len(content) > MOST_CHARS:
                about += " · " + tr("the first {count} are shown", count=number(MOST_CHARS))
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        copy = QPushButton(tr("Copy image") if self.text is None else tr("Copy text"))
        save = QPushButton(tr("Save as …"))
        theme.dress(copy, "copy", "muted")
        theme.dress(save, "download-simple", "muted")
        for button, wanted in ((copy, self.copy_wanted), (save, self.save_wanted)):
            button.setAutoDefault(False)
            button.clicked.connect(wanted)
            buttons.addButton(button, QDialogButtonBox.ButtonRole.ActionRole)
        buttons.rejected.connect(self.reject)
        column = QVBoxLayout(self)
        column.setContentsMargins(L, L, L, L)
        column.setSpacing(S)
        column.addWidget(caption(theme, about))
        column.addWidget(shown, 1)
        column.addWidget(buttons)
        room = self.screen().availableSize() * 0.8
        self.resize(self.sizeHint().expandedTo(QSize(560, 420)).boundedTo(room))
