"""The list of graphs: what there is, and what can be done with each."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QMenu,
    QVBoxLayout,
    QWidget,
)

from chatty_desktop.domain.events import Event, GraphsChanged
from chatty_desktop.domain.graphs import StoredGraph
from chatty_desktop.engine.events import Events
from chatty_desktop.engine.ports import Graphs
from chatty_desktop.ui.agents.list import free_name
from chatty_desktop.ui.language import tr
from chatty_desktop.ui.pieces import Problem, icon_button
from chatty_desktop.ui.questions import confirm
from chatty_desktop.ui.tasks import Tasks
from chatty_desktop.ui.theme import Theme
from chatty_desktop.ui.tokens import L, M, S

_GraphRole = int(Qt.ItemDataRole.UserRole)


class GraphList(QWidget):
    """All graphs by name. edit_wanted: the id of the graph to open. new_wanted: a new one."""

    edit_wanted = Signal(str)
    new_wanted = Signal()

    def __init__(self, *, graphs: Graphs, events: Events, theme: Theme, tasks: Tasks) -> None:
        super().__init__()
        self._graphs = graphs
        self._tasks = tasks
        self.list = QListWidget()
        self.list.setAccessibleName(tr("Graphs"))
        self.list.setProperty("panel", "window")
        self.list.setFrameShape(QFrame.Shape.NoFrame)
        self.list.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.list.customContextMenuRequested.connect(self._menu)
        self.failure = Problem(theme, "danger", "warning-circle")
        self.open_action = QAction(tr("Open"), self.list)
        self.duplicate_action = QAction(tr("Duplicate"), self.list)
        self.delete_action = QAction(tr("Delete …"), self.list)
        self.delete_action.setShortcut(QKeySequence(QKeySequence.StandardKey.Delete))
        self.delete_action.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
        for action, icon, act in (
            (self.open_action, "pencil-simple", self._open),
            (self.duplicate_action, "copy-simple", self._duplicate),
            (self.delete_action, "trash", self._ask_to_delete),
        ):
            theme.dress(action, icon)
            action.triggered.connect(act)
            self.list.addAction(action)
        self.list.itemActivated.connect(lambda _item: self._open())
        title = QLabel(tr("Graphs"))
        title.setFont(theme.heading())
        new = icon_button(theme, "plus", tr("New graph"))
        new.clicked.connect(self.new_wanted)
        top = QHBoxLayout()
        top.setContentsMargins(L, M, S, S)
        top.addWidget(title)
        top.addStretch(1)
        top.addWidget(new)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(top)
        column.addWidget(self.failure)
        column.addWidget(self.list, 1)
        self.setFocusProxy(self.list)
        self.destroyed.connect(events.subscribe(self._heard))
        self.refresh()

    @property
    def chosen(self) -> StoredGraph | None:
        graph: StoredGraph | None = self.list.currentIndex().data(_GraphRole)
        return graph

    def refresh(self) -> None:
        """Read the graphs anew."""
        self._tasks.start(self._read(), failed=self.failure.say)

    def _heard(self, event: Event) -> None:
        if isinstance(event, GraphsChanged):
            self.refresh()

    async def _read(self) -> None:
        found = await self._graphs.list()
        row = max(self.list.currentRow(), 0)
        self.list.clear()
        for graph in found:
            item = QListWidgetItem(graph.name)
            item.setData(_GraphRole, graph)
            self.list.addItem(item)
        self.list.setCurrentRow(min(row, self.list.count() - 1))

    def _menu(self, at: QPoint) -> None:
        if self.list.itemAt(at) is not None:
            menu = QMenu(self)
            menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
            menu.addActions([self.open_action, self.duplicate_action, self.delete_action])
            menu.popup(self.list.viewport().mapToGlobal(at))

    def _open(self) -> None:
        if graph := self.chosen:
            self.edit_wanted.emit(graph.id)

    def _duplicate(self) -> None:
        if graph := self.chosen:
            self._tasks.start(self._copy(graph), failed=self.failure.say)

    async def _copy(self, graph: StoredGraph) -> None:
        taken = {each.name for each in await self._graphs.list()}
        name = free_name(graph.name, taken)
        await self._graphs.save(graph.graph.model_copy(update={"name": name}))

    def _ask_to_delete(self) -> None:
        if graph := self.chosen:
            confirm(
                self,
                tr("Delete {name}?", name=graph.name),
                tr("Its runs stay in their sessions. This cannot be undone."),
                tr("Delete"),
                lambda: self._tasks.start(self._graphs.delete(graph.id), failed=self.failure.say),
                danger=True,
            )
