"""What can be done to the chats that are chosen in the list, by menu, key and drop."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from typing import Any

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QInputDialog, QMenu, QWidget

from chatty_desktop.domain.messages import Folder, Session
from chatty_desktop.engine.ports import Folders, Sessions
from chatty_desktop.ui.language import tr
from chatty_desktop.ui.sessions.rows import ARCHIVED, FOLDER, PINNED, RECENT
from chatty_desktop.ui.tasks import Tasks
from chatty_desktop.ui.theme import Theme

_MOST_WINDOWS = 8
"""Opened at once, however many chats are chosen."""


class SessionActs(QObject):
    """Actions on chosen chats; `chosen` gives the chats, `folders` those there are.

    rename, pin, archive, duplicate, delete: also in the list itself, by their keys.
    rename_wanted: the one chat that is chosen. delete_wanted, duplicate_wanted: ids of chats.
    apart_wanted: the id of a chat to show in a window of its own. forget_wanted: the id of a chat
    that is to leave no trace.
    """

    rename_wanted = Signal()
    delete_wanted = Signal(list)
    duplicate_wanted = Signal(list)
    apart_wanted = Signal(str)
    forget_wanted = Signal(str)

    def __init__(
        self,
        *,
        sessions: Sessions,
        folders: Folders,
        chosen: Callable[[], list[Session]],
        known: Callable[[], Sequence[Folder]],
        theme: Theme,
        tasks: Tasks,
        parent: QWidget,
    ) -> None:
        super().__init__(parent)
        self._over = parent
        self._sessions = sessions
        self._folders = folders
        self._chosen = chosen
        self._known = known
        self._theme = theme
        self._tasks = tasks
        self.rename = self._make(tr("Rename"), "pencil-simple", self.rename_wanted.emit)
        self.rename.setShortcut(QKeySequence(Qt.Key.Key_F2))
        self.apart = self._make(tr("Open in a new window"), "arrow-square-out", self.open_apart)
        self.pin = self._make("", "push-pin", self.pin_chosen)
        self.archive = self._make("", "archive", self.archive_chosen)
        self.duplicate = self._make(tr("Duplicate"), "copy", self.duplicate_chosen)
        self.delete = self._make(tr("Delete"), "trash", self.delete_chosen, danger=True)
        forget = tr("Forget with proof …")
        self.forget = self._make(forget, "eraser", self.forget_chosen, danger=True)
        self.delete.setShortcut(QKeySequence(QKeySequence.StandardKey.Delete))
        for action in (self.rename, self.delete):
            action.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)

    # --- what is done ------------------------------------------------------------------------

    def pin_chosen(self) -> None:
        """Pin the chosen chats, or, when all of them are pinned, no longer."""
        chats = self._chosen()
        if chats:
            self._do(self._sessions.pin(_ids(chats), not all(chat.pinned for chat in chats)))

    def archive_chosen(self) -> None:
        """Archive the chosen chats, or bring them back when all are archived."""
        chats = self._chosen()
        if chats:
            self._do(self._sessions.archive(_ids(chats), not all(c.archived for c in chats)))

    def open_apart(self) -> None:
        """Ask for each of the chosen chats in a window of its own."""
        for chat in self._chosen()[:_MOST_WINDOWS]:
            self.apart_wanted.emit(chat.id)

    def duplicate_chosen(self) -> None:
        """Ask for copies of the chosen chats."""
        if chats := self._chosen():
            self.duplicate_wanted.emit(_ids(chats))

    def delete_chosen(self) -> None:
        """Ask for the chosen chats to be deleted."""
        if chats := self._chosen():
            self.delete_wanted.emit(_ids(chats))

    def forget_chosen(self) -> None:
        """Ask for the one chosen chat to leave no trace."""
        if len(chats := self._chosen()) == 1:
            self.forget_wanted.emit(chats[0].id)

    def put(self, session_ids: Sequence[str], section: str) -> None:
        """Move chats to where they were dropped."""
        if section == PINNED:
            self._do(self._sessions.pin(session_ids, True))
        elif section == ARCHIVED:
            self._do(self._sessions.archive(session_ids, True))
        elif section.startswith(FOLDER):
            self._do(self._into(session_ids, section.removeprefix(FOLDER)))
        elif section == RECENT:
            self._do(self._into(session_ids, None))

    def new_folder(self, session_ids: Sequence[str] = ()) -> None:
        """Ask for a name, make the folder, put the chats into it."""

        async def make(name: str) -> None:
            folder = await self._folders.create(name)
            if session_ids:
                await self._into(session_ids, folder.id)

        self._ask(tr("New folder"), tr("Name of the folder"), "", make)

    # --- menus -------------------------------------------------------------------------------

    def menu_of_chats(self) -> QMenu:
        """The menu of the chosen chats; shown and deleted by the caller."""
        chats = self._chosen()
        self.name_actions(chats)
        menu = QMenu(self._over)
        menu.addAction(self.apart)
        if len(chats) == 1:
            menu.addAction(self.rename)
        menu.addAction(self.pin)
        menu.addMenu(self.menu_of_folders(menu))
        menu.addAction(self.duplicate)
        menu.addAction(self.archive)
        menu.addSeparator()
        menu.addAction(self.delete)
        if len(chats) == 1:
            menu.addAction(self.forget)
        return menu

    def menu_of_folders(self, parent: QWidget) -> QMenu:
        """Where the chosen chats can be moved to."""
        chats = self._chosen()
        ids = _ids(chats)
        menu = QMenu(tr("Move to folder"), parent)
        menu.setIcon(self._theme.icon("folder-simple"))
        inside = {chat.folder_id for chat in chats}
        for folder in self._known():
            action = menu.addAction(folder.name.replace("&", "&&"))
            action.setCheckable(True)
            action.setChecked(inside == {folder.id})
            action.triggered.connect(lambda _checked, to=folder.id: self._do(self._into(ids, to)))
        if self._known():
            menu.addSeparator()
        new = menu.addAction(tr("New folder …"))
        new.triggered.connect(lambda: self.new_folder(ids))
        if inside != {None}:
            out = menu.addAction(tr("Out of the folder"))
            out.triggered.connect(lambda: self._do(self._into(ids, None)))
        return menu

    def menu_of_folder(self, folder_id: str) -> QMenu:
        """The menu of a folder's heading."""
        menu = QMenu(self._over)
        rename = menu.addAction(tr("Rename the folder …"))
        self._theme.dress(rename, "pencil-simple")
        rename.triggered.connect(lambda: self.rename_folder(folder_id))
        delete = menu.addAction(tr("Delete the folder, keep its chats"))
        self._theme.dress(delete, "trash", "danger")
        delete.triggered.connect(lambda: self._do(self._folders.delete(folder_id)))
        menu.addSeparator()
        menu.addAction(tr("New folder …")).triggered.connect(lambda _checked: self.new_folder())
        return menu

    def rename_folder(self, folder_id: str) -> None:
        """Ask for another name of a folder."""
        name = next((f.name for f in self._known() if f.id == folder_id), "")
        self._ask(
            tr("Rename folder"),
            tr("Name of the folder"),
            name,
            lambda text: self._folders.rename(folder_id, text),
        )

    def name_actions(self, chats: Sequence[Session]) -> None:
        """Say what the actions would do to these chats."""
        pinned = bool(chats) and all(chat.pinned for chat in chats)
        archived = bool(chats) and all(chat.archived for chat in chats)
        self.pin.setText(tr("Unpin") if pinned else tr("Pin"))
        self.archive.setText(tr("Back from the archive") if archived else tr("Archive"))

    # --- parts -------------------------------------------------------------------------------

    async def _into(self, session_ids: Sequence[str], folder_id: str | None) -> None:
        """Into a folder, where nothing hides it: pinned and archived chats stand elsewhere."""
        await self._sessions.move(session_ids, folder_id)
        await self._sessions.pin(session_ids, False)
        await self._sessions.archive(session_ids, False)

    def _ask(
        self,
        title: str,
        label: str,
        text: str,
        then: Callable[[str], Coroutine[Any, Any, Any]],
    ) -> None:
        dialog = QInputDialog(self._over)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setWindowTitle(title)
        dialog.setLabelText(label)
        dialog.setTextValue(text)
        dialog.textValueSelected.connect(lambda given: self._do(then(given)))
        dialog.open()

    def _do(self, work: Coroutine[Any, Any, Any]) -> None:
        self._tasks.start(work)

    def _make(
        self, text: str, icon: str, call: Callable[[], object], *, danger: bool = False
    ) -> QAction:
        action = QAction(text, self)
        self._theme.dress(action, icon, "danger" if danger else "muted")
        action.triggered.connect(lambda _checked: call())
        return action


def _ids(chats: Sequence[Session]) -> list[str]:
    return [chat.id for chat in chats]
