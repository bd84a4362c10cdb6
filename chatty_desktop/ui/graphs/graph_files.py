"""Graph files on disk."""

from __future__ import annotations

from typing import Final

from chatty_desktop.domain.graphs import read_graph, write_graph
from chatty_desktop.ui.json_files import JsonFiles
from chatty_desktop.ui.language import N_

GRAPH_FILES: Final = JsonFiles(
    kinds=N_("Graph files (*.json);;All files (*)"),
    bring=N_("Import graph"),
    refused=N_("{name} is not a graph file. {error}"),
    called="graph",
    from_text=read_graph,
    to_text=write_graph,
)
