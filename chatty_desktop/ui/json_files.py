"""Files of agents and graphs on disk: reading, writing whole or not at all, and asking where."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

from PySide6.QtCore import QIODevice, QSaveFile, QStandardPaths, Qt
from PySide6.QtWidgets import QFileDialog, QWidget

from chatty_desktop.domain.errors import Invalid, StorageFailed
from chatty_desktop.reading import LARGEST, NotPlain, TooLarge, read_text
from chatty_desktop.ui.language import tr, translated

Content = TypeVar("Content")


@dataclass(frozen=True)
class JsonFiles(Generic[Content]):
    """The files of one kind of thing. The texts are in the code's English: `kinds` names them for
    a dialog, `bring` is the title of the one that imports, `refused` says of {name} that it is none
    for the reason {error}. `called`: the file of a thing whose name no system takes."""

    kinds: str
    bring: str
    refused: str
    called: str
    from_text: Callable[[str], Content]
    to_text: Callable[[Content], str]

    async def read(self, file: Path) -> Content:
        """Read a file. Raises `Invalid` for what is none, `StorageFailed` where the file cannot be
        read; both name the file."""
        try:
            return self.from_text(await asyncio.to_thread(_read, file))
        except Invalid as error:
            raise Invalid(tr(self.refused, name=file.name, error=translated(str(error)))) from error

    async def write(self, file: Path, content: Content) -> None:
        """Write a file, replacing one of that name. Raises `StorageFailed`."""
        await asyncio.to_thread(_write, file, self.to_text(content))

    def file_name(self, name: str) -> str:
        """A file name for a name that every system takes."""
        plain = re.sub(r"[^\w-]+", "_", name.casefold()).strip("_")
        return f"{plain[:80] or self.called}.json"

    def ask_what_to_read(self, parent: QWidget, chosen: Callable[[Path], None]) -> QFileDialog:
        """Ask for a file to import; `chosen` is called with it, or never."""
        dialog = QFileDialog(parent, tr(self.bring), _documents(), tr(self.kinds))
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        return _open(dialog, chosen)

    def ask_where_to_write(
        self, parent: QWidget, name: str, chosen: Callable[[Path], None]
    ) -> QFileDialog:
        """Ask for a place to export what is called `name` to; `chosen` is called with it, or
        never."""
        title = tr("Export {name}", name=name)
        dialog = QFileDialog(parent, title, _documents(), tr(self.kinds))
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix("json")
        dialog.selectFile(self.file_name(name))
        return _open(dialog, chosen)


def _open(dialog: QFileDialog, chosen: Callable[[Path], None]) -> QFileDialog:
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.fileSelected.connect(lambda file: chosen(Path(file)))
    dialog.open()
    return dialog


def _documents() -> str:
    return QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DocumentsLocation)


def _read(file: Path) -> str:
    try:
        return read_text(file)
    except NotPlain as error:
        raise Invalid(tr("It is no plain file.")) from error
    except TooLarge as error:
        raise Invalid(tr("It is larger than {size} MB.", size=LARGEST // 1_000_000)) from error
    except UnicodeDecodeError as error:
        raise Invalid(tr("It is not UTF-8 text.")) from error
    except OSError as error:
        raise StorageFailed(
            tr("{file} could not be read: {reason}.", file=file, reason=error.strerror or error)
        ) from error


def _write(file: Path, text: str) -> None:
    saved = QSaveFile(str(file))
    written = text.encode()
    opened = saved.open(QIODevice.OpenModeFlag.WriteOnly)
    if not opened or saved.write(written) != len(written) or not saved.commit():
        raise StorageFailed(
            tr(
                "{file} could not be written: {reason}. What was there is unharmed; choose another"
                " place.",
                file=file,
                reason=saved.errorString(),
            )
        )
