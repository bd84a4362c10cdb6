"""A list of things that are stored by name: what there is, and what can be done with each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, Protocol, TypeVar

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHBoxLayout,
    QListWidget,
    QListWidgetItem,
    QMenu,
    QMessageBox,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from chatty_desktop.domain.events import Event
from chatty_desktop.domain.hidden import revealed
from chatty_desktop.engine.events import Events
from chatty_desktop.ui.json_files import JsonFiles
from chatty_desktop.ui.language import tr
from chatty_desktop.ui.pieces import Empty, Problem, action_button, edge_to_edge, icon_button
from chatty_desktop.ui.plain import Label, tip
from chatty_desktop.ui.questions import ask
from chatty_desktop.ui.tasks import Tasks
from chatty_desktop.ui.theme import Theme
from chatty_desktop.ui.throttle import Throttle
from chatty_desktop.ui.tokens import XS, L, M, S
from chatty_desktop.ui.two_lines import TwoLines

REFRESH_MS = 100

StoredRole = int(Qt.ItemDataRole.UserRole)


class _Named(Protocol):
    @property
    def id(self) -> str: ...

    @property
    def name(self) -> str: ...


class _Content(Protocol):
    """A value with a name, as a pydantic model is."""

    @property
    def name(self) -> str: ...


Stored = TypeVar("Stored", bound=_Named)
Content = TypeVar("Content", bound=_Content)
Kept_contra = TypeVar("Kept_contra", bound=_Content, contravariant=True)


class Store(Protocol[Stored, Kept_contra]):
    """Where they are kept; names are unique. Each raises `StorageFailed`."""

    async def list(self) -> list[Stored]:
        """By name."""
        ...

    async def by_name(self, name: str, /) -> Stored | None: ...

    async def save(self, content: Kept_contra, /) -> Stored:
        """Store as a new one. Raises `Invalid` when the name is taken."""
        ...

    async def import_(self, content: Kept_contra, /) -> Stored:
        """Store, replacing the one of that name."""
        ...


@dataclass(frozen=True)
class ListWords:
    """What a list of one kind of thing says, in the window's language. `none` and `none_hint`
    stand where there are none; `replaced` says what stays when one is replaced."""

    title: str
    new: str
    bring: str
    none: str
    none_hint: str
    replaced: str


class StoredList(QWidget, Generic[Stored, Content]):
    """All of a kind by name; a subclass says what there is to do with the one chosen.

    edit_wanted: the id of the one to edit. new_wanted: the person wants a new one.
    """

    edit_wanted = Signal(str)
    new_wanted = Signal()

    def __init__(
        self,
        rows: QListWidget,
        *,
        store: Store[Stored, Content],
        files: JsonFiles[Content],
        words: ListWords,
        icon: str,
        changed: type[Event],
        events: Events,
        theme: Theme,
        tasks: Tasks,
        parent: QWidget | None = None,
    ) -> None:
        """`changed`: the event after which the list is read anew."""
        super().__init__(parent)
        self._store, self._files, self._words = store, files, words
        self._changed = changed
        self._tasks = tasks
        self._theme = theme
        self._select_next: str | None = None
        self._throttle = Throttle(REFRESH_MS, self.refresh, self)
        self.list = rows
        self._delegate = TwoLines(theme)
        self._empty = Empty(theme, icon)
        self._pages = QStackedWidget()
        self.report = Problem(theme, "accent", "info")
        self.failure = Problem(theme, "danger", "warning-circle")
        self._make_actions()
        self._arrange()
        self.destroyed.connect(events.subscribe(self._heard))
        self._enable()
        self.refresh()

    # --- what a subclass says -----------------------------------------------------------------

    def described(self, stored: Stored) -> str:
        """A few words about one."""
        raise NotImplementedError

    def content(self, stored: Stored) -> Content:
        """What is copied and exported of one."""
        raise NotImplementedError

    def renamed(self, content: Content, name: str) -> Content:
        """The same under another name."""
        raise NotImplementedError

    def ask_to_delete(self, stored: Stored) -> None:
        """Ask whether to delete one."""
        raise NotImplementedError

    def about(self, stored: Stored) -> str:
        """What is shown when the pointer rests on one."""
        return ""

    def act(self) -> None:
        """What Return and a double click do: edit the chosen one."""
        self._edit()

    def _make_actions(self) -> None:
        self.edit_action = self._action(tr("Edit …"), "pencil-simple", self._edit, "F2")
        self.duplicate_action = self._action(tr("Duplicate"), "copy-simple", self._duplicate)
        self.export_action = self._action(tr("Export …"), "export", self._export)
        self.delete_action = self._action(
            tr("Delete …"), "trash", self._ask_to_delete, QKeySequence.StandardKey.Delete
        )

    def _fill_row(self, row: QHBoxLayout) -> None:
        """Put buttons into the row below the list."""
        row.addStretch(1)
        for action in (
            self.edit_action,
            self.duplicate_action,
            self.export_action,
            self.delete_action,
        ):
            row.addWidget(action_button(action))

    # --- reading -----------------------------------------------------------------------------

    @property
    def chosen(self) -> Stored | None:
        """The one chosen in the list."""
        stored: Stored | None = self.list.currentIndex().data(StoredRole)
        return stored

    def refresh(self) -> None:
        """Read them anew."""
        self._tasks.start(self._read(), failed=self.failure.say)

    def import_from(self, file: Path) -> None:
        """Import a file; where there is one of that name, the person is asked."""
        self._say()
        self._tasks.start(self._import(file), failed=self.failure.say)

    def _heard(self, event: Event) -> None:
        if isinstance(event, self._changed):
            self._throttle.request()

    async def _read(self) -> None:
        found = await self._store.list()
        before = self.chosen
        wanted = self._select_next or (before and before.id)
        row = max(self.list.currentRow(), 0)
        self.list.clear()
        for stored in found:
            item = QListWidgetItem(revealed(stored.name))
            item.setData(StoredRole, stored)
            item.setData(Qt.ItemDataRole.AccessibleDescriptionRole, self.described(stored))
            item.setToolTip(tip(self.about(stored)))
            self.list.addItem(item)
            if stored.id == wanted:
                row, self._select_next = self.list.count() - 1, None
        self.list.setCurrentRow(min(row, self.list.count() - 1))
        self._empty.say(self._words.none, self._words.none_hint)
        self._pages.setCurrentIndex(1 if found else 0)
        self._enable()

    # --- what a person does ------------------------------------------------------------------

    def _edit(self) -> None:
        if stored := self.chosen:
            self.edit_wanted.emit(stored.id)

    def _duplicate(self) -> None:
        if stored := self.chosen:
            self._say()
            self._tasks.start(self._add_copy(self.content(stored)), failed=self.failure.say)

    def _export(self) -> None:
        stored = self.chosen
        if stored is None:
            return
        content = self.content(stored)
        self._say()

        def chosen(file: Path) -> None:
            self._tasks.start(self._write(file, content), failed=self.failure.say)

        self._files.ask_where_to_write(self, content.name, chosen)

    def _ask_to_delete(self) -> None:
        if stored := self.chosen:
            self._say()
            self.ask_to_delete(stored)

    # --- doing it ----------------------------------------------------------------------------

    async def _import(self, file: Path) -> None:
        content = await self._files.read(file)
        if await self._store.by_name(content.name) is None:
            await self._replace(content)
            return
        button = QMessageBox.StandardButton

        def answered(answer: QMessageBox.StandardButton) -> None:
            if answer == button.Yes:
                self._tasks.start(self._replace(content), failed=self.failure.say)
            elif answer == button.No:
                self._tasks.start(self._add_copy(content), failed=self.failure.say)

        ask(
            self,
            tr("Replace {name}?", name=content.name),
            self._words.replaced,
            (button.Cancel, button.Yes, button.No),
            answered,
            {button.Yes: tr("Replace"), button.No: tr("Keep both")},
        )

    async def _replace(self, content: Content) -> None:
        stored = await self._store.import_(content)
        self._chosen_next(stored, tr("Imported {name}.", name=stored.name))

    async def _add_copy(self, content: Content) -> None:
        taken = {stored.name for stored in await self._store.list()}
        name = free_name(content.name, taken)
        stored = await self._store.save(self.renamed(content, name))
        self._chosen_next(stored, tr("Added {name}.", name=stored.name))

    async def _write(self, file: Path, content: Content) -> None:
        await self._files.write(file, content)
        self.report.say(tr("Exported {name} to {file}.", name=content.name, file=file))

    def _chosen_next(self, stored: Stored, report: str) -> None:
        self._select_next = stored.id
        self.report.say(report)
        self._throttle.request()

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
        *others, delete = self.list.actions()
        menu.addActions(others)
        menu.addSeparator()
        menu.addAction(delete)
        menu.popup(self.list.viewport().mapToGlobal(at))

    def _enable(self) -> None:
        chosen = self.chosen is not None
        for action in self.list.actions():
            action.setEnabled(chosen)

    def _arrange(self) -> None:
        title = Label(self._words.title)
        title.setFont(self._theme.heading())
        new = icon_button(self._theme, "plus", self._words.new)
        new.clicked.connect(self.new_wanted)
        bring = icon_button(self._theme, "download-simple", self._words.bring)
        bring.clicked.connect(lambda: self._files.ask_what_to_read(self, self.import_from))
        top = QHBoxLayout()
        top.setContentsMargins(L, M, S, S)
        top.addWidget(title)
        top.addStretch(1)
        top.addWidget(bring)
        top.addWidget(new)

        self.list.setAccessibleName(self._words.title)
        self.list.setItemDelegate(self._delegate)
        self.list.setProperty("panel", "window")
        self.list.setFrameShape(QFrame.Shape.NoFrame)
        self.list.setMouseTracking(True)
        self.list.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.list.customContextMenuRequested.connect(self._menu)
        self.list.itemActivated.connect(lambda _item: self.act())
        self.list.currentRowChanged.connect(lambda _row: self._enable())
        self._pages.addWidget(self._empty)
        self._pages.addWidget(self.list)
        self._empty.say("", "")

        below = QHBoxLayout()
        below.setContentsMargins(S, XS, S, S)
        below.setSpacing(XS)
        self._fill_row(below)
        said = QVBoxLayout()
        said.setContentsMargins(S, 0, S, 0)
        said.addWidget(self.report)
        said.addWidget(self.failure)
        column = edge_to_edge(QVBoxLayout(self))
        column.addLayout(top)
        column.addWidget(self._pages, 1)
        column.addLayout(said)
        column.addLayout(below)
        self.setFocusProxy(self.list)
        self._theme.changed.connect(self.list.viewport().update)


def free_name(name: str, taken: set[str]) -> str:
    """`name`, or `name 2`, `name 3` … : the first that is not taken."""
    candidate, number = name, 2
    while candidate in taken:
        candidate = f"{name[:190]} {number}"
        number += 1
    return candidate
