"""Graph files on disk: reading, writing whole or not at all, and asking where."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtWidgets import QFileDialog, QWidget

from chatty_desktop.domain.errors import Invalid
from chatty_desktop.domain.graphs import Graph, read_graph, write_graph
from chatty_desktop.ui import json_files
from chatty_desktop.ui.language import N_, tr, translated

_FILTER = N_("Graph files (*.json);;All files (*)")


async def read_graph_file(file: Path) -> Graph:
    """Read a graph file. Raises `Invalid` for what is none, `StorageFailed` where the file
    cannot be read; both name the file."""
    try:
        return read_graph(await json_files.read(file))
    except Invalid as error:
        raise Invalid(
            tr("{name} is not a graph file. {error}", name=file.name, error=translated(str(error)))
        ) from error


async def write_graph_file(file: Path, graph: Graph) -> None:
    """Write a graph file, replacing one of that name. Raises `StorageFailed`."""
    await json_files.write(file, write_graph(graph))


def file_name(name: str) -> str:
    """A file name for a graph's name that every system takes."""
    return json_files.file_name(name, "graph")


def ask_what_to_read(parent: QWidget, chosen: Callable[[Path], None]) -> QFileDialog:
    """Ask for a file to import; `chosen` is called with it, or never."""
    return json_files.ask_what_to_read(parent, tr("Import graph"), tr(_FILTER), chosen)


def ask_where_to_write(parent: QWidget, name: str, chosen: Callable[[Path], None]) -> QFileDialog:
    """Ask for a place to export the graph `name` to; `chosen` is called with it, or never."""
    title = tr("Export {name}", name=name)
    return json_files.ask_where_to_write(parent, title, tr(_FILTER), file_name(name), chosen)
