"""The graph editor: a window of its own in which one graph is drawn."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QPoint, QPointF, Qt, QTimer, Signal
from PySide6.QtGui import QAction, QCloseEvent, QCursor, QKeySequence
from PySide6.QtWidgets import (
    QLineEdit,
    QMainWindow,
    QMenu,
    QMessageBox,
    QSplitter,
    QTabWidget,
    QToolBar,
    QVBoxLayout,
    QWidget,
)

from chatty_desktop.app import App
from chatty_desktop.domain import graph_editing as edits
from chatty_desktop.domain.agents import Agent
from chatty_desktop.domain.errors import Invalid
from chatty_desktop.domain.events import AgentsChanged, Event
from chatty_desktop.domain.graph_layout import GRID, laid_out, places_of, snapped
from chatty_desktop.domain.graph_problems import problems_of
from chatty_desktop.domain.graphs import Graph, Node, NodeKind, checked
from chatty_desktop.domain.messages import Scope
from chatty_desktop.ui.agents.strategy_form import FormParts
from chatty_desktop.ui.announcing import Announcer
from chatty_desktop.ui.controls import Field, ModelChoices
from chatty_desktop.ui.graphs.canvas import Canvas
from chatty_desktop.ui.graphs.draft import EMPTY, Draft
from chatty_desktop.ui.graphs.graph_files import GRAPH_FILES
from chatty_desktop.ui.graphs.node_form import NodeForm
from chatty_desktop.ui.graphs.node_item import WIDTH
from chatty_desktop.ui.graphs.node_words import NodeWords
from chatty_desktop.ui.graphs.run_bar import RunBar
from chatty_desktop.ui.graphs.seen import kind_name, memory_told, seen_node
from chatty_desktop.ui.language import tr, translated
from chatty_desktop.ui.panes import inspector_panel
from chatty_desktop.ui.pieces import Problem, Words, scrolled
from chatty_desktop.ui.questions import ask
from chatty_desktop.ui.reading_order import to_next
from chatty_desktop.ui.tasks import Tasks
from chatty_desktop.ui.theme import Theme
from chatty_desktop.ui.tokens import L, S

_FIELDS = {
    "no_agent": "agent",
    "missing_agent": "agent",
    "unknown_name": "prompt",
    "duplicate_id": "id",
    "reserved_id": "id",
}
_MEMORY = "memory_override"


class GraphEditor(QMainWindow):
    """Edits one graph at a time; nothing is stored before the person saves.

    session_wanted: the session of a run, to be read.
    """

    saved = Signal(str)
    session_wanted = Signal(str)

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
        self.form = NodeForm(FormParts(theme, self._choices))
        self.name = QLineEdit()
        self.name.setMaxLength(200)
        self.name_field = Field(tr("Name of the graph"), self.name, theme)
        self.problem = Problem(theme, "danger", "warning-circle")
        self.whole = Problem(theme, "warning", "warning")
        self.run_bar = RunBar(
            graph=lambda: self.draft.graph,
            runs=app.graph_runs,
            events=app.events,
            theme=theme,
            tasks=tasks,
        )
        self.words = NodeWords(lambda: self.run_bar.session_id, app.events, theme)
        self.memory_of = Words("", "muted")
        self.inspector = inspector_panel(app, theme, tasks)
        self.run_bar.changed.connect(self._draw)
        self.run_bar.session_wanted.connect(self.session_wanted)
        self._announcer = Announcer(self)
        self._make_actions()
        self._arrange()
        self.draft.changed.connect(self._draw)
        self.canvas.chosen_changed.connect(self._show_form)
        self.canvas.moved.connect(
            lambda to: self.draft.change(edits.moved(self.draft.graph, to), tr("Move"))
        )
        self.canvas.connect_wanted.connect(self.connect_nodes)
        self.canvas.form_wanted.connect(self.form.name.setFocus)
        self.canvas.agent_dropped.connect(self._drop)
        self.canvas.menu_wanted.connect(self._menu)
        self.canvas.told.connect(self._announcer.say)
        self.form.renamed.connect(self._rename)
        self.form.changed.connect(self._change)
        self.name.textEdited.connect(self._name)
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
        self._tasks.start(self._revert(), failed=self.problem.say)

    def import_from(self, file: Path) -> None:
        """Draw the graph of a file, as a step; it is stored when the person saves."""
        self._tasks.start(self._import(file), failed=self.problem.say)

    def add(self, kind: NodeKind, agent: str | None = None, at: QPointF | None = None) -> None:
        """Add a node, in the middle of what is seen unless a place is given."""
        names = {"input": tr("input"), "output": tr("output")}
        node_id = edits.free_id(self.draft.graph, agent or names.get(kind) or tr("agent"))
        place = at or self.canvas.middle()
        taken = places_of(self.draft.graph).values()
        x, y = snapped(place.x() - WIDTH / 2), snapped(place.y() - 2 * GRID)
        while any(abs(x - left) < WIDTH and abs(y - top) < 6 * GRID for left, top in taken):
            y += GRID
        node = Node(id=node_id, kind=kind, agent=agent)
        if self._try(lambda graph: edits.added(graph, node, (x, y)), tr("Add a node")):
            self.canvas.go_to(node_id)
            self.canvas.setFocus()

    def connect_nodes(self, source: str, target: str) -> None:
        self._try(lambda graph: edits.connected(graph, source, target), tr("Connect"))

    # --- changes -----------------------------------------------------------------------------

    def _try(self, change: Callable[[Graph], Graph], words: str, key: str = "") -> bool:
        """Take a step, or say why it cannot be."""
        try:
            self.draft.change(change(self.draft.graph), words, key)
        except Invalid as error:
            self.problem.say(str(error))
            return False
        self.problem.say("")
        return True

    def _delete(self) -> None:
        nodes, lines = self.canvas.chosen, self.canvas.chosen_edges
        for node_id in nodes:
            self._unfinished.pop(node_id, None)
        self._try(lambda graph: edits.without(graph, nodes, lines), tr("Delete"))

    def _duplicate(self) -> None:
        try:
            graph, made = edits.copied(
                self.draft.graph,
                self.canvas.chosen,
                places_of(self.draft.graph),
                (2 * GRID, 6 * GRID),
            )
        except Invalid as error:
            self.problem.say(str(error))
            return
        self.draft.change(graph, tr("Duplicate"))
        self.canvas.choose(made)

    def _lay_out(self) -> None:
        self._try(lambda graph: edits.moved(graph, laid_out(graph)), tr("Lay out"))
        self.canvas.fit()

    def _align(self, axis: int) -> None:
        places, chosen = places_of(self.draft.graph), self.canvas.chosen
        if chosen:
            first = places[chosen[0]]
            to = {
                each: (first[0], places[each][1]) if axis == 0 else (places[each][0], first[1])
                for each in chosen
            }
            self._try(lambda graph: edits.moved(graph, to), tr("Align"))

    def _rename(self, name: str) -> None:
        node = self.form.node
        if node is None:
            return
        old = node.id
        try:
            graph = edits.called(self.draft.graph, old, name)
        except edits.NodeInvalid as error:
            self.form.say({"id": dict(error.problems).get("id", str(error))})
            return
        if old in self._unfinished:
            self._unfinished[name] = self._unfinished.pop(old)
        self.draft.change(graph, tr("Rename"))
        self.canvas.choose([name])

    def _change(self, field: str, value: Any) -> None:
        node = self.form.node
        if node is None:
            return
        if field == _MEMORY:
            self._unfinished.pop(node.id, None)
        try:
            graph = edits.changed(self.draft.graph, node.id, **{field: value})
        except edits.NodeInvalid as error:
            within = [(path.removeprefix(_MEMORY).strip("."), why) for path, why in error.problems]
            self._unfinished[node.id] = "; ".join(why for _path, why in within)
            self.form.say_memory(within)
            self._draw()
            return
        self.draft.change(graph, tr("Change a node"), f"{node.id} {field}")
        self._draw()

    def _name(self, name: str) -> None:
        graph = self.draft.graph.model_copy(update={"name": name})
        self.draft.change(graph, tr("Rename the graph"), "name")

    def _drop(self, agent_id: str, at: QPointF) -> None:
        if (agent := self._agents.get(agent_id)) is not None:
            self.add("agent", agent.name, at)

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
        self.whole.say(" ".join(translated(each.text) for each in found if not each.node))
        if self.name.text() != graph.name:
            self.name.setText(graph.name)
        self._show_form()
        self.setWindowTitle(tr("{name} — graph[*]", name=graph.name or tr("New graph")))
        self._mark()

    def _mark(self) -> None:
        self.setWindowModified(self.dirty)
        self.revert_action.setEnabled(self.dirty)

    def _show_form(self) -> None:
        graph, chosen = self.draft.graph, self.canvas.chosen
        node = graph.node(chosen[0]) if len(chosen) == 1 else None
        for action in (self.delete_action, self.duplicate_action, self.connect_action):
            action.setEnabled(bool(chosen or self.canvas.chosen_edges))
        self._form_area.setVisible(node is not None)
        self.words.show_node(node.id if node else "")
        if node is None:
            self.form.node = None
            return
        agent, session_id = self._agents.get(node.agent or ""), self.run_bar.session_id
        scope = Scope(agent.id, session_id) if agent is not None and session_id else None
        self.inspector.set_scope(scope, node.id)
        self.memory_of.setText(memory_told(node, agent) if agent is not None else "")
        self.memory_of.setVisible(agent is not None)
        self.form.show_node(graph, node, self._agents, strategy=node.id not in self._unfinished)
        self.form.say(
            {
                _FIELDS.get(each.kind, "id"): each.text
                for each in reversed(problems_of(graph, self._agents))
                if each.node == node.id
            }
        )

    def _menu(self, at: QPoint) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addMenu(self._fill_add(QMenu(tr("Add"), menu)))
        menu.addActions([self.connect_action, self.duplicate_action, self.delete_action])
        menu.popup(at)

    def _fill_add(self, menu: QMenu) -> QMenu:
        menu.clear()
        kinds: tuple[NodeKind, ...] = ("input", "output")
        for kind in kinds:
            menu.addAction(kind_name(kind), partial(self.add, kind))
        menu.addSeparator()
        for agent in {each.id: each for each in self._agents.values()}.values():
            name = agent.name
            shown = name.replace("&", "&&")
            menu.addAction(shown, partial(self.add, "agent", name))
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
                lambda on, target=target: self._join(source, target, connect=on)
            )
        menu.popup(QCursor.pos() if self.isHidden() else self.canvas.mapToGlobal(QPoint(L, L)))
        return menu

    def _join(self, source: str, target: str, *, connect: bool) -> None:
        if connect:
            self.connect_nodes(source, target)
        else:
            edge = (source, target)
            self._try(lambda graph: edits.without(graph, (), [edge]), tr("Disconnect"))

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
        self.words.forget()
        self.problem.say("")
        self.name_field.say("")
        self.draft.begin(self._clean)
        self.show()
        self.raise_()
        self.activateWindow()
        (self.canvas if stored else self.name).setFocus()
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
            self.problem.say(f"{node_id}: {translated(why)}")
        elif not self.draft.graph.name.strip():
            self.name_field.say(tr("Give the graph a name."))
            self.name.setFocus()
        else:
            return True
        return False

    def _save(self, then: Callable[[], object]) -> None:
        if self._finished() and not self._saving:
            self._saving = True
            self._tasks.start(self._store(then), failed=self.problem.say)

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
        self.problem.say("")
        self.name_field.say("")
        self.draft.change(graph, words)
        self._draw()

    def _export(self) -> None:
        if not self._finished():
            return
        graph = self.draft.graph

        def chosen(file: Path) -> None:
            self._tasks.start(GRAPH_FILES.write(file, graph), failed=self.problem.say)

        GRAPH_FILES.ask_where_to_write(self, graph.name, chosen)

    async def _store(self, then: Callable[[], object]) -> None:
        try:
            stored = await self._app.graphs.save(checked(self.draft.graph), self._graph_id)
        finally:
            self._saving = False
        self._graph_id, self._clean = stored.id, stored.graph
        self.draft.change(stored.graph, tr("Save"))
        self.problem.say("")
        self.name_field.say("")
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

    def _make_actions(self) -> None:
        keys = QKeySequence.StandardKey
        stack = self.draft.stack
        do = self._action
        self.save_action = do(tr("Save"), keys.Save, "floppy-disk", self.save)
        self.revert_action = do(
            tr("Revert to what is stored"), "", "arrow-counter-clockwise", self.revert
        )
        self.import_action = do(
            tr("Import …"),
            "",
            "download-simple",
            lambda: GRAPH_FILES.ask_what_to_read(self, self.import_from),
        )
        self.export_action = do(tr("Export …"), "", "export", self._export)
        self.undo_action = do(tr("Undo"), keys.Undo, "arrow-u-up-left", stack.undo)
        self.redo_action = do(tr("Redo"), keys.Redo, "arrow-u-up-right", stack.redo)
        stack.canUndoChanged.connect(self.undo_action.setEnabled)
        stack.canRedoChanged.connect(self.redo_action.setEnabled)
        self.undo_action.setEnabled(False)
        self.redo_action.setEnabled(False)
        self.delete_action = do(tr("Delete"), "Del", "trash", self._delete, on_canvas=True)
        self.duplicate_action = do(tr("Duplicate"), "Ctrl+D", "copy", self._duplicate)
        self.connect_action = do(tr("Connect to …"), "Ctrl+J", "flow-arrow", self.connect_menu)
        self.all_action = do(
            tr("Select all"),
            keys.SelectAll,
            "selection-all",
            self.canvas.choose_all,
            on_canvas=True,
        )
        self.lay_out_action = do(
            tr("Lay out from left to right"), "Ctrl+L", "tree-structure", self._lay_out
        )
        self.row_action = do(
            tr("Align in a row"), "", "align-center-vertical", lambda: self._align(1)
        )
        self.column_action = do(tr("Align in a column"), "", "align-left", lambda: self._align(0))
        self.in_action = do(tr("Zoom in"), "Ctrl++", "magnifying-glass-plus", self.canvas.zoom_in)
        self.in_action.setShortcuts([QKeySequence("Ctrl++"), QKeySequence("Ctrl+=")])
        self.out_action = do(
            tr("Zoom out"), "Ctrl+-", "magnifying-glass-minus", self.canvas.zoom_out
        )
        self.fit_action = do(tr("Show all of it"), "Ctrl+0", "corners-out", self.canvas.fit)
        self.close_action = do(tr("Close window"), keys.Close, "x", self.close)

    def _action(
        self,
        text: str,
        key: str | QKeySequence.StandardKey,
        icon: str,
        act: Callable[[], object],
        *,
        on_canvas: bool = False,
    ) -> QAction:
        action = QAction(text, self)
        if key:
            action.setShortcut(QKeySequence(key))
        self._theme.dress(action, icon)
        action.triggered.connect(lambda _on=False: act())
        if on_canvas:
            action.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
            self.canvas.addAction(action)
        return action

    def _arrange(self) -> None:
        self.add_menu = QMenu(tr("Add"), self)
        self.add_menu.aboutToShow.connect(lambda: self._fill_add(self.add_menu))
        self._theme.dress(self.add_menu, "plus")
        graph = self.menuBar().addMenu(tr("Graph"))
        graph.addActions([self.save_action, self.revert_action])
        graph.addSeparator()
        graph.addActions([self.import_action, self.export_action])
        graph.addSeparator()
        graph.addAction(self.close_action)
        edit = self.menuBar().addMenu(tr("Edit"))
        edit.addActions([self.undo_action, self.redo_action])
        edit.addMenu(self.add_menu)
        edit.addActions([self.connect_action, self.duplicate_action, self.delete_action])
        edit.addActions([self.all_action, self.lay_out_action, self.row_action, self.column_action])
        view = self.menuBar().addMenu(tr("View"))
        view.addActions([self.in_action, self.out_action, self.fit_action])
        bar = QToolBar(tr("Graph"))
        bar.setMovable(False)
        bar.addAction(self.add_menu.menuAction())
        bar.addActions([self.connect_action, self.duplicate_action, self.delete_action])
        bar.addSeparator()
        bar.addActions([self.undo_action, self.redo_action])
        bar.addSeparator()
        bar.addActions([self.lay_out_action, self.out_action, self.in_action, self.fit_action])
        bar.addSeparator()
        bar.addAction(self.save_action)
        self.addToolBar(bar)
        side = QWidget()
        side.setMinimumWidth(280)
        head = QVBoxLayout()
        head.setContentsMargins(L, L, L, S)
        head.setSpacing(S)
        for widget in (self.name_field, self.problem, self.whole):
            head.addWidget(widget)
        self._form_area = QTabWidget()
        self._form_area.addTab(scrolled(_stacked(self.form, self.words)), tr("Node"))
        remembered = QWidget()
        told = QVBoxLayout(remembered)
        told.setContentsMargins(0, 0, 0, 0)
        told.setSpacing(S)
        self.memory_of.setContentsMargins(L, S, L, 0)
        told.addWidget(self.memory_of)
        told.addWidget(self.inspector, 1)
        self._form_area.addTab(remembered, tr("Remembered"))
        column = QVBoxLayout(side)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(head)
        column.addWidget(self._form_area, 1)
        column.addStretch()
        split = QSplitter(Qt.Orientation.Horizontal)
        split.setHandleWidth(1)
        split.setChildrenCollapsible(False)
        main = QWidget()
        drawn = QVBoxLayout(main)
        drawn.setContentsMargins(0, 0, 0, 0)
        drawn.setSpacing(0)
        drawn.addWidget(self.canvas, 1)
        drawn.addWidget(self.run_bar)
        split.addWidget(main)
        split.addWidget(side)
        split.setStretchFactor(0, 1)
        split.setSizes([760, 340])
        self.setCentralWidget(split)
        self.resize(1120, 720)


def _stacked(*widgets: QWidget) -> QWidget:
    holder = QWidget()
    column = QVBoxLayout(holder)
    column.setContentsMargins(0, 0, 0, 0)
    column.setSpacing(0)
    for widget in widgets:
        column.addWidget(widget)
    column.addStretch(1)
    return holder
