"""Forgetting a message, a chat or a fact so that it can be shown that nothing of it is left."""

from __future__ import annotations

from typing import Protocol

from chatty_desktop.domain.events import MemoryChanged, SessionsChanged
from chatty_desktop.domain.forgetting import ForgetPlan, ForgetTarget, Needles, Proof, Trace
from chatty_desktop.domain.work import Work
from chatty_desktop.engine.chat import ChatService
from chatty_desktop.engine.ports import Publish


class ForgettingStore(Protocol):
    """What all stores together hold of something."""

    async def plan(self, target: ForgetTarget) -> ForgetPlan:
        """All that would go; nothing is changed. Raises `Invalid`, `StorageFailed`."""
        ...

    async def forget_rest(self, plan: ForgetPlan) -> None:
        """What quotes messages that are deleted by now."""
        ...

    async def forget_fact(self, target: ForgetTarget) -> None:
        """A fact, with where it was noted and sent."""
        ...

    async def blank(self, work: Work) -> None:
        """Leave no byte of what was deleted in any file."""
        ...

    async def search(self, needles: Needles, work: Work) -> Proof:
        """Look for what was deleted in every store."""
        ...

    async def remove(self, trace: Trace) -> None:
        """Delete a backup or empty a log in which something was found."""
        ...


class Forgetting:
    """Three steps: `plan` tells, `carry_out` deletes and blanks, `prove` looks."""

    def __init__(self, store: ForgettingStore, chat: ChatService, publish: Publish) -> None:
        self._store = store
        self._chat = chat
        self._publish = publish

    async def plan(self, target: ForgetTarget) -> ForgetPlan:
        """All that was made of a target. Raises `Invalid` when it is not there."""
        return await self._store.plan(target)

    async def carry_out(self, plan: ForgetPlan, work: Work) -> None:
        """Delete it. What memory takes in again of what stays comes after, from the messages that
        stay. Once the rows are deleted they stay so, whatever happens to the rest. Raises
        `Invalid`, `StorageFailed`, `Stopped`."""
        target = plan.target
        work.begin("Deleting")
        match target.kind:
            case "message" | "following":
                following = target.kind == "following"
                await self._chat.delete_message(target.id, following=following)
                await self._store.forget_rest(plan)
                self._publish(SessionsChanged(target.session_id))
            case "session":
                await self._chat.delete_session(target.id)
            case "fact":
                await self._store.forget_fact(target)
                for scope in await self._chat.scopes(target.session_id):
                    self._publish(MemoryChanged(scope))
        await self._store.blank(work)

    async def prove(self, needles: Needles, work: Work) -> Proof:
        """Look for it in every store. Raises `StorageFailed`, `Stopped`."""
        return await self._store.search(needles, work)

    async def remove(self, trace: Trace) -> None:
        """Delete a backup, or empty a log, that still holds something. Raises `StorageFailed`."""
        await self._store.remove(trace)
