"""One attached file: a thumbnail or an icon, its name, its size."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QContextMenuEvent,
    QImage,
    QKeyEvent,
    QPainter,
    QPainterPath,
    QPaintEvent,
    QShowEvent,
)
from PySide6.QtWidgets import QHBoxLayout, QLabel, QMenu, QVBoxLayout, QWidget

from chatty_desktop.domain.attachments import Attachment
from chatty_desktop.ui.chat.asked import WantPicture, WithFile
from chatty_desktop.ui.elided import ElidedLabel
from chatty_desktop.ui.language import number, tr
from chatty_desktop.ui.pieces import Card, IconLabel, caption, icon_button
from chatty_desktop.ui.plain import tip
from chatty_desktop.ui.readable import size
from chatty_desktop.ui.theme import Theme
from chatty_desktop.ui.tokens import XS, S

WIDEST = 260
THUMBNAIL = 40
"""Pixels of a side beside a name."""

LARGE = QSize(240, 180)
"""Of an image in the transcript, at most."""


class Thumbnail(QWidget):
    """An image with round corners, asked for once it is seen."""

    def __init__(self, room: QSize, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._image = QImage()
        self.setFixedSize(room)

    def show_image(self, image: QImage) -> None:
        """Draw this; one that is null leaves the place empty."""
        self._image = image
        self.update()

    @property
    def image(self) -> QImage:
        return self._image

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        path = QPainterPath()
        path.addRoundedRect(self.rect(), 6, 6)
        painter.setClipPath(path)
        painter.fillPath(path, QColor(self._theme.tokens.raised))
        if not self._image.isNull():
            # Fills the place; what is too long in one direction is cut at both ends.
            whole = self._image.size()
            part = QSize(self.size()).scaled(whole, Qt.AspectRatioMode.KeepAspectRatio)
            left = (whole.width() - part.width()) // 2
            top = (whole.height() - part.height()) // 2
            source = self._image.rect().adjusted(left, top, -left, -top)
            painter.drawImage(self.rect(), self._image, source)
        painter.end()


class FileChip(Card):
    """Pressed, it opens the file; its menu saves it, and copies an image.

    `large`: an image is shown large, without its name, as in the transcript. `removable`: it can
    be taken away, by its button or by Del.

    asked: what is to be done with the file. removed: it is to go.
    """

    asked = Signal(object)
    removed = Signal()

    def __init__(self, file: Attachment, theme: Theme, *, large: bool, removable: bool) -> None:
        super().__init__()
        self.file = file
        self._theme = theme
        self._removable = removable
        self.picture: Thumbnail | None = None
        self._wants_picture = file.is_image
        if large:
            # On the card of a message, which is raised already.
            self.setProperty("panel", "choice")
        about = told_size(file)
        self.setAccessibleName(f"{file.name}, {about}")
        self.setToolTip(tip(f"{file.name}\n{about}"))
        self.pressed.connect(lambda: self.asked.emit(WithFile(file, "open")))
        if file.is_image and large:
            shown = QSize(max(1, file.width), max(1, file.height))
            if shown.width() > LARGE.width() or shown.height() > LARGE.height():
                shown = shown.scaled(LARGE, Qt.AspectRatioMode.KeepAspectRatio)
            self.picture = Thumbnail(shown.expandedTo(QSize(48, 48)), theme)
            self.column.setContentsMargins(XS, XS, XS, XS)
            self.column.addWidget(self.picture)
        else:
            self.column.setContentsMargins(XS, XS, S, XS)
            self.column.addLayout(self._row(about))
        self.setMaximumWidth(WIDEST)

    def _row(self, about: str) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(S)
        if self.file.is_image:
            self.picture = Thumbnail(QSize(THUMBNAIL, THUMBNAIL), self._theme)
            row.addWidget(self.picture)
        else:
            pdf = self.file.media_type == "application/pdf"
            icon = IconLabel(self._theme, "file-pdf" if pdf else "file-text")
            icon.setFixedSize(THUMBNAIL * 3 // 4, THUMBNAIL)
            icon.setAlignment(Qt.AlignmentFlag.AlignCenter)
            row.addWidget(icon)
        words = QVBoxLayout()
        words.setSpacing(0)
        name: QLabel = ElidedLabel(self.file.name)
        words.addStretch(1)
        words.addWidget(name)
        words.addWidget(caption(self._theme, about))
        words.addStretch(1)
        row.addLayout(words, 1)
        if self._removable:
            remove = icon_button(self._theme, "x", tr("Remove {name}", name=self.file.name))
            remove.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
            remove.clicked.connect(self.removed)
            row.addWidget(remove)
        return row

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._wants_picture and self.picture is not None:
            self._wants_picture = False
            self.asked.emit(WantPicture(self.file, self.picture.size() * 2, self.take_picture))

    def take_picture(self, image: QImage) -> None:
        """Show what was asked for."""
        if self.picture is not None:
            self.picture.show_image(image)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        gone = (Qt.Key.Key_Delete, Qt.Key.Key_Backspace)
        if self._removable and event.key() in gone:
            self.removed.emit()
        elif event.key() == Qt.Key.Key_Menu:
            self._open_menu(self.mapToGlobal(self.rect().bottomLeft()))
        else:
            super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        self._open_menu(event.globalPos())
        event.accept()

    def menu(self) -> QMenu:
        """What can be done with the file."""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        kinds = [("open", tr("Open"), "eye"), ("save", tr("Save as …"), "download-simple")]
        kinds.append(
            ("copy", tr("Copy image"), "copy")
            if self.file.is_image
            else ("copy", tr("Copy text"), "copy")
        )
        for act, words, icon in kinds:
            action = menu.addAction(words)
            self._theme.dress(action, icon, "muted")
            action.triggered.connect(
                lambda _checked=False, act=act: self.asked.emit(WithFile(self.file, act))
            )
        if self._removable:
            menu.addSeparator()
            action = menu.addAction(tr("Remove"))
            self._theme.dress(action, "x", "muted")
            action.triggered.connect(self.removed)
        return menu

    def _open_menu(self, at: QPoint) -> None:
        self.menu().popup(at)


def told_size(file: Attachment) -> str:
    """How much it is: bytes, and pixels or characters."""
    if file.is_image:
        return f"{file.width} × {file.height} · {size(file.size)}"
    return tr("{size} · {count} characters", size=size(file.size), count=number(file.chars))
