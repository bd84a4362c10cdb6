"""What is being written, from its first letter until it is sent: kept in every chat and on the
empty page, on which it begins a chat."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject

from chatty_desktop.domain.attachments import Attachment, named
from chatty_desktop.domain.messages import Session
from chatty_desktop.domain.titles import title_from
from chatty_desktop.engine.chat import ChatService
from chatty_desktop.engine.ports import Drafts, Sessions
from chatty_desktop.ui.banners import Banners
from chatty_desktop.ui.chat.composer import Composer
from chatty_desktop.ui.tasks import Tasks
from chatty_desktop.ui.throttle import Throttle

KEPT_MS = 300
"""Between two times at which what is written is kept: reading a long text takes a moment."""


class Sending:
    """Ties a composer to the chat that is open, None on the empty page. `begun` is called with the
    session that was made for a first message, to open it."""

    def __init__(
        self,
        composer: Composer,
        *,
        drafts: Drafts,
        chat: ChatService,
        sessions: Sessions,
        banners: Banners,
        begun: Callable[[Session], None],
        tasks: Tasks,
        parent: QObject,
    ) -> None:
        self._composer = composer
        self._drafts = drafts
        self._chat = chat
        self._sessions = sessions
        self._banners = banners
        self._begun = begun
        self._tasks = tasks
        self._session_id: str | None = None
        self._keeping = Throttle(KEPT_MS, self._keep, parent)
        composer.set_text(drafts.text(None))
        composer.set_files(drafts.files(None))
        composer.files_changed.connect(lambda: drafts.keep_files(self._session_id, composer.files))
        composer.text_changed.connect(self._keeping.request)
        composer.send_wanted.connect(self._send)

    def keep(self) -> None:
        """Keep what is being written as it is at this moment."""
        self._keeping.now()

    def switch(self, session_id: str | None) -> None:
        """Keep what was being written, and put back what was being written there."""
        self.keep()
        self._session_id = session_id
        self._composer.set_text(self._drafts.text(session_id))
        self._composer.set_files(self._drafts.files(session_id))
        # What is shown now is what is kept.
        self._keeping.drop()

    def forget(self, session_id: str) -> None:
        """The chat is gone."""
        self._drafts.keep(session_id, "")
        self._drafts.keep_files(session_id, ())

    def _send(self, text: str) -> None:
        agent_id = self._composer.agent_id
        if agent_id is None:
            return
        self._composer.set_sending(True)
        self._tasks.start(self._sending(self._session_id, agent_id, text, self._composer.files))

    async def _sending(
        self, session_id: str | None, agent_id: str, text: str, files: tuple[Attachment, ...]
    ) -> None:
        title = title_from(text) if text.strip() else named(files)
        try:
            if session_id is None:
                session_id = await self._begin(agent_id, title, text, files)
            else:
                await self._name(session_id, title)
            self._banners.forget_session(session_id)
            await self._chat.send(session_id, agent_id, text, files)
            self._drop_files(session_id, files)
            if self._session_id == session_id and self._composer.text == text:
                self._composer.set_text("")
                self.keep()
            elif self._drafts.text(session_id) == text:
                self._drafts.keep(session_id, "")
        finally:
            self._composer.set_sending(False)

    def _drop_files(self, session_id: str, sent: tuple[Attachment, ...]) -> None:
        """What was sent is no longer of the draft; what came to it meanwhile is."""
        left = tuple(file for file in self._drafts.files(session_id) if file not in sent)
        self._drafts.keep_files(session_id, left)
        if self._session_id == session_id:
            self._composer.set_files(left)

    async def _begin(
        self, agent_id: str, title: str, text: str, files: tuple[Attachment, ...]
    ) -> str:
        """Make a session for a first message; the draft of the empty page becomes its own."""
        session = await self._sessions.create(title, agent_id)
        self._drafts.keep_files(session.id, files)
        if self._session_id is None:
            self._drafts.keep(session.id, self._composer.text)
            self._begun(session)
        else:
            self._drafts.keep(session.id, text)
        self._drafts.keep(None, "")
        self._drafts.keep_files(None, ())
        return session.id

    async def _name(self, session_id: str, title: str) -> None:
        session = await self._sessions.get(session_id)
        if session is not None and not session.title:
            await self._sessions.rename(session_id, title, by="words")

    def _keep(self) -> None:
        self._drafts.keep(self._session_id, self._composer.text)
