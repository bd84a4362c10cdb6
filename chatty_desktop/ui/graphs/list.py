"""The list of graphs: what there is, and what can be done with each."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHBoxLayout,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QMenu,
    QMessageBox,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from chatty_desktop.domain.events import Event, GraphsChanged
from chatty_desktop.domain.graphs import Graph, StoredGraph
from chatty_desktop.engine.events import Events
from chatty_desktop.engine.ports import Graphs
from chatty_desktop.ui.agents.list import free_name
from chatty_desktop.ui.graphs.graph_files import GRAPH_FILES
from chatty_desktop.ui.language import tr, trn
from chatty_desktop.ui.pieces import Empty, Problem, action_button, icon_button
from chatty_desktop.ui.questions import ask, confirm
from chatty_desktop.ui.tasks import Tasks
from chatty_desktop.ui.theme import Theme
from chatty_desktop.ui.tokens import XS, L, M, S
from chatty_desktop.ui.two_lines import TwoLines

_GraphRole = int(Qt.ItemDataRole.UserRole)


class GraphList(QWidget):
    """All graphs by name. edit_wanted: the id of the graph to open. new_wanted: a new one."""

    edit_wanted = Signal(str)
    new_wanted = Signal()

    def __init__(self, *, graphs: Graphs, events: Events, theme: Theme, tasks: Tasks) -> None:
        super().__init__()
        self._graphs = graphs
        self._tasks = tasks
        self._theme = theme
        self._select_next: str | None = None
        self.list = QListWidget()
        self._delegate = TwoLines(theme)
        self._empty = Empty(theme, "flow-arrow")
        self._pages = QStackedWidget()
        self.report = Problem(theme, "accent", "info")
        self.failure = Problem(theme, "danger", "warning-circle")
        self.edit_action = self._action(tr("Edit …"), "pencil-simple", self._edit, "F2")
        self.duplicate_action = self._action(tr("Duplicate"), "copy-simple", self._duplicate)
        self.export_action = self._action(tr("Export …"), "export", self._export)
        self.delete_action = self._action(
            tr("Delete …"), "trash", self._ask_to_delete, QKeySequence.StandardKey.Delete
        )
        self._arrange()
        self.destroyed.connect(events.subscribe(self._heard))
        self._enable()
        self.refresh()

    @property
    def chosen(self) -> StoredGraph | None:
        graph: StoredGraph | None = self.list.currentIndex().data(_GraphRole)
        return graph

    def refresh(self) -> None:
        """Read the graphs anew."""
        self._tasks.start(self._read(), failed=self.failure.say)

    def import_from(self, file: Path) -> None:
        """Import a graph file; where there is a graph of that name, the person is asked."""
        self._say()
        self._tasks.start(self._import(file), failed=self.failure.say)

    # --- reading -----------------------------------------------------------------------------

    def _heard(self, event: Event) -> None:
        if isinstance(event, GraphsChanged):
            self.refresh()

    async def _read(self) -> None:
        found = await self._graphs.list()
        before = self.chosen
        wanted = self._select_next or (before and before.id)
        row = max(self.list.currentRow(), 0)
        self.list.clear()
        for graph in found:
            item = QListWidgetItem(graph.name)
            item.setData(_GraphRole, graph)
            item.setData(Qt.ItemDataRole.AccessibleDescriptionRole, described(graph.graph))
            self.list.addItem(item)
            if graph.id == wanted:
                row, self._select_next = self.list.count() - 1, None
        self.list.setCurrentRow(min(row, self.list.count() - 1))
        self._empty.say(
            tr("No graphs yet"),
            tr("A graph lets agents work for each other. Press + to draw one, or import a file."),
        )
        self._pages.setCurrentIndex(1 if found else 0)
        self._enable()

    # --- what a person does ------------------------------------------------------------------

    def _edit(self) -> None:
        if graph := self.chosen:
            self.edit_wanted.emit(graph.id)

    def _duplicate(self) -> None:
        if graph := self.chosen:
            self._say()
            self._tasks.start(self._add_copy(graph.graph), failed=self.failure.say)

    def _export(self) -> None:
        stored = self.chosen
        if stored is None:
            return
        graph = stored.graph
        self._say()

        def chosen(file: Path) -> None:
            self._tasks.start(self._write(file, graph), failed=self.failure.say)

        GRAPH_FILES.ask_where_to_write(self, graph.name, chosen)

    def _ask_to_delete(self) -> None:
        if graph := self.chosen:
            self._say()
            confirm(
                self,
                tr("Delete {name}?", name=graph.name),
                tr("Its runs stay in their sessions. This cannot be undone."),
                tr("Delete"),
                lambda: self._tasks.start(self._graphs.delete(graph.id), failed=self.failure.say),
                danger=True,
            )

    # --- doing it ----------------------------------------------------------------------------

    async def _import(self, file: Path) -> None:
        graph = await GRAPH_FILES.read(file)
        if await self._graphs.by_name(graph.name) is None:
            await self._replace(graph)
            return
        button = QMessageBox.StandardButton

        def answered(answer: QMessageBox.StandardButton) -> None:
            if answer == button.Yes:
                self._tasks.start(self._replace(graph), failed=self.failure.say)
            elif answer == button.No:
                self._tasks.start(self._add_copy(graph), failed=self.failure.say)

        ask(
            self,
            tr("Replace {name}?", name=graph.name),
            tr("There is a graph of that name. If it is replaced, its runs stay."),
            (button.Cancel, button.Yes, button.No),
            answered,
            {button.Yes: tr("Replace"), button.No: tr("Keep both")},
        )

    async def _replace(self, graph: Graph) -> None:
        stored = await self._graphs.import_(graph)
        self._chosen_next(stored, tr("Imported {name}.", name=stored.name))

    async def _add_copy(self, graph: Graph) -> None:
        taken = {each.name for each in await self._graphs.list()}
        name = free_name(graph.name, taken)
        stored = await self._graphs.save(graph.model_copy(update={"name": name}))
        self._chosen_next(stored, tr("Added {name}.", name=stored.name))

    async def _write(self, file: Path, graph: Graph) -> None:
        await GRAPH_FILES.write(file, graph)
        self.report.say(tr("Exported {name} to {file}.", name=graph.name, file=file))

    def _chosen_next(self, graph: StoredGraph, report: str) -> None:
        self._select_next = graph.id
        self.report.say(report)
        self.refresh()

    def _say(self) -> None:
        """Take away what was said of the last thing done."""
        self.report.say("")
        self.failure.say("")

    # --- how it looks ------------------------------------------------------------------------

    def _action(
        self,
        text: str,
        icon: str,
        act: Callable[[], None],
        key: str | QKeySequence.StandardKey = "",
    ) -> QAction:
        action = QAction(text, self)
        self._theme.dress(action, icon)
        action.triggered.connect(act)
        if key:
            action.setShortcut(QKeySequence(key))
            action.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
        self.list.addAction(action)
        return action

    def _menu(self, at: QPoint) -> None:
        if self.list.itemAt(at) is None:
            return
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addActions([self.edit_action, self.duplicate_action, self.export_action])
        menu.addSeparator()
        menu.addAction(self.delete_action)
        menu.popup(self.list.viewport().mapToGlobal(at))

    def _enable(self) -> None:
        chosen = self.chosen is not None
        for action in self.list.actions():
            action.setEnabled(chosen)

    def _arrange(self) -> None:
        title = QLabel(tr("Graphs"))
        title.setFont(self._theme.heading())
        new = icon_button(self._theme, "plus", tr("New graph"))
        new.clicked.connect(self.new_wanted)
        bring = icon_button(self._theme, "download-simple", tr("Import graph …"))
        bring.clicked.connect(lambda: GRAPH_FILES.ask_what_to_read(self, self.import_from))
        top = QHBoxLayout()
        top.setContentsMargins(L, M, S, S)
        top.addWidget(title)
        top.addStretch(1)
        top.addWidget(bring)
        top.addWidget(new)

        self.list.setAccessibleName(tr("Graphs"))
        self.list.setItemDelegate(self._delegate)
        self.list.setProperty("panel", "window")
        self.list.setFrameShape(QFrame.Shape.NoFrame)
        self.list.setMouseTracking(True)
        self.list.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.list.customContextMenuRequested.connect(self._menu)
        self.list.itemActivated.connect(lambda _item: self._edit())
        self.list.currentRowChanged.connect(lambda _row: self._enable())
        self._pages.addWidget(self._empty)
        self._pages.addWidget(self.list)
        self._empty.say("", "")

        below = QHBoxLayout()
        below.setContentsMargins(S, XS, S, S)
        below.setSpacing(XS)
        below.addStretch(1)
        for action in self.list.actions():
            below.addWidget(action_button(action))
        said = QVBoxLayout()
        said.setContentsMargins(S, 0, S, 0)
        said.addWidget(self.report)
        said.addWidget(self.failure)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(top)
        column.addWidget(self._pages, 1)
        column.addLayout(said)
        column.addLayout(below)
        self.setFocusProxy(self.list)
        self._theme.changed.connect(self.list.viewport().update)


def described(graph: Graph) -> str:
    """How large a graph is, in a few words."""
    count = len({node.agent for node in graph.of_kind("agent") if node.agent})
    agents = trn("{count} agent", "{count} agents", count)
    return f"{agents} · {trn('{count} node', '{count} nodes', len(graph.nodes))}"
