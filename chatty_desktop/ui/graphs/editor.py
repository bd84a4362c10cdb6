"""The graph editor: a window of its own in which one graph is drawn."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QPointF, Qt, QTimer, Signal
from PySide6.QtGui import QAction, QCloseEvent
from PySide6.QtWidgets import (
    QMainWindow,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from chatty_desktop.app import App
from chatty_desktop.domain.agents import Agent
from chatty_desktop.domain.errors import Invalid
from chatty_desktop.domain.events import AgentsChanged, Event
from chatty_desktop.domain.graph_layout import places_of
from chatty_desktop.domain.graph_problems import problems_of
from chatty_desktop.domain.graphs import Graph, StoredGraph, checked
from chatty_desktop.domain.hidden import revealed
from chatty_desktop.ui.agents.strategy_form import FormParts
from chatty_desktop.ui.announcing import Announcer
from chatty_desktop.ui.controls import ModelChoices
from chatty_desktop.ui.graphs.actions import GraphActions
from chatty_desktop.ui.graphs.canvas import Canvas
from chatty_desktop.ui.graphs.draft import EMPTY, Draft
from chatty_desktop.ui.graphs.graph_files import GRAPH_FILES
from chatty_desktop.ui.graphs.menus import GraphMenus
from chatty_desktop.ui.graphs.node_changes import NodeChanges
from chatty_desktop.ui.graphs.run_bar import RunBar
from chatty_desktop.ui.graphs.seen import seen_node
from chatty_desktop.ui.graphs.side_panel import SidePanel
from chatty_desktop.ui.graphs.steps import GraphSteps
from chatty_desktop.ui.language import tr, translated
from chatty_desktop.ui.pieces import edge_to_edge
from chatty_desktop.ui.reading_order import to_next
from chatty_desktop.ui.tasks import Tasks
from chatty_desktop.ui.theme import Theme
from chatty_desktop.ui.unsaved import UnsavedChanges


class GraphEditor(QMainWindow):
    """Edits one graph at a time; nothing is stored before the person saves.

    session_wanted: the session of a run, to be read. guide_wanted: a page of the guide.
    """

    saved = Signal(str)
    session_wanted = Signal(str)
    guide_wanted = Signal(str)

    def __init__(
        self, *, app: App, theme: Theme, tasks: Tasks, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._app, self._theme, self._tasks = app, theme, tasks
        self._graph_id: str | None = None
        self._clean: Graph = EMPTY
        self._agents: dict[str, Agent] = {}
        self._saving = False
        self.draft = Draft(self)
        self.canvas = Canvas(theme)
        self._choices = ModelChoices(app.models, self)
        self.run_bar = RunBar(
            graph=lambda: self.draft.graph,
            runs=app.graph_runs,
            events=app.events,
            theme=theme,
            tasks=tasks,
        )
        self.side = SidePanel(app, FormParts(theme, self._choices), self.run_bar, tasks)
        self.steps = GraphSteps(self.draft, self.canvas, self.side.problem.say)
        self.changes = NodeChanges(self.draft, self.canvas, self.side.form)
        self.do = GraphActions(theme, self.canvas, self)
        self.menus = GraphMenus(self.draft, self.canvas, self.steps, self.do, lambda: self._agents)
        self._unsaved = UnsavedChanges(
            self,
            tr("Save the changes to this graph?"),
            there=lambda: self.dirty,
            save=self._save,
            drop=self._close_now,
        )
        self.run_bar.changed.connect(self._draw)
        self.run_bar.session_wanted.connect(self.session_wanted)
        self.side.form.strategy.guide_wanted.connect(self.guide_wanted)
        self._announcer = Announcer(self)
        self._connect_actions()
        self._arrange()
        self.draft.changed.connect(self._draw)
        self.changes.changed.connect(self._draw)
        self.canvas.chosen_changed.connect(self._show_form)
        self.canvas.moved.connect(self.steps.move)
        self.canvas.connect_wanted.connect(self.steps.connect)
        self.canvas.form_wanted.connect(self.side.form.name.setFocus)
        self.canvas.agent_dropped.connect(self._drop)
        self.canvas.told.connect(self._announcer.say)
        self.side.name.textEdited.connect(self.steps.name)
        self.destroyed.connect(app.events.subscribe(self._heard))

    # --- what others ask ---------------------------------------------------------------------

    def edit(self, graph_id: str | None) -> None:
        """Open a graph, None a new one. Unsaved changes are asked about."""
        self._unsaved.leave(lambda: self._tasks.start(self._load(graph_id)))

    def close_then(self, then: Callable[[], object]) -> None:
        """Close, asking about unsaved changes, and go on; not after Cancel."""
        self._unsaved.close_then(then)

    @property
    def dirty(self) -> bool:
        return self.draft.graph != self._clean or bool(self.changes.unfinished)

    def save(self) -> None:
        self._save(lambda: None)

    def revert(self) -> None:
        """Go back to what is stored, as a step that can be undone."""
        self._tasks.start(self._revert(), failed=self.side.problem.say)

    def import_from(self, file: Path) -> None:
        """Draw the graph of a file, as a step; it is stored when the person saves."""
        self._tasks.start(self._import(file), failed=self.side.problem.say)

    # --- showing -----------------------------------------------------------------------------

    def _draw(self) -> None:
        graph = self.draft.graph
        found = problems_of(graph, self._agents)
        said: dict[str, str] = dict(self.changes.unfinished)
        for each in found:
            said.setdefault(each.node, each.text)
        seen = {
            node.id: seen_node(
                node, self._agents, said.get(node.id, ""), self.run_bar.live(node.id)
            )
            for node in graph.nodes
        }
        self.canvas.show_graph(graph, seen, places_of(graph))
        self.side.whole.say(" ".join(translated(each.text) for each in found if not each.node))
        if self.side.name.text() != graph.name:
            self.side.name.setText(graph.name)
        self._show_form()
        self.setWindowTitle(tr("{name} — graph[*]", name=revealed(graph.name) or tr("New graph")))
        self._mark()

    def _mark(self) -> None:
        self.setWindowModified(self.dirty)
        self.do.revert.setEnabled(self.dirty)

    def _show_form(self) -> None:
        graph, chosen = self.draft.graph, self.canvas.chosen
        node = graph.node(chosen[0]) if len(chosen) == 1 else None
        for action in self.do.of_nodes:
            action.setEnabled(bool(chosen or self.canvas.chosen_edges))
        finished = node is None or node.id not in self.changes.unfinished
        self.side.show_node(graph, node, self._agents, finished=finished)

    def _drop(self, agent_id: str, at: QPointF) -> None:
        if (agent := self._agents.get(agent_id)) is not None:
            self.steps.add("agent", agent.name, at)

    # --- storing -----------------------------------------------------------------------------

    async def _load(self, graph_id: str | None) -> None:
        stored = await self._read(graph_id)
        await self._read_agents()
        self._graph_id = stored.id if stored else None
        self._clean = stored.graph if stored else EMPTY
        self.changes.forget()
        self.run_bar.forget()
        self.side.words.forget()
        self.side.say_nothing()
        self.draft.begin(self._clean)
        self.show()
        self.raise_()
        self.activateWindow()
        (self.canvas if stored else self.side.name).setFocus()
        QTimer.singleShot(0, self, self.canvas.fit)
        settings = self._app.settings.current
        await self._choices.load(settings.default_model, settings.embedder)

    async def _read(self, graph_id: str | None) -> StoredGraph | None:
        stored = await self._app.graphs.get(graph_id) if graph_id else None
        if graph_id and stored is None:
            raise Invalid(tr("That graph is no longer there."))
        return stored

    async def _read_agents(self) -> None:
        agents = await self._app.agents.list()
        self._agents = {agent.id: agent for agent in agents}
        self._agents |= {agent.name: agent for agent in agents}

    def _finished(self) -> bool:
        """Whether it can be stored or written; what keeps it from that is said at its place."""
        self.canvas.setFocus()  # ends what is being typed
        if self.changes.unfinished:
            node_id, why = next(iter(self.changes.unfinished.items()))
            self.canvas.go_to(node_id)
            self.side.problem.say(f"{node_id}: {translated(why)}")
        elif not self.draft.graph.name.strip():
            self.side.name_field.say(tr("Give the graph a name."))
            self.side.name.setFocus()
        else:
            return True
        return False

    def _save(self, then: Callable[[], object]) -> None:
        if self._finished() and not self._saving:
            self._saving = True
            self._tasks.start(self._store(then), failed=self.side.problem.say)

    async def _revert(self) -> None:
        stored = await self._read(self._graph_id)
        self._clean = stored.graph if stored else EMPTY
        self._take(self._clean, tr("Revert"))

    async def _import(self, file: Path) -> None:
        self._take(await GRAPH_FILES.read(file), tr("Import"))
        self.canvas.fit()

    def _take(self, graph: Graph, words: str) -> None:
        self.changes.forget()
        self.side.say_nothing()
        self.draft.change(graph, words)
        self._draw()

    def _export(self) -> None:
        if not self._finished():
            return
        graph = self.draft.graph

        def chosen(file: Path) -> None:
            self._tasks.start(GRAPH_FILES.write(file, graph), failed=self.side.problem.say)

        GRAPH_FILES.ask_where_to_write(self, graph.name, chosen)

    async def _store(self, then: Callable[[], object]) -> None:
        try:
            stored = await self._app.graphs.save(checked(self.draft.graph), self._graph_id)
        finally:
            self._saving = False
        self._graph_id, self._clean = stored.id, stored.graph
        self.draft.change(stored.graph, tr("Save"))
        self.side.say_nothing()
        self._mark()
        self.saved.emit(stored.id)
        then()

    def _heard(self, event: Event) -> None:
        if isinstance(event, AgentsChanged) and self.isVisible():
            self._tasks.start(self._follow_agents())

    async def _follow_agents(self) -> None:
        await self._read_agents()
        self._draw()

    # --- closing -----------------------------------------------------------------------------

    def closeEvent(self, event: QCloseEvent) -> None:
        self._unsaved.closing(event)

    def _close_now(self) -> None:
        self.changes.forget()
        self._clean = self.draft.graph
        self.close()

    def focusNextPrevChild(self, forward: bool) -> bool:
        return to_next(self, forward=forward)

    # --- putting together --------------------------------------------------------------------

    def _connect_actions(self) -> None:
        do, stack = self.do, self.draft.stack
        acts: dict[QAction, Callable[[], object]] = {
            do.save: self.save,
            do.revert: self.revert,
            do.bring: lambda: GRAPH_FILES.ask_what_to_read(self, self.import_from),
            do.export: self._export,
            do.undo: stack.undo,
            do.redo: stack.redo,
            do.delete: self.steps.delete,
            do.duplicate: self.steps.duplicate,
            do.connect_to: self.menus.connect_to,
            do.choose_all: self.canvas.choose_all,
            do.lay_out: self.steps.lay_out,
            do.row: lambda: self.steps.align(1),
            do.column: lambda: self.steps.align(0),
            do.zoom_in: self.canvas.zoom_in,
            do.zoom_out: self.canvas.zoom_out,
            do.fit: self.canvas.fit,
            do.close: self.close,
        }
        for action, act in acts.items():
            action.triggered.connect(lambda _on=False, act=act: act())
        stack.canUndoChanged.connect(do.undo.setEnabled)
        stack.canRedoChanged.connect(do.redo.setEnabled)

    def _arrange(self) -> None:
        self.do.put_into(self)
        drawing = QWidget()
        column = edge_to_edge(QVBoxLayout(drawing))
        column.addWidget(self.canvas, 1)
        column.addWidget(self.run_bar)
        split = QSplitter(Qt.Orientation.Horizontal)
        split.setHandleWidth(1)
        split.setChildrenCollapsible(False)
        split.addWidget(drawing)
        split.addWidget(self.side)
        split.setStretchFactor(0, 1)
        split.setSizes([760, 340])
        self.setCentralWidget(split)
        self.resize(1120, 720)
