"""The list of graphs: what there is, and what can be done with each."""

from __future__ import annotations

from PySide6.QtWidgets import QListWidget

from chatty_desktop.domain.events import GraphsChanged
from chatty_desktop.domain.graphs import Graph, StoredGraph
from chatty_desktop.engine.events import Events
from chatty_desktop.engine.ports import Graphs
from chatty_desktop.ui.graphs.graph_files import GRAPH_FILES
from chatty_desktop.ui.language import tr, trn
from chatty_desktop.ui.questions import confirm
from chatty_desktop.ui.stored_list import ListWords, StoredList
from chatty_desktop.ui.tasks import Tasks
from chatty_desktop.ui.theme import Theme


class GraphList(StoredList[StoredGraph, Graph]):
    """All graphs by name."""

    def __init__(self, *, graphs: Graphs, events: Events, theme: Theme, tasks: Tasks) -> None:
        self._graphs = graphs
        super().__init__(
            QListWidget(),
            store=graphs,
            files=GRAPH_FILES,
            words=_words(),
            icon="flow-arrow",
            changed=GraphsChanged,
            events=events,
            theme=theme,
            tasks=tasks,
        )

    def described(self, stored: StoredGraph) -> str:
        return described(stored.graph)

    def content(self, stored: StoredGraph) -> Graph:
        return stored.graph

    def renamed(self, content: Graph, name: str) -> Graph:
        return content.model_copy(update={"name": name})

    def ask_to_delete(self, stored: StoredGraph) -> None:
        confirm(
            self,
            tr("Delete {name}?", name=stored.name),
            tr("Its runs stay in their sessions. This cannot be undone."),
            tr("Delete"),
            lambda: self._tasks.start(self._graphs.delete(stored.id), failed=self.failure.say),
            danger=True,
        )


def _words() -> ListWords:
    return ListWords(
        title=tr("Graphs"),
        new=tr("New graph"),
        bring=tr("Import graph …"),
        none=tr("No graphs yet"),
        none_hint=tr(
            "A graph lets agents work for each other. Press + to draw one, or import a file."
        ),
        replaced=tr("There is a graph of that name. If it is replaced, its runs stay."),
    )


def described(graph: Graph) -> str:
    """How large a graph is, in a few words."""
    count = len({node.agent for node in graph.of_kind("agent") if node.agent})
    agents = trn("{count} agent", "{count} agents", count)
    return f"{agents} · {trn('{count} node', '{count} nodes', len(graph.nodes))}"
