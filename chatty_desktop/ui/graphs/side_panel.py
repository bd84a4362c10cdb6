"""What stands beside the drawing: the graph's name, the chosen node's form, what it remembers."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtWidgets import QLineEdit, QTabWidget, QVBoxLayout, QWidget

from chatty_desktop.app import App
from chatty_desktop.domain.agents import Agent
from chatty_desktop.domain.graph_problems import problems_of
from chatty_desktop.domain.graphs import Graph, Node
from chatty_desktop.domain.messages import Scope
from chatty_desktop.ui.agents.strategy_form import FormParts
from chatty_desktop.ui.controls import Field
from chatty_desktop.ui.graphs.node_form import NodeForm
from chatty_desktop.ui.graphs.node_words import NodeWords
from chatty_desktop.ui.graphs.run_bar import RunBar
from chatty_desktop.ui.graphs.seen import memory_told
from chatty_desktop.ui.language import tr
from chatty_desktop.ui.panes import inspector_panel
from chatty_desktop.ui.pieces import Problem, Words, edge_to_edge, scrolled
from chatty_desktop.ui.tasks import Tasks
from chatty_desktop.ui.tokens import L, S

_FIELDS = {
    "no_agent": "agent",
    "missing_agent": "agent",
    "unknown_name": "prompt",
    "duplicate_id": "id",
    "reserved_id": "id",
}


class SidePanel(QWidget):
    """Shows one node, and what is wrong with the whole graph.

    problem: why a step could not be taken. whole: what keeps the graph from running.
    """

    def __init__(self, app: App, parts: FormParts, run_bar: RunBar, tasks: Tasks) -> None:
        super().__init__()
        theme = parts.theme
        self._run_bar = run_bar
        self.name = QLineEdit()
        self.name.setMaxLength(200)
        self.name_field = Field(tr("Name of the graph"), self.name, theme)
        self.problem = Problem(theme, "danger", "warning-circle")
        self.whole = Problem(theme, "warning", "warning")
        self.form = NodeForm(parts)
        self.words = NodeWords(lambda: run_bar.session_id, app.events, theme)
        self.memory_of = Words("", "muted")
        self.inspector = inspector_panel(app, theme, tasks)
        self.setMinimumWidth(280)
        head = QVBoxLayout()
        head.setContentsMargins(L, L, L, S)
        head.setSpacing(S)
        for widget in (self.name_field, self.problem, self.whole):
            head.addWidget(widget)
        self._pages = QTabWidget()
        self._pages.addTab(scrolled(_stacked(self.form, self.words)), tr("Node"))
        remembered = QWidget()
        told = QVBoxLayout(remembered)
        told.setContentsMargins(0, 0, 0, 0)
        told.setSpacing(S)
        self.memory_of.setContentsMargins(L, S, L, 0)
        told.addWidget(self.memory_of)
        told.addWidget(self.inspector, 1)
        self._pages.addTab(remembered, tr("Remembered"))
        column = edge_to_edge(QVBoxLayout(self))
        column.addLayout(head)
        column.addWidget(self._pages, 1)
        column.addStretch()

    def show_node(
        self, graph: Graph, node: Node | None, agents: Mapping[str, Agent], *, finished: bool
    ) -> None:
        """Show a node of a graph, None none. `finished`: its memory is; one that is not stays as it
        is being written."""
        self._pages.setVisible(node is not None)
        self.words.show_node(node.id if node else "")
        if node is None:
            self.form.node = None
            return
        agent, session_id = agents.get(node.agent or ""), self._run_bar.session_id
        scope = Scope(agent.id, session_id) if agent is not None and session_id else None
        self.inspector.set_scope(scope, node.id)
        self.memory_of.setText(memory_told(node, agent) if agent is not None else "")
        self.memory_of.setVisible(agent is not None)
        self.form.show_node(graph, node, agents, strategy=finished)
        self.form.say(
            {
                _FIELDS.get(each.kind, "id"): each.text
                for each in reversed(problems_of(graph, agents))
                if each.node == node.id
            }
        )

    def say_nothing(self) -> None:
        """Take away what was said of the last step and of the name."""
        self.problem.say("")
        self.name_field.say("")


def _stacked(*widgets: QWidget) -> QWidget:
    holder = QWidget()
    column = edge_to_edge(QVBoxLayout(holder))
    for widget in widgets:
        column.addWidget(widget)
    column.addStretch(1)
    return holder
