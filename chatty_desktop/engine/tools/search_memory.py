"""search_memory: what was said earlier in this chat, by words and by meaning."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from chatty_desktop.domain.branch import Branch
from chatty_desktop.domain.episodes import is_episode, searched_words, shown_text
from chatty_desktop.domain.errors import ChattyError
from chatty_desktop.domain.messages import Message
from chatty_desktop.domain.questions import shortened
from chatty_desktop.domain.tools import ToolResult, ToolSpec, ToolUse
from chatty_desktop.engine.embedding import embed_query
from chatty_desktop.engine.tools.contract import Reach, arguments, number, text

SHOWN_CHARS = 600
"""Of one message."""

MOST = 20


class SearchMemory:
    """Looks at the agent's own messages on the current branch, less the exchange under way."""

    spec = ToolSpec(
        "search_memory",
        "Searches everything said earlier in this chat and gives back the messages that fit. Use"
        " it when you are asked about something that you no longer see.",
        arguments(
            "query",
            query=text("What to look for: a few words, or a short sentence."),
            limit=number("How many messages at most; 6 if left out.", 1, MOST),
        ),
        harmless=True,
    )

    def __init__(self, reach: Reach) -> None:
        self._reach = reach

    async def run(self, use: ToolUse) -> ToolResult:
        query = str(use.arguments["query"])
        limit = int(use.arguments.get("limit", 6))
        branch = await self._reach.messages.branch(use.scope.session_id)
        exchange = branch.last_exchange(use.scope.agent_id)
        end = branch.place(exchange[0].id) if exchange else None
        said = [m for m in branch.of_agent(use.scope.agent_id, end=end) if is_episode(m)]
        by_words = await asyncio.to_thread(_by_words, said, searched_words(query))
        by_meaning = await self._by_meaning(use, query, branch, end)
        # The two in turn, each best first: what one of them misses the other often has.
        in_turn = [m for pair in _zipped(by_words, by_meaning) for m in pair]
        found = list({message.id: message for message in in_turn}.values())[:limit]
        if not found:
            return ToolResult("Nothing that was said earlier fits.")
        found.sort(key=lambda message: branch.place(message.id) or 0)
        return ToolResult(
            "\n".join(shown_text(m.role, shortened(m.told, SHOWN_CHARS), m.at) for m in found)
        )

    async def _by_meaning(
        self, use: ToolUse, query: str, branch: Branch, end: int | None
    ) -> list[Message]:
        """The nearest first; none without an embedder, or when it is in trouble."""
        try:
            embedder = self._reach.embedders.present()
            if embedder is None:
                return []
            by, vector = await embed_query(embedder, query)
            scored = await self._reach.episodes.score(by, use.scope, vector)
        except ChattyError:
            return []
        nearest = sorted(zip(scored.cosine, scored.ids, strict=True), reverse=True)
        places = [place for _score, each in nearest if (place := branch.place(each)) is not None]
        return [branch[place] for place in places if end is None or place < end][:MOST]


def _by_words(messages: Sequence[Message], words: Sequence[str]) -> list[Message]:
    """Those that say most of the words first, of equals the newer."""
    counted = []
    for place, message in enumerate(messages):
        folded = message.told.casefold()
        if hits := sum(word in folded for word in words):
            counted.append((hits, place, message))
    return [message for _hits, _place, message in sorted(counted, reverse=True)[:MOST]]


def _zipped(one: Sequence[Message], other: Sequence[Message]) -> list[tuple[Message, ...]]:
    return [
        (*one[rank : rank + 1], *other[rank : rank + 1])
        for rank in range(max(len(one), len(other)))
    ]
