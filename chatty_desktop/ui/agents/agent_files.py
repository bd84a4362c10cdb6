"""Agent files on disk: reading, writing whole or not at all, and asking where."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtWidgets import QFileDialog, QWidget

from chatty_desktop.domain.agents import AgentDefinition, read_agent, write_agent
from chatty_desktop.domain.errors import Invalid
from chatty_desktop.ui import json_files
from chatty_desktop.ui.language import N_, tr, translated

_FILTER = N_("Agent files (*.json);;All files (*)")


async def read_agent_file(file: Path) -> AgentDefinition:
    """Read an agent file. Raises `Invalid` for what is none, `StorageFailed` where the file
    cannot be read; both name the file."""
    try:
        return read_agent(await json_files.read(file))
    except Invalid as error:
        raise Invalid(
            tr("{name} is not an agent file. {error}", name=file.name, error=translated(str(error)))
        ) from error


async def write_agent_file(file: Path, definition: AgentDefinition) -> None:
    """Write an agent file, replacing one of that name. Raises `StorageFailed`."""
    await json_files.write(file, write_agent(definition))


def file_name(name: str) -> str:
    """A file name for an agent's name that every system takes."""
    return json_files.file_name(name, "agent")


def ask_what_to_read(parent: QWidget, chosen: Callable[[Path], None]) -> QFileDialog:
    """Ask for a file to import; `chosen` is called with it, or never."""
    return json_files.ask_what_to_read(parent, tr("Import agent"), tr(_FILTER), chosen)


def ask_where_to_write(parent: QWidget, name: str, chosen: Callable[[Path], None]) -> QFileDialog:
    """Ask for a place to export the agent `name` to; `chosen` is called with it, or never."""
    title = tr("Export {name}", name=name)
    return json_files.ask_where_to_write(parent, title, tr(_FILTER), file_name(name), chosen)
