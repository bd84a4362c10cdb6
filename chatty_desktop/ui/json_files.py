"""Files of agents and graphs on disk: reading, writing whole or not at all, and asking where."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QIODevice, QSaveFile, QStandardPaths, Qt
from PySide6.QtWidgets import QFileDialog, QWidget

from chatty_desktop.domain.errors import Invalid, StorageFailed
from chatty_desktop.ui.language import tr

LARGEST_BYTES = 5_000_000


async def read(file: Path) -> str:
    """The text of a file. Raises `Invalid`, saying of "it" why it is none, or `StorageFailed`
    naming the file that cannot be read."""
    return await asyncio.to_thread(_read, file)


async def write(file: Path, text: str) -> None:
    """Write a file, replacing one of that name. Raises `StorageFailed`."""
    await asyncio.to_thread(_write, file, text)


def file_name(name: str, otherwise: str) -> str:
    """A file name for a name that every system takes; `otherwise` where no letter of it is left."""
    plain = re.sub(r"[^\w-]+", "_", name.casefold()).strip("_")
    return f"{plain[:80] or otherwise}.json"


def ask_what_to_read(
    parent: QWidget, title: str, kinds: str, chosen: Callable[[Path], None]
) -> QFileDialog:
    """Ask for a file to import; `chosen` is called with it, or never."""
    dialog = QFileDialog(parent, title, _documents(), kinds)
    dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
    return _open(dialog, chosen)


def ask_where_to_write(
    parent: QWidget, title: str, kinds: str, name: str, chosen: Callable[[Path], None]
) -> QFileDialog:
    """Ask for a place to export to, a file `name` by default; `chosen` is called with it, or
    never."""
    dialog = QFileDialog(parent, title, _documents(), kinds)
    dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    dialog.setDefaultSuffix("json")
    dialog.selectFile(name)
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
        size = file.stat().st_size
        if size > LARGEST_BYTES:
            raise Invalid(tr("It holds {size} MB.", size=size // 1000000))
        return file.read_text(encoding="utf-8-sig")
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
