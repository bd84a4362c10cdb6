"""Σ as it stands on a branch, and how it came to."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

from chatty_desktop.domain.branch import Branch
from chatty_desktop.domain.memory import KeyChange, LedgerEntry, StateRevision
from chatty_desktop.engine.memory.contract import Surroundings

_READ_AT_FIRST = 4
"""Revisions."""


class StateRevisions:
    """The revisions of Σ of one layer."""

    def __init__(self, around: Surroundings) -> None:
        self._around = around

    async def newest(self, branch: Branch) -> StateRevision | None:
        """The newest revision of Σ that was made after a message of the branch."""
        async for revision in self.on(branch):
            return revision
        return None

    async def on(self, branch: Branch) -> AsyncIterator[StateRevision]:
        """Those that were made after a message of the branch, newest first. The one looked for is
        mostly the newest of all, so few are read at first."""
        read, limit = 0, _READ_AT_FIRST
        while page := await self._around.store.revisions(
            self._around.scope, self._around.layer, limit, skip=read
        ):
            for revision in page:
                if branch.place(revision.after_message_id) is not None:
                    yield revision
            read, limit = read + len(page), limit * 8

    async def changes(self, state: dict[str, Any], branch: Branch) -> dict[str, KeyChange]:
        """For each key of Σ, when and after which message it last changed."""
        found: dict[str, KeyChange] = {}
        async for revision in self.on(branch):
            if len(found) == len(state):
                break
            for key in revision.patch:
                if key in state and key not in found:
                    found[key] = KeyChange(revision.at, revision.after_message_id)
        return found

    async def waiting(self, branch: Branch) -> LedgerEntry | None:
        """The change that waits for the person's word: the newest whose messages are all on the
        branch."""
        for entry in await self._around.store.waiting(self._around.scope, self._around.layer):
            if all(branch.place(each) is not None for each in entry.message_ids):
                return entry
        return None


def state_of(revision: StateRevision | None) -> dict[str, Any]:
    """Σ of a revision; empty before the first."""
    return revision.state if revision else {}


def pins_of(revision: StateRevision | None) -> tuple[str, ...]:
    """The pinned keys of a revision."""
    return revision.pins if revision else ()


def later(branch: Branch, base: StateRevision | None, last_id: str) -> str:
    """The id of the message a new Σ is made after: it holds what is said up to `last_id` and what
    Σ held before, so it is seen only on branches that have both."""
    ids = [last_id, base.after_message_id] if base else [last_id]
    return max(ids, key=lambda each: branch.place(each) or 0)
