"""Agent files on disk: reading, writing whole or not at all, and asking where."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QIODevice, QSaveFile, QStandardPaths, Qt
from PySide6.QtWidgets import QFileDialog, QWidget

from chatty_desktop.domain.agents import AgentDefinition, read_agent, write_agent
from chatty_desktop.domain.errors import Invalid, StorageFailed
from chatty_desktop.ui.language import N_, tr, translated

LARGEST_BYTES = 5_000_000
_FILTER = N_("Agent files (*.json);;All files (*)")


async def read_agent_file(file: Path) -> AgentDefinition:
    """Read an agent file. Raises `Invalid` for what is none, `StorageFailed` where the file
    cannot be read; both name the file."""
    text = await asyncio.to_thread(_read, file)
    try:
        return read_agent(text)
    except Invalid as error:
        raise Invalid(
            tr("{name} is not an agent file. {error}", name=file.name, error=translated(str(error)))
        ) from error


async def write_agent_file(file: Path, definition: AgentDefinition) -> None:
    """Write an agent file, replacing one of that name. Raises `StorageFailed`."""
    await asyncio.to_thread(_write, file, write_agent(definition))


def file_name(name: str) -> str:
    """A file name for an agent's name that every system takes."""
    plain = re.sub(r"[^\w-]+", "_", name.casefold()).strip("_")
    return f"{plain[:80] or 'agent'}.json"


def ask_what_to_read(parent: QWidget, chosen: Callable[[Path], None]) -> QFileDialog:
    """Ask for a file to import; `chosen` is called with it, or never."""
    dialog = QFileDialog(parent, tr("Import agent"), _documents(), tr(_FILTER))
    dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
    return _open(dialog, chosen)


def ask_where_to_write(parent: QWidget, name: str, chosen: Callable[[Path], None]) -> QFileDialog:
    """Ask for a place to export the agent `name` to; `chosen` is called with it, or never."""
    dialog = QFileDialog(parent, tr("Export {name}", name=name), _documents(), tr(_FILTER))
    dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    dialog.setDefaultSuffix("json")
    dialog.selectFile(file_name(name))
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
            raise Invalid(
                tr(
                    "{name} is not an agent file: it holds {size} MB.",
                    name=file.name,
                    size=size // 1000000,
                )
            )
        return file.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise Invalid(
            tr("{name} is not an agent file: it is not UTF-8 text.", name=file.name)
        ) from error
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
