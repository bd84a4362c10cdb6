"""Going to a message of the open chat, which may stand on another branch of it."""

from __future__ import annotations

from collections.abc import Callable

from chatty_desktop.domain.events import Notice
from chatty_desktop.engine.chat import ChatService
from chatty_desktop.ui.banners import BannerAction, Banners
from chatty_desktop.ui.chat.transcript import Transcript
from chatty_desktop.ui.language import tr
from chatty_desktop.ui.tasks import Tasks


class GoingToMessage:
    """Brings a message into sight. `session` is the id of the chat that is open."""

    def __init__(
        self,
        transcript: Transcript,
        banners: Banners,
        chat: ChatService,
        session: Callable[[], str | None],
        tasks: Tasks,
    ) -> None:
        self._transcript = transcript
        self._banners = banners
        self._chat = chat
        self._session = session
        self._tasks = tasks

    async def to(self, message_id: str) -> None:
        """Show a message, or offer to go to the branch that it is on."""
        session_id = self._session()
        if await self._transcript.show_message(message_id) or session_id != self._session():
            return
        text = tr("That message is on another branch of the chat.")
        show = BannerAction(
            tr("Go to that branch"), lambda: self._tasks.start(self._turn_to(message_id))
        )
        self._banners.add(Notice("info", text, session_id), show)

    async def _turn_to(self, message_id: str) -> None:
        """Go to the branch of a message: what agents remember follows."""
        session_id = self._session()
        await self._chat.switch_to(message_id)
        if session_id == self._session():
            await self._transcript.show_message(message_id)
