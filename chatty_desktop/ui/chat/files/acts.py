"""What is done with the files of messages: shown, opened, saved, copied."""

from __future__ import annotations

import asyncio
from pathlib import Path

from PySide6.QtCore import QByteArray, QObject, QSize, QStandardPaths, Qt, Signal
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtWidgets import QFileDialog, QWidget

from chatty_desktop.domain.attachments import Attachment
from chatty_desktop.domain.errors import Invalid, StorageFailed
from chatty_desktop.domain.events import Notice
from chatty_desktop.engine.ports import MessageLog
from chatty_desktop.ui.chat.asked import WantPicture, WithFile
from chatty_desktop.ui.chat.files.window import FileWindow
from chatty_desktop.ui.language import tr
from chatty_desktop.ui.tasks import Tasks
from chatty_desktop.ui.theme import Theme


class FileActs(QObject):
    """Reads files where a message or a draft keeps them, off the event loop.

    noticed: something to tell (a `Notice`).
    """

    noticed = Signal(object)

    def __init__(self, messages: MessageLog, theme: Theme, tasks: Tasks, parent: QWidget) -> None:
        super().__init__(parent)
        self._messages = messages
        self._theme = theme
        self._tasks = tasks
        self._over = parent

    def take(self, asked: WithFile | WantPicture) -> None:
        """Do what is asked."""
        match asked:
            case WantPicture():
                self._tasks.start(self._picture(asked))
            case WithFile(act="open"):
                self._tasks.start(self._open(asked.file))
            case WithFile(act="copy"):
                self._tasks.start(self._copy(asked.file))
            case WithFile():
                self.ask_where_to_save(asked.file)

    def ask_where_to_save(self, file: Attachment) -> QFileDialog:
        """Ask for a place, and write the file there."""
        place = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DocumentsLocation)
        dialog = QFileDialog(self._over, tr("Save file"), place)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.fileSelected.connect(lambda name: self._tasks.start(self._save(file, Path(name))))
        dialog.selectFile(_kept_name(file))
        dialog.open()
        return dialog

    async def _picture(self, asked: WantPicture) -> None:
        data = await self._messages.file_bytes(asked.file.digest)
        image = await asyncio.to_thread(_image, data or b"", asked.room)
        try:
            asked.take(image)
        except RuntimeError:  # its message is no longer drawn
            return

    async def _open(self, file: Attachment) -> None:
        content = await self._content(file)
        window = FileWindow(file, content, self._theme, self._over)
        window.copy_wanted.connect(lambda: self._tasks.start(self._copy(file)))
        window.save_wanted.connect(lambda: self.ask_where_to_save(file))
        window.show()

    async def _copy(self, file: Attachment) -> None:
        content = await self._content(file)
        if isinstance(content, QImage):
            QGuiApplication.clipboard().setImage(content)
        else:
            QGuiApplication.clipboard().setText(content)

    async def _save(self, file: Attachment, place: Path) -> None:
        data = await self._messages.file_bytes(file.digest)
        if data is None:
            raise _gone(file)
        try:
            await asyncio.to_thread(place.write_bytes, data)
        except OSError as error:
            raise StorageFailed(f"{place} cannot be written: {error.strerror or error}.") from error
        self.noticed.emit(Notice("info", tr("Written to {file}.", file=place)))

    async def _content(self, file: Attachment) -> QImage | str:
        content = (await self._messages.contents([file.digest])).get(file.digest)
        if content is None:
            raise _gone(file)
        if isinstance(content, str):
            return content
        return await asyncio.to_thread(_image, content, None)


def _image(data: bytes, room: QSize | None) -> QImage:
    image = QImage.fromData(QByteArray(data))
    if room is None or image.isNull():
        return image
    return image.scaled(
        room,
        Qt.AspectRatioMode.KeepAspectRatioByExpanding,
        Qt.TransformationMode.SmoothTransformation,
    )


def _kept_name(file: Attachment) -> str:
    """Its name, with the ending of what it is kept as."""
    ending = {"image/png": ".png", "image/jpeg": ".jpg"}.get(file.media_type)
    known = {".png": (".png",), ".jpg": (".jpg", ".jpeg")}.get(ending or "", ())
    if ending is None or file.name.lower().endswith(known):
        return file.name
    return f"{Path(file.name).stem}{ending}"


def _gone(file: Attachment) -> Invalid:
    return Invalid(f"{file.name} is no longer there.")
