"""Files come to what is being written: by the button, pasted, or dropped."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

from PySide6.QtCore import QBuffer, QByteArray, QEvent, QIODevice, QMimeData, QObject, Qt
from PySide6.QtGui import QDropEvent, QImage
from PySide6.QtWidgets import QFileDialog, QWidget

from chatty_desktop.domain.attachments import MOST_FILES, AttachedFile
from chatty_desktop.domain.errors import ChattyError, Invalid
from chatty_desktop.domain.events import Notice
from chatty_desktop.engine.ports import Drafts, FileReading
from chatty_desktop.ui.chat.composer import Composer
from chatty_desktop.ui.language import tr, translated
from chatty_desktop.ui.tasks import Tasks


class AttachingFiles(QObject):
    """Reads files into the draft of the chat that is open (`place`, None on the empty page), from
    which the composer shows them; `tell` hears of those that cannot be attached."""

    def __init__(
        self,
        composer: Composer,
        *,
        reading: FileReading,
        drafts: Drafts,
        place: Callable[[], str | None],
        tell: Callable[[Notice], None],
        tasks: Tasks,
        parent: QWidget,
    ) -> None:
        super().__init__(parent)
        self._composer = composer
        self._reading = reading
        self._drafts = drafts
        self._place = place
        self._tell = tell
        self._tasks = tasks
        self._over = parent
        # One after the other, so that they stand in the order in which they came.
        self._turn = asyncio.Lock()
        composer.input.attaching = self.take
        composer.attach_wanted.connect(self.ask)
        parent.setAcceptDrops(True)
        parent.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Files may be dropped anywhere on the pane."""
        if isinstance(event, QDropEvent) and event.type() in (
            QEvent.Type.DragEnter,
            QEvent.Type.DragMove,
            QEvent.Type.Drop,
        ):
            if not can_take(event.mimeData()):
                return False
            event.acceptProposedAction()
            if event.type() == QEvent.Type.Drop:
                self.take(event.mimeData())
            return True
        return super().eventFilter(watched, event)

    def ask(self) -> QFileDialog:
        """Ask which files."""
        dialog = QFileDialog(self._over, tr("Attach files"))
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setFileMode(QFileDialog.FileMode.ExistingFiles)
        dialog.filesSelected.connect(self.attach)
        dialog.open()
        return dialog

    def attach(self, names: Sequence[str]) -> None:
        """Attach files of the disk."""
        read = [self._reader(Path(name)) for name in names]
        self._tasks.start(self._attach_and_tell(self._place(), read))

    async def attach_text(self, text: str, name: str) -> None:
        """Attach a text that is no file of the disk. Raises `Invalid` when it cannot be."""
        data = text.encode(errors="replace")
        problems = await self._attach(self._place(), [lambda: self._reading.data(data, name)])
        if problems:
            raise Invalid(" ".join(problems))

    def take(self, source: QMimeData) -> bool:
        """Attach what was pasted or dropped; False when there is nothing in it but text."""
        if not can_take(source):
            return False
        local = [url.toLocalFile() for url in source.urls() if url.isLocalFile()]
        if local:
            self.attach(local)
        else:
            image = QImage(source.imageData())
            self._tasks.start(self._attach_and_tell(self._place(), [self._pasted(image)]))
        return True

    def _reader(self, path: Path) -> Callable[[], Awaitable[AttachedFile]]:
        return lambda: self._reading.file(path)

    def _pasted(self, image: QImage) -> Callable[[], Awaitable[AttachedFile]]:
        async def read() -> AttachedFile:
            data = await asyncio.to_thread(_as_png, image)
            return await self._reading.data(data, tr("Pasted image.png"))

        return read

    async def _attach_and_tell(
        self, place: str | None, read: Sequence[Callable[[], Awaitable[AttachedFile]]]
    ) -> None:
        if problems := await self._attach(place, read):
            self._tell(Notice("warning", " ".join(problems), place))

    async def _attach(
        self, place: str | None, read: Sequence[Callable[[], Awaitable[AttachedFile]]]
    ) -> list[str]:
        """Why some cannot be, in the window's language."""
        problems: list[str] = []
        self._composer.set_reading(+1)
        try:
            async with self._turn:
                for number, each in enumerate(read):
                    if len(self._drafts.files(place)) >= MOST_FILES:
                        left = len(read) - number
                        problems.append(
                            tr(
                                "A message takes {most} files at most: {count} more are left out.",
                                most=MOST_FILES,
                                count=left,
                            )
                        )
                        break
                    try:
                        await self._drafts.attach(place, await each())
                    except ChattyError as problem:
                        problems.append(translated(str(problem)))
                    if place == self._place():
                        self._composer.set_files(self._drafts.files(place))
        finally:
            self._composer.set_reading(-1)
        return problems


def can_take(source: QMimeData) -> bool:
    """Whether there are files in what is pasted or dropped, or an image that is no picture of its
    text, as offices bring one along."""
    if any(url.isLocalFile() for url in source.urls()):
        return True
    return source.hasImage() and not source.hasText()


def _as_png(image: QImage) -> bytes:
    data = QByteArray()
    into = QBuffer(data)
    into.open(QIODevice.OpenModeFlag.WriteOnly)
    image.save(into, "PNG")  # type: ignore[call-overload]
    return bytes(data.data())
