"""Titles for new chats, asked of the model that also folds and summarizes.

Behind the reply and behind memory: a title is asked for when nothing runs any more, given up for
the moment when something does, and asked for once in each chat; a model that could not be reached
is asked again after the next reply, while the chat is young.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Mapping

from chatty_desktop.domain.answers import without_reasoning
from chatty_desktop.domain.errors import ChattyError, Unreachable
from chatty_desktop.domain.events import Event, Level, LogEntry, RunLogged, RunPhaseChanged
from chatty_desktop.domain.messages import Message
from chatty_desktop.domain.requests import ChatRequest, Usage
from chatty_desktop.domain.titles import title_in, title_question
from chatty_desktop.engine.models import ModelChooser, within_length
from chatty_desktop.engine.ports import ChatModel, MessageLog, Publish, Runs, Sessions
from chatty_desktop.engine.step import closing_stream

log = logging.getLogger(__name__)

QUIET_SECONDS = 0.5
"""How long nothing has to run before a title is asked for."""

LONGEST_ANSWER = 400
"""Tokens of an answer that are waited for: a title takes ten, the rest is reasoning."""

FIRST_MESSAGES = 6
"""A chat that has gone on for longer keeps the title it has."""


class Titles:
    """Gives chats a title of their own after their first exchange. It hears what happens from
    `heard`; `wanted` says whether the person wants titles."""

    def __init__(
        self,
        *,
        sessions: Sessions,
        messages: MessageLog,
        runs: Runs,
        models: ModelChooser,
        prompts: Mapping[str, str],
        running: Callable[[], list[str]],
        wanted: Callable[[], bool],
        publish: Publish,
        quiet_seconds: float = QUIET_SECONDS,
    ) -> None:
        self._sessions = sessions
        self._messages = messages
        self._runs = runs
        self._models = models
        self._prompts = prompts
        self._running = running
        self._wanted = wanted
        self._publish = publish
        self._quiet_seconds = quiet_seconds
        self._waiting: list[str] = []
        self._asked: set[str] = set()
        self._task: asyncio.Task[None] | None = None
        self._closed = False

    def heard(self, event: Event) -> None:
        """Take note that a chat came to rest, or that something runs again."""
        if not isinstance(event, RunPhaseChanged) or self._closed:
            return
        if event.phase != "idle":
            # A reply never waits for a title: one model may have to do both.
            if self._task is not None:
                self._task.cancel()
            return
        if event.session_id not in self._asked and event.session_id not in self._waiting:
            self._waiting.append(event.session_id)
        if self._waiting and not self._running():
            self._start()

    async def close(self) -> None:
        """Give up what is being asked."""
        self._closed = True
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])

    def _start(self) -> None:
        if self._task is not None:
            self._task.cancel()
        self._task = asyncio.create_task(self._work())

    async def _work(self) -> None:
        await asyncio.sleep(self._quiet_seconds)
        while self._waiting:
            session_id = self._waiting[0]
            again = False
            try:
                await self._title(session_id)
            except ChattyError as problem:
                again = isinstance(problem, Unreachable)
                await self._tell(session_id, "info", f"No title was made: {problem}")
            except Exception:  # a title must not take the chat along
                log.exception("A title could not be made")
            if not again:
                self._asked.add(session_id)
            self._waiting.remove(session_id)

    async def _title(self, session_id: str) -> None:
        """Ask for a title, where the chat is young and nobody has given it one."""
        session = await self._sessions.get(session_id)
        if session is None or not self._wanted():
            return
        if session.titled_by != "words" or session.kind == "graph":
            return  # a graph's run is found by what it was given
        exchange = await self._first_exchange(session_id)
        if exchange is None:
            return
        model = await self._models.extractor(None)
        if model is None:
            return
        answer, usage = await self._ask(model, *exchange)
        title = title_in(without_reasoning(answer))
        if title:
            await self._sessions.rename(session_id, title, by="model", instead_of=session.title)
        cost = f"1 extra call, {usage.prompt_tokens or 0} + {usage.completion_tokens or 0} tokens"
        came = "" if title else ", and gave none that can be used"
        await self._tell(
            session_id, "info", f"{model.reference} was asked for a title{came}: {cost}."
        )

    async def _first_exchange(self, session_id: str) -> tuple[Message, Message] | None:
        """What was said first and the reply to it; None where the chat is older than that."""
        page = await self._messages.page(session_id, limit=FIRST_MESSAGES + 1)
        said = [message for message in page if message.counts and message.role != "tool"]
        if len(page) > FIRST_MESSAGES or len(said) < 2 or said[0].role != "user":
            return None
        reply = next((message for message in said if message.role == "assistant"), None)
        return (said[0], reply) if reply else None

    async def _ask(self, model: ChatModel, asked: Message, reply: Message) -> tuple[str, Usage]:
        """The answer, no further than the end of its first line that is no reasoning."""
        turns = title_question(self._prompts, asked.told, reply.content)
        request = ChatRequest(turns, temperature=0.0, max_tokens=LONGEST_ANSWER)
        answer, usage = "", Usage()
        async with closing_stream(within_length(model, request)) as deltas:
            async for delta in deltas:
                answer += delta.text
                usage = delta.usage or usage
                if "\n" in without_reasoning(answer).lstrip():
                    break
        return answer, usage

    async def _tell(self, session_id: str, level: Level, text: str) -> None:
        entry = LogEntry("", time.time(), level, text)
        try:
            await self._runs.log(session_id, entry)
        except ChattyError as problem:
            log.info("The run log could not be written: %s", problem)
        self._publish(RunLogged(session_id, entry))
