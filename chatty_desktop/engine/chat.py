"""The chat service: takes a message, runs the agent, lets memory settle behind the reply.

What is done to a message is done to its memory: an edit, another answer and a switch between
versions make or choose a branch, which memory follows; a deletion takes along what was made of it.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable, Sequence

from chatty_desktop.domain.agents import Agent
from chatty_desktop.domain.attachments import MOST_FILES, AttachedFile, Attachment
from chatty_desktop.domain.characters import whole_text
from chatty_desktop.domain.errors import Invalid
from chatty_desktop.domain.events import (
    BranchChanged,
    MemoryChanged,
    MessageCommitted,
    RunPhaseChanged,
    SessionsChanged,
)
from chatty_desktop.domain.ids import new_id
from chatty_desktop.domain.messages import DeletionCounts, Message, Scope, Status
from chatty_desktop.engine.agent_runs import AgentRuns
from chatty_desktop.engine.memories import Memories
from chatty_desktop.engine.ports import (
    Agents,
    MessageLog,
    Sessions,
)
from chatty_desktop.engine.running import Answering, Running
from chatty_desktop.engine.turn import Turn


class ChatService:
    """Sends messages, answers them again, deletes, stops."""

    def __init__(
        self,
        *,
        sessions: Sessions,
        messages: MessageLog,
        agents: Agents,
        memories: Memories,
        agent_runs: AgentRuns,
        running: Running,
    ) -> None:
        self._sessions = sessions
        self._messages = messages
        self._agents = agents
        self._memories = memories
        self._agent_runs = agent_runs
        self._running = running
        self._publish = running.publish

    # --- what a person does ------------------------------------------------------------------

    async def send(
        self,
        session_id: str,
        agent_id: str,
        text: str,
        files: Sequence[Attachment | AttachedFile] = (),
    ) -> Message:
        """Commit the person's message with its files, those that are stored by name alone, and
        start the answer; returns once it is committed.

        Raises `Invalid` when there is nothing in it, the chat is still answering, or the agent is
        not there; `StorageFailed` when it cannot be saved.
        """
        await self._running.ended(session_id)
        with self._running.answering_in(session_id) as answering:
            session = await self._sessions.get(session_id)
            if session is None:
                raise Invalid("That chat is no longer there.")
            return await self._send(answering, session_id, session.leaf_id, agent_id, text, files)

    async def edit(
        self,
        message_id: str,
        text: str,
        agent_id: str | None = None,
        files: Sequence[Attachment] | None = None,
    ) -> Message:
        """Send a message of the person with other words, or to another agent: a branch of its own
        beside the first. Its files go along, or only those named. Raises as `send` does."""
        message = await self._at_rest(message_id)
        if message.role != "user":
            raise Invalid("Only messages of your own can be edited and sent again.")
        session_id = message.session_id
        with self._running.answering_in(session_id) as answering:
            agent_id = agent_id or message.agent_id
            kept = message.attachments if files is None else files
            await self._check(agent_id, text, kept)
            await self._turn_to(session_id, message.parent_id)
            return await self._send(answering, session_id, message.parent_id, agent_id, text, kept)

    async def retry(self, session_id: str) -> None:
        """Answer the newest message of the person again: the new reply is a sibling of the old.

        Raises `Invalid` when there is no such message, or the chat is still answering.
        """
        await self._running.ended(session_id)
        with self._running.answering_in(session_id) as answering:
            page = await self._messages.page(session_id, limit=100)
            asked = next((m for m in reversed(page) if m.role == "user"), None)
            if asked is None:
                raise Invalid("There is no message to answer again.")
            await self._answer_again(answering, asked)

    async def answer_again(self, message_id: str, model: str | None = None) -> None:
        """Another answer beside the one named, or to the message of the person named; by another
        model when one is given. Raises `Invalid` as `retry` does."""
        message = await self._at_rest(message_id)
        with self._running.answering_in(message.session_id) as answering:
            await self._answer_again(answering, await self._asked(message), model=model)

    async def ask_another(self, message_id: str, agent_id: str) -> Message:
        """Send the message that was asked to another agent too, as a version beside it. Raises as
        `send` does."""
        asked = await self._asked(await self._message(message_id))
        return await self.edit(asked.id, asked.content, agent_id)

    async def go_on(self, message_id: str) -> None:
        """Go on with a reply that was stopped or cut: a version of it beside the first, that
        begins with its words. Raises `Invalid` when there is nothing to go on with."""
        message = await self._at_rest(message_id)
        unfinished = (Status.STOPPED, Status.CUT, Status.TRUNCATED)
        if message.role != "assistant" or message.status not in unfinished or not message.content:
            raise Invalid("Only a reply that was stopped or cut off can be gone on with.")
        with self._running.answering_in(message.session_id) as answering:
            steps = await self._steps_before(message)
            asked = await self._asked(message)
            await self._turn_to(message.session_id, message.parent_id)
            self._start(
                answering,
                await self._memories.agent(asked.agent_id),
                asked,
                new_id(),
                model=message.model or None,
                begun=message.content,
                steps=steps,
            )

    async def add_version(
        self, message_id: str, text: str, *, model: str, reasoning: str = ""
    ) -> Message:
        """Put an answer that came of elsewhere beside a reply, as a version of it, and let memory
        take it in. Raises `Invalid` when it has no words, or while the chat is answering."""
        if not text.strip():
            raise Invalid("There is no answer to take: it has no words.")
        message = await self._at_rest(message_id)
        asked = await self._asked(message)
        scope = Scope(asked.agent_id, asked.session_id)
        with self._running.answering_in(asked.session_id):
            await self._running.settled(scope)
            await self._turn_to(asked.session_id, asked.id)
            version = Message(
                id=new_id(),
                session_id=asked.session_id,
                parent_id=asked.id,
                agent_id=asked.agent_id,
                run_id=new_id(),
                role="assistant",
                content=text,
                at=time.time(),
                status=Status.COMPLETE,
                model=model,
                reasoning=reasoning,
            )
            await self._messages.append(version)
            self._publish(MessageCommitted(version))
            self._tell_of_branch(asked.session_id, {scope})
        agent = await self._memories.agent(asked.agent_id)
        await self._memories.of(agent, scope, version.run_id).record(version)
        await self._memories.take_in_again(scope)
        return version

    async def switch_to(self, message_id: str) -> None:
        """Show another version of a message, with what was said last after it. Raises `Invalid`
        while the chat is answering."""
        message = await self._at_rest(message_id)
        with self._running.answering_in(message.session_id):
            end = await self._messages.newest_below(message_id)
            await self._turn_to(message.session_id, end)

    async def branch_from(self, message_id: str) -> None:
        """Let the next message follow this one; what follows now stays on its branch. Raises
        `Invalid` while the chat is answering."""
        message = await self._at_rest(message_id)
        with self._running.answering_in(message.session_id):
            await self._turn_to(message.session_id, message_id)

    async def delete_message(self, message_id: str, *, following: bool = False) -> DeletionCounts:
        """Delete a message with what belongs to it, or with all that follows it, and everything
        made of them (`ports.MessageLog.delete`). What memory had taken in later and stays is
        taken in again, in the background. Raises `Invalid` while the chat is answering."""
        message = await self._at_rest(message_id)
        session_id = message.session_id
        with self._running.answering_in(session_id):
            for scope in await self.scopes(session_id):
                await self._running.settled(scope)
            scopes, counts = await self._messages.delete(
                session_id, message_id, following=following
            )
            self._tell_of_branch(session_id, scopes)
            self._publish(SessionsChanged(session_id))
        for scope in scopes:
            await self._memories.take_in_again(scope)
        return counts

    def stop(self, session_id: str) -> None:
        """Stop the answer of a session, keeping what has come of it; where there is none, stop
        its memory from settling (what is not folded stays queued)."""
        self._running.stop(session_id)

    async def delete_session(self, session_id: str) -> DeletionCounts:
        """Stop what runs in a session, then delete it and everything derived from it."""
        await self._running.end(session_id)
        return await self._sessions.delete(session_id)

    async def put_away(self, session_ids: Sequence[str]) -> DeletionCounts:
        """Stop what runs in sessions, then take them out of every list; what is said of them can
        be brought back by `Sessions.restore`."""
        await asyncio.gather(*(self._running.end(session_id) for session_id in session_ids))
        return await self._sessions.put_away(session_ids)

    async def delete_agent(self, agent_id: str) -> DeletionCounts:
        """Stop what an agent is at, then delete it with its memory in every session; what was
        said stays in the chats."""
        sessions = self._running.of_agent(agent_id)
        await asyncio.gather(*(self._running.end(session_id) for session_id in sessions))
        return await self._agents.delete(agent_id)

    # --- what is shown -----------------------------------------------------------------------

    def phase(self, session_id: str) -> RunPhaseChanged | None:
        """Where the session's run stands, None when nothing runs."""
        return self._running.phase(session_id)

    def at_work(self, agent_id: str) -> set[str]:
        """The sessions in which the agent answers or its memory settles."""
        return self._running.of_agent(agent_id)

    def running(self) -> list[str]:
        """The sessions in which something runs."""
        return self._running.sessions()

    def partial(self, session_id: str) -> tuple[str, str, str] | None:
        """(message id, text, reasoning) of the reply being written, None without one."""
        reply = self._running.reply(session_id)
        return None if reply is None else (reply.id, reply.content, reply.reasoning)

    async def wait(self, session_id: str) -> None:
        """Return when the session's run has ended and its memory has settled."""
        await self._running.wait(session_id)

    async def end_all(self) -> None:
        """Stop every answer and every settling memory; return when all have ended."""
        await self._running.end_all()

    async def close(self) -> None:
        """Stop every answer, keeping what has come of it, and every settling memory."""
        await self._running.close()

    # --- how it is done ----------------------------------------------------------------------

    async def _send(
        self,
        answering: Answering,
        session_id: str,
        parent_id: str | None,
        agent_id: str,
        text: str,
        files: Sequence[Attachment | AttachedFile],
    ) -> Message:
        agent = await self._check(agent_id, text, files)
        new = [file for file in files if isinstance(file, AttachedFile)]
        message = Message(
            id=new_id(),
            session_id=session_id,
            parent_id=parent_id,
            agent_id=agent_id,
            run_id=new_id(),
            role="user",
            content=whole_text(text),
            at=time.time(),
            attachments=tuple(f.about if isinstance(f, AttachedFile) else f for f in files),
        )
        await self._messages.append(message, new)
        self._publish(MessageCommitted(message))
        self._publish(SessionsChanged(session_id))
        self._start(answering, agent, message, message.run_id)
        return message

    async def _answer_again(
        self, answering: Answering, asked: Message, *, model: str | None = None
    ) -> None:
        agent = await self._memories.agent(asked.agent_id)
        await self._turn_to(asked.session_id, asked.id)
        self._start(answering, agent, asked, new_id(), model=model)

    async def _check(self, agent_id: str, text: str, files: Sequence[object] = ()) -> Agent:
        """The agent, when a message can be sent to it. Raises `Invalid`."""
        if not text.strip() and not files:
            raise Invalid("There is nothing to send: the message is empty.")
        if len(files) > MOST_FILES:
            raise Invalid(f"A message takes {MOST_FILES} files at most; this one has {len(files)}.")
        return await self._memories.agent(agent_id)

    async def _message(self, message_id: str) -> Message:
        message = await self._messages.get(message_id)
        if message is None:
            raise Invalid("That message is no longer there.")
        return message

    async def _at_rest(self, message_id: str) -> Message:
        """A message, once an answer that is just ending in its session has ended."""
        message = await self._message(message_id)
        await self._running.ended(message.session_id)
        return message

    async def _asked(self, message: Message) -> Message:
        """The message of the person that another one belongs to. Raises `Invalid`."""
        while message.role != "user":
            if message.parent_id is None:
                raise Invalid("There is no message to answer again.")
            message = await self._message(message.parent_id)
        return message

    async def _steps_before(self, message: Message) -> tuple[Message, ...]:
        """The calls and results of a run that stand before a reply of it."""
        steps: list[Message] = []
        while message.parent_id is not None:
            message = await self._message(message.parent_id)
            if message.role == "user":
                break
            steps.insert(0, message)
        return tuple(steps)

    async def _turn_to(self, session_id: str, leaf_id: str | None) -> None:
        """Make another message the end of the branch."""
        session = await self._sessions.get(session_id)
        if session is not None and session.kind == "graph":
            raise Invalid("A graph run has no versions: run the graph again instead.")
        before = await self.scopes(session_id)
        await self._messages.set_leaf(session_id, leaf_id)
        self._tell_of_branch(session_id, {*before, *await self.scopes(session_id)})

    async def scopes(self, session_id: str) -> set[Scope]:
        """Those that have messages on the branch."""
        branch = await self._messages.branch(session_id)
        return {Scope(agent_id, session_id) for agent_id in {m.agent_id for m in branch}}

    def _tell_of_branch(self, session_id: str, scopes: Iterable[Scope]) -> None:
        self._publish(BranchChanged(session_id))
        for scope in scopes:
            self._publish(MemoryChanged(scope))

    def _start(
        self,
        answering: Answering,
        agent: Agent,
        asked: Message,
        run_id: str,
        *,
        model: str | None = None,
        begun: str = "",
        steps: tuple[Message, ...] = (),
    ) -> None:
        """Let the agent answer, with a model of its own or another; `begun` is how the answer
        begins, after `steps` of it."""
        scope = Scope(agent.id, asked.session_id)
        definition = agent.definition
        if model is not None:
            definition = definition.model_copy(update={"model": model})
        turn = Turn(
            run_id=run_id,
            scope=scope,
            agent=definition,
            incoming=asked,
            strategy=definition.memory_strategy.model_dump(mode="json"),
            begun=begun,
            steps=steps,
        )
        self._running.start(answering, scope, self._agent_runs.new(agent, turn))
