"""Copies of chats, which go their own way from there on."""

from __future__ import annotations

from collections.abc import Sequence

from chatty_desktop.app import App
from chatty_desktop.domain.titles import UNTITLED
from chatty_desktop.ui.chat.pane import ChatPane
from chatty_desktop.ui.language import tr
from chatty_desktop.ui.tasks import Tasks


class Duplicating:
    """Makes them, and opens one that was made alone."""

    def __init__(self, app: App, chat: ChatPane, tasks: Tasks) -> None:
        self._app, self._chat, self._tasks = app, chat, tasks

    def duplicate(self, session_ids: Sequence[str]) -> None:
        """Copy each of the chats."""
        self._tasks.start(self._duplicate(session_ids))

    async def _duplicate(self, session_ids: Sequence[str]) -> None:
        for session_id in session_ids:
            session = await self._app.sessions.get(session_id)
            title = tr("{title} (copy)", title=session.title or tr(UNTITLED)) if session else ""
            copy = await self._app.duplicates.duplicate(session_id, title)
            if len(session_ids) == 1:
                self._chat.open(copy.id)
