"""Deleting chats from the window: told in a banner, which brings them back for a while."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction

from chatty_desktop.domain.events import Notice
from chatty_desktop.domain.messages import DeletionCounts
from chatty_desktop.domain.titles import UNTITLED
from chatty_desktop.engine.deletion import Deletions
from chatty_desktop.engine.ports import Sessions
from chatty_desktop.ui.banners import BannerAction
from chatty_desktop.ui.chat.pane import ChatPane
from chatty_desktop.ui.counts import counted
from chatty_desktop.ui.language import tr, trn
from chatty_desktop.ui.tasks import Tasks


class Deleting(QObject):
    """Deletes chats, and undoes the last deletion by its banner or by `undo`, an action that can
    be used while there is one."""

    def __init__(
        self,
        *,
        deletions: Deletions,
        sessions: Sessions,
        chat: ChatPane,
        undo: QAction,
        tasks: Tasks,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._deletions = deletions
        self._sessions = sessions
        self._chat = chat
        self._action = undo
        self._tasks = tasks
        self._last: tuple[Sequence[str], Notice] | None = None
        undo.setEnabled(False)
        undo.triggered.connect(self._undo_last)

    def delete(self, session_ids: Sequence[str]) -> None:
        """Delete the chats; nothing is asked, since it can be undone."""
        self._tasks.start(self._delete(session_ids))

    async def _delete(self, session_ids: Sequence[str]) -> None:
        sessions = [await self._sessions.get(session_id) for session_id in session_ids]
        counts = await self._deletions.delete(session_ids)
        if self._chat.session_id in session_ids:
            self._chat.new_chat()
        titles = [session.title or tr(UNTITLED) for session in sessions if session]
        notice = Notice("info", deleted(titles, counts))
        self._last = (session_ids, notice)
        self._action.setEnabled(True)
        undo = BannerAction(tr("Undo"), lambda: self._undo(session_ids))
        self._chat.banners.add(notice, undo)

    def _undo_last(self) -> None:
        if self._last is not None:
            session_ids, notice = self._last
            self._chat.banners.drop(notice)
            self._undo(session_ids)

    def _undo(self, session_ids: Sequence[str]) -> None:
        if self._last is not None and self._last[0] == session_ids:
            self._last = None
            self._action.setEnabled(False)
        self._tasks.start(self._bring_back(session_ids))

    async def _bring_back(self, session_ids: Sequence[str]) -> None:
        await self._deletions.undo(session_ids)
        if len(session_ids) == 1:
            self._chat.open(session_ids[0])


def deleted(titles: Sequence[str], counts: DeletionCounts) -> str:
    """One line for the person."""
    what = counted(counts)
    if len(titles) == 1:
        return tr("Deleted “{title}”: {what}.", title=titles[0], what=what)
    chats = trn("{count} chat", "{count} chats", len(titles))
    return tr("Deleted {chats}: {what}.", chats=chats, what=what)
