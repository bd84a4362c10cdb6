"""Files of chats on disk: an export of another program, a chat of our own, a zip of either."""

from __future__ import annotations

import asyncio
import lzma
import struct
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QIODevice, QSaveFile, QStandardPaths, Qt
from PySide6.QtWidgets import QFileDialog, QWidget

from chatty_desktop.domain.errors import Invalid, StorageFailed
from chatty_desktop.domain.exporting import file_stem
from chatty_desktop.engine.exchange import ExportKind
from chatty_desktop.reading import NotPlain, read_text, require_plain
from chatty_desktop.ui.language import N_, number, tr

_BAD_ZIP = (
    OSError,
    zipfile.BadZipFile,
    NotImplementedError,
    RuntimeError,  # one with a password
    EOFError,
    ValueError,
    struct.error,
    zlib.error,
    lzma.LZMAError,
)
"""What reading a zip that is damaged, or of a kind that is not known, raises."""

MOST_UNFOLDED = 200
"""Times its size that a chat may unpack to; JSON does so twenty times."""

LARGEST_BYTES = 1_500_000_000
"""Of what a file holds: it is read into memory."""

KINDS: tuple[tuple[ExportKind, str], ...] = (
    ("md", N_("To read, as Markdown (*.md)")),
    ("html", N_("To read, as a web page (*.html)")),
    ("json", N_("Everything, to import again (*.json)")),
)


async def read_chat_file(file: Path) -> list[str]:
    """The texts in a file: one, or those of the chats in a zip. Raises `Invalid` for what is no
    such file, `StorageFailed` where it cannot be read; both name the file."""
    return await asyncio.to_thread(_read, file)


async def write_chat_file(file: Path, text: str) -> None:
    """Write a file, replacing one of that name, whole or not at all. Raises `StorageFailed`."""
    await asyncio.to_thread(_write, file, text)


def ask_what_to_import(parent: QWidget, chosen: Callable[[Path], None]) -> QFileDialog:
    """Ask for a file to import chats from; `chosen` is called with it, or never."""
    wanted = tr("Chats (*.json *.zip);;All files (*)")
    dialog = QFileDialog(parent, tr("Import chats"), _documents(), wanted)
    dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.fileSelected.connect(lambda file: chosen(Path(file)))
    dialog.open()
    return dialog


def ask_where_to_export(
    parent: QWidget, title: str, session_id: str, chosen: Callable[[Path, ExportKind], None]
) -> QFileDialog:
    """Ask for a place to write a chat to; `chosen` is called with it and the kind (of `KINDS`),
    or never."""
    filters = [tr(text) for _kind, text in KINDS]
    dialog = QFileDialog(parent, tr("Export chat"), _documents(), ";;".join(filters))
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    stem = file_stem(title, session_id)

    def kind() -> ExportKind:
        return KINDS[filters.index(dialog.selectedNameFilter())][0]

    def follow() -> None:
        dialog.setDefaultSuffix(kind())

    def take(name: str) -> None:
        file = Path(name)
        ending = file.suffix.removeprefix(".").lower()
        chosen(file, next((each for each, _text in KINDS if each == ending), kind()))

    dialog.filterSelected.connect(follow)
    dialog.fileSelected.connect(take)
    follow()
    dialog.selectFile(stem)
    dialog.open()
    return dialog


def ask_where_to_write(
    parent: QWidget, title: str, stem: str, ending: str, chosen: Callable[[Path], object]
) -> QFileDialog:
    """Ask for a place to write a file of that ending to; `chosen` is called with it, or never."""
    dialog = QFileDialog(parent, title, _documents(), f"*.{ending}")
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    dialog.setDefaultSuffix(ending)
    dialog.fileSelected.connect(lambda name: chosen(Path(name)))
    dialog.selectFile(f"{stem}.{ending}")
    dialog.open()
    return dialog


def _documents() -> str:
    return QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DocumentsLocation)


def _read(file: Path) -> list[str]:
    try:
        size = require_plain(file)
        if zipfile.is_zipfile(file):
            return _read_zip(file)
        if size > LARGEST_BYTES:
            raise _too_large(file, size)
        return [read_text(file, LARGEST_BYTES)]
    except NotPlain as error:
        raise Invalid(tr("{name} holds no chats: it is no plain file.", name=file.name)) from error
    except UnicodeDecodeError as error:
        raise Invalid(tr("{name} holds no chats: it is not UTF-8 text.", name=file.name)) from error
    except _BAD_ZIP as error:
        raise StorageFailed(
            tr("{file} could not be read: {reason}.", file=file, reason=error)
        ) from error


def _read_zip(file: Path) -> list[str]:
    """The `conversations.json` of another program, or every chat of an export of our own."""
    with zipfile.ZipFile(file) as archive:
        members = [
            member
            for member in archive.infolist()
            if member.filename.rsplit("/", 1)[-1] == "conversations.json"
        ][:1] or [
            member
            for member in archive.infolist()
            if member.filename.startswith("chats/") and member.filename.endswith(".json")
        ]
        size = sum(member.file_size for member in members)
        packed = sum(member.compress_size for member in members)
        # What they are packed to is all within the file: entries that lie over each other are not.
        if size > LARGEST_BYTES or packed > require_plain(file) or size > MOST_UNFOLDED * packed:
            raise _too_large(file, size)
        if not members:
            raise Invalid(
                tr(
                    "There are no chats in {name}: neither a conversations.json, nor chats that"
                    " Chatty Desktop exported.",
                    name=file.name,
                )
            )
        return [archive.read(member).decode("utf-8-sig") for member in members]


def _too_large(file: Path, size: int) -> Invalid:
    return Invalid(
        tr(
            "{name} is too large: it holds {size} MB.",
            name=file.name,
            size=number(size // 1_000_000),
        )
    )


def _write(file: Path, text: str) -> None:
    saved = QSaveFile(str(file))
    bytes_ = text.encode("utf-8")
    if not saved.open(QIODevice.OpenModeFlag.WriteOnly) or saved.write(bytes_) != len(bytes_):
        raise StorageFailed(_not_written(file, saved.errorString()))
    if not saved.commit():
        raise StorageFailed(_not_written(file, saved.errorString()))


def _not_written(file: Path, reason: str) -> str:
    return tr("{file} could not be written: {reason}.", file=file, reason=reason)
