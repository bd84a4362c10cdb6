"""The graph editor: a window of its own in which one graph is drawn."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QPoint, QPointF, Qt, QTimer, Signal
from PySide6.QtGui import QAction, QCloseEvent, QCursor
from PySide6.QtWidgets import (
    QMainWindow,
    QMenu,
    QMessageBox,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from chatty_desktop.app import App
from chatty_desktop.domain import graph_editing as edits
from chatty_desktop.domain.agents import Agent
from chatty_desktop.domain.errors import Invalid
from chatty_desktop.domain.events import AgentsChanged, Event
from chatty_desktop.domain.graph_layout import places_of
from chatty_desktop.domain.graph_problems import problems_of
from chatty_desktop.domain.graphs import Graph, NodeKind, checked
from chatty_desktop.ui.agents.strategy_form import FormParts
from chatty_desktop.ui.announcing import Announcer
from chatty_desktop.ui.controls import ModelChoices
from chatty_desktop.ui.graphs.actions import GraphActions
from chatty_desktop.ui.graphs.canvas import Canvas
from chatty_desktop.ui.graphs.draft import EMPTY, Draft
from chatty_desktop.ui.graphs.graph_files import GRAPH_FILES
from chatty_desktop.ui.graphs.run_bar import RunBar
from chatty_desktop.ui.graphs.seen import kind_name, seen_node
from chatty_desktop.ui.graphs.side_panel import SidePanel
from chatty_desktop.ui.graphs.steps import GraphSteps
from chatty_desktop.ui.language import tr, translated
from chatty_desktop.ui.pieces import edge_to_edge
from chatty_desktop.ui.questions import ask
from chatty_desktop.ui.reading_order import to_next
from chatty_desktop.ui.tasks import Tasks
from chatty_desktop.ui.theme import Theme
from chatty_desktop.ui.tokens import L

_MEMORY = "memory_override"


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
        self._unfinished: dict[str, str] = {}
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
        self.do = GraphActions(theme, self.canvas, self)
        self.run_bar.changed.connect(self._draw)
        self.run_bar.session_wanted.connect(self.session_wanted)
        self.side.form.strategy.guide_wanted.connect(self.guide_wanted)
        self._announcer = Announcer(self)
        self._connect_actions()
        self._arrange()
        self.draft.changed.connect(self._draw)
        self.canvas.chosen_changed.connect(self._show_form)
        self.canvas.moved.connect(self.steps.move)
        self.canvas.connect_wanted.connect(self.steps.connect)
        self.canvas.form_wanted.connect(self.side.form.name.setFocus)
        self.canvas.agent_dropped.connect(self._drop)
        self.canvas.menu_wanted.connect(self._menu)
        self.canvas.told.connect(self._announcer.say)
        self.side.form.renamed.connect(self._rename)
        self.side.form.changed.connect(self._change)
        self.side.name.textEdited.connect(self.steps.name)
        self.destroyed.connect(app.events.subscribe(self._heard))

    # --- what others ask ---------------------------------------------------------------------

    def edit(self, graph_id: str | None) -> None:
        """Open a graph, None a new one. Unsaved changes are asked about."""
        self._leave(lambda: self._tasks.start(self._load(graph_id)))

    def close_then(self, then: Callable[[], object]) -> None:
        """Close, asking about unsaved changes, and go on; not after Cancel."""

        def done() -> None:
            self._close_now()
            then()

        self._leave(done)

    @property
    def dirty(self) -> bool:
        return self.draft.graph != self._clean or bool(self._unfinished)

    def save(self) -> None:
        self._save(lambda: None)

    def revert(self) -> None:
        """Go back to what is stored, as a step that can be undone."""
        self._tasks.start(self._revert(), failed=self.side.problem.say)

    def import_from(self, file: Path) -> None:
        """Draw the graph of a file, as a step; it is stored when the person saves."""
        self._tasks.start(self._import(file), failed=self.side.problem.say)

    # --- changes -----------------------------------------------------------------------------

    def _rename(self, name: str) -> None:
        node = self.side.form.node
        if node is None:
            return
        old = node.id
        try:
            graph = edits.called(self.draft.graph, old, name)
        except edits.NodeInvalid as error:
            self.side.form.say({"id": dict(error.problems).get("id", str(error))})
            return
        if old in self._unfinished:
            self._unfinished[name] = self._unfinished.pop(old)
        self.draft.change(graph, tr("Rename"))
        self.canvas.choose([name])

    def _change(self, field: str, value: Any) -> None:
        node = self.side.form.node
        if node is None:
            return
        if field == _MEMORY:
            self._unfinished.pop(node.id, None)
        try:
            graph = edits.changed(self.draft.graph, node.id, **{field: value})
        except edits.NodeInvalid as error:
            within = [(path.removeprefix(_MEMORY).strip("."), why) for path, why in error.problems]
            self._unfinished[node.id] = "; ".join(why for _path, why in within)
            self.side.form.say_memory(within)
            self._draw()
            return
        self.draft.change(graph, tr("Change a node"), f"{node.id} {field}")
        self._draw()

    def _drop(self, agent_id: str, at: QPointF) -> None:
        if (agent := self._agents.get(agent_id)) is not None:
            self.steps.add("agent", agent.name, at)

    # --- showing -----------------------------------------------------------------------------

    def _draw(self) -> None:
        graph = self.draft.graph
        self._unfinished = {
            each: why for each, why in self._unfinished.items() if graph.node(each) is not None
        }
        found = problems_of(graph, self._agents)
        said: dict[str, str] = dict(self._unfinished)
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
        self.setWindowTitle(tr("{name} — graph[*]", name=graph.name or tr("New graph")))
        self._mark()

    def _mark(self) -> None:
        self.setWindowModified(self.dirty)
        self.do.revert.setEnabled(self.dirty)

    def _show_form(self) -> None:
        graph, chosen = self.draft.graph, self.canvas.chosen
        node = graph.node(chosen[0]) if len(chosen) == 1 else None
        for action in self.do.of_nodes:
            action.setEnabled(bool(chosen or self.canvas.chosen_edges))
        finished = node is None or node.id not in self._unfinished
        self.side.show_node(graph, node, self._agents, finished=finished)

    def _menu(self, at: QPoint) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addMenu(self._fill_add(QMenu(tr("Add"), menu)))
        menu.addActions(self.do.of_nodes)
        menu.popup(at)

    def _fill_add(self, menu: QMenu) -> QMenu:
        menu.clear()
        kinds: tuple[NodeKind, ...] = ("input", "output")
        for kind in kinds:
            menu.addAction(kind_name(kind), partial(self.steps.add, kind))
        menu.addSeparator()
        for agent in {each.id: each for each in self._agents.values()}.values():
            name = agent.name
            shown = name.replace("&", "&&")
            menu.addAction(shown, partial(self.steps.add, "agent", name))
        return menu

    def connect_menu(self) -> QMenu | None:
        """The nodes that the one with the keyboard can lead to; ticked where it does."""
        source = self.canvas.current
        if source is None:
            return None
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for target in self.canvas.drawing.order:
            there = (source, target) in self.draft.graph.edges
            node = self.draft.graph.node(target)
            if target == source or node is None or (node.kind == "input" and not there):
                continue
            action = menu.addAction(target.replace("&", "&&"))
            action.setCheckable(True)
            action.setChecked(there)
            action.triggered.connect(
                lambda on, target=target: self.steps.join(source, target, connect=on)
            )
        menu.popup(QCursor.pos() if self.isHidden() else self.canvas.mapToGlobal(QPoint(L, L)))
        return menu

    # --- storing -----------------------------------------------------------------------------

    async def _load(self, graph_id: str | None) -> None:
        stored = await self._app.graphs.get(graph_id) if graph_id else None
        if graph_id and stored is None:
            raise Invalid(tr("That graph is no longer there."))
        await self._read_agents()
        self._graph_id = stored.id if stored else None
        self._clean = stored.graph if stored else EMPTY
        self._unfinished = {}
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

    async def _read_agents(self) -> None:
        agents = await self._app.agents.list()
        self._agents = {agent.id: agent for agent in agents}
        self._agents |= {agent.name: agent for agent in agents}

    def _finished(self) -> bool:
        """Whether it can be stored or written; what keeps it from that is said at its place."""
        self.canvas.setFocus()  # ends what is being typed
        if self._unfinished:
            node_id, why = next(iter(self._unfinished.items()))
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
        stored = await self._app.graphs.get(self._graph_id) if self._graph_id else None
        if self._graph_id and stored is None:
            raise Invalid(tr("That graph is no longer there."))
        self._clean = stored.graph if stored else EMPTY
        self._take(self._clean, tr("Revert"))

    async def _import(self, file: Path) -> None:
        self._take(await GRAPH_FILES.read(file), tr("Import"))
        self.canvas.fit()

    def _take(self, graph: Graph, words: str) -> None:
        self._unfinished = {}
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

    def _leave(self, then: Callable[[], object]) -> None:
        if not (self.isVisible() and self.dirty):
            then()
            return
        button = QMessageBox.StandardButton

        def answered(answer: QMessageBox.StandardButton) -> None:
            if answer == button.Save:
                self._save(then)
            elif answer == button.Discard:
                then()

        ask(
            self,
            tr("Save the changes to this graph?"),
            tr("Without saving they are lost."),
            (button.Save, button.Discard, button.Cancel),
            answered,
        )

    def closeEvent(self, event: QCloseEvent) -> None:
        if self.isVisible() and self.dirty:
            event.ignore()
            self._leave(self._close_now)
        else:
            event.accept()

    def _close_now(self) -> None:
        self._unfinished = {}
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
            do.connect_to: self.connect_menu,
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
        do.add_menu.aboutToShow.connect(lambda: self._fill_add(do.add_menu))

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
