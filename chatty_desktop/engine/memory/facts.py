"""The facts known on a branch: without those that the person replaced or forgot there."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Iterator

from chatty_desktop.domain.branch import Branch
from chatty_desktop.domain.memory import Fact
from chatty_desktop.engine.memory.contract import Surroundings

_READ_AT_FIRST = 128
"""Facts: about as many as are ever sent."""


class FactsInPlace:
    """Picks the facts that stand on a branch out of all, given newest first: what replaces a fact
    is newer than it."""

    def __init__(self, branch: Branch) -> None:
        self._branch = branch
        self._replaced: set[str] = set()

    def of(self, facts: Iterable[Fact]) -> Iterator[Fact]:
        """Those of the next facts that stand."""
        for fact in facts:
            if self._branch.place(fact.after_message_id) is None:
                continue
            if fact.replaces:
                self._replaced.add(fact.replaces)
            if not fact.forgotten and fact.id not in self._replaced:
                yield fact


async def facts_on(around: Surroundings, branch: Branch) -> AsyncIterator[Fact]:
    """The facts of a layer known on the branch, newest first."""
    in_place = FactsInPlace(branch)
    read, limit = 0, _READ_AT_FIRST
    while page := await around.store.facts(around.scope, around.layer, limit, skip=read):
        for fact in in_place.of(page):
            yield fact
        if len(page) < limit:
            return
        read, limit = read + len(page), limit * 2
