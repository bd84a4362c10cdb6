"""Episodic: the model sees those past messages that resemble the new one.

Each message is stored as the run produces it; after the answer what has no vector yet is embedded,
in one batch. Recall compares the new message with the episodes of this scope that the present
embedder has embedded, keeps to the current branch, and shows the best of them in time order.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Collection, Sequence
from string import Template
from typing import Any, Literal

from chatty_desktop.domain.branch import Branch
from chatty_desktop.domain.embedding import EmbedderId
from chatty_desktop.domain.episodes import (
    LONGEST_TEXT,
    Candidate,
    EpisodeCounts,
    Recall,
    WhyLeftOut,
    is_episode,
    shown_text,
)
from chatty_desktop.domain.errors import ChattyError, Invalid
from chatty_desktop.domain.memory import LayerSnapshot, MemorySnapshot
from chatty_desktop.domain.messages import Message
from chatty_desktop.domain.ranking import by_vector, by_vector_and_words
from chatty_desktop.domain.runs import Run, Section
from chatty_desktop.domain.strategies import Episodic
from chatty_desktop.engine.embedding import embed_episodes, embed_query
from chatty_desktop.engine.memory.contract import Surroundings
from chatty_desktop.engine.memory.queue import Queue, begin, read_queue
from chatty_desktop.engine.ports import Embedder

BATCH = 64
"""Episodes embedded at one go; a run has fewer, unless earlier ones wait."""

CAUGHT_UP_PER_RUN = 256
"""Of episodes left without a vector by earlier runs; more wait for the next."""

LOOKED_BACK = 64
"""Messages at the end of the chat that are recorded again, in case the app was killed between a
message and its episode."""


class Layer:
    """Episodic memory of one agent in one session, for one run or one look at it."""

    def __init__(self, config: Episodic, around: Surroundings) -> None:
        self._config = config
        self._around = around
        self._recalled: Queue | None = None
        self._shown_already: frozenset[str] = frozenset()

    def leave_out(self, message_ids: Collection[str]) -> None:
        """Do not recall these: the next request shows them anyway."""
        self._shown_already = frozenset(message_ids)

    async def recall(self, incoming: Message) -> list[Section]:
        """A section for each message recalled, in time order.

        Raises `ChattyError` when the embedder or the store fails: the reply does without.
        """
        queue = await read_queue(self._around, before=incoming.id)
        await begin(self._around, queue, incoming)
        self._recalled = queue
        embedder = self._around.embedders.present()
        if self._around.only_looks:
            return await self._as_last_time(queue.branch) if embedder else []
        if embedder is None:
            await self._around.tell(
                "warning",
                "Nothing was recalled: no embedder is configured. Messages are kept, and can be"
                " embedded once there is one.",
            )
            return []
        by, vector = await embed_query(embedder, incoming.told)
        hybrid = self._config.ranking == "hybrid"
        words = incoming.told[:LONGEST_TEXT] if hybrid else None
        scored = await self._around.episodes.score(by, self._around.scope, vector, words)
        branch, place = queue.branch, queue.branch.place(incoming.id)
        candidates = await asyncio.to_thread(
            by_vector_and_words if hybrid else by_vector,
            scored,
            lambda message_id: self._why_not(message_id, branch, place),
            top_k=self._config.top_k,
            threshold=self._config.threshold,
        )
        recall = Recall(incoming.id, by, candidates, time.time())
        await self._around.episodes.keep_recall(self._around.scope, self._around.layer, recall)
        return self._sections(candidates, branch)

    async def record(self, message: Message) -> None:
        """Store the message as an episode; it is embedded when the run settles."""
        if is_episode(message):
            branch = await self._around.messages.branch(self._around.scope.session_id)
            place = branch.place(message.id)
            if place is not None:
                await self._record(branch, place)

    async def settle(self, run: Run) -> None:
        """Embed what has no vector: the run's messages, and what earlier runs left. Trouble is
        told in the run log, and the episodes wait for the next run."""
        branch = await self._around.messages.branch(self._around.scope.session_id)
        begun = self._recalled.settled if self._recalled else len(branch)
        await self._record(branch, max(begun, len(branch) - LOOKED_BACK))
        try:
            embedder = self._around.embedders.present()
            if embedder is not None:
                await self._embed(embedder)
        except ChattyError as problem:
            counts = await self._around.episodes.counts(self._around.scope)
            await self._around.tell(
                "warning",
                f"{_messages(counts.without_vector)} kept without a vector: {problem}"
                " Tried again next run.",
            )

    async def inspect(self) -> MemorySnapshot:
        """How many episodes there are, by whom they were embedded, and what the last message
        brought back, with what was left out and why."""
        scope = self._around.scope
        queue = await read_queue(self._around)
        counts = await self._around.episodes.counts(scope)
        recall = await self._around.episodes.last_recall(scope, self._around.layer)
        badge, present = "", None
        try:
            present = self._around.embedders.present()
        except Invalid as problem:
            badge = str(problem)
        shown, left_out, query = [], [], None
        if recall is not None:
            query = await self._said(recall.query_id, queue.branch)
            found = [(each, await self._said(each.message_id, queue.branch))
                     for each in recall.candidates]  # fmt: skip
            rows = [_row(each, said) for each, said in found if said is not None]
            shown = sorted((r for r in rows if not r["left_out"]), key=lambda r: r["id"])
            left_out = [r for r in rows if r["left_out"]]
        layer = LayerSnapshot(
            kind="episodic",
            episodes={
                **_counted(counts, present, recall.embedder if recall else None),
                "query": query.told if query else None,
                "left_out": left_out,
            },
            recalled=tuple({k: v for k, v in row.items() if k != "left_out"} for row in shown),
            starts_at=queue.starts_at,
            badge=badge,
        )
        return MemorySnapshot(self._config.model_dump(mode="json"), (layer,))

    # --- recalling ---------------------------------------------------------------------------

    async def _as_last_time(self, branch: Branch) -> list[Section]:
        """What the last recall showed, as far as it may be shown again."""
        recall = await self._around.episodes.last_recall(self._around.scope, self._around.layer)
        candidates = recall.candidates if recall else ()
        may = [each for each in candidates if not self._why_not(each.message_id, branch, None)]
        return self._sections(may, branch)

    def _why_not(
        self, message_id: str, branch: Branch, end: int | None
    ) -> WhyLeftOut | Literal[""]:
        """Why a message may not be recalled whatever its score, "" when it may."""
        place = branch.place(message_id)
        if place is None or (end is not None and place > end):
            return "other branch"
        return "shown already" if place == end or message_id in self._shown_already else ""

    def _sections(self, candidates: Sequence[Candidate], branch: Branch) -> list[Section]:
        """One section a message, so that one that another layer shows can be left out alone."""
        template = Template(self._around.prompts["episode"].strip())
        places = sorted(
            place
            for each in candidates
            if not each.left_out and (place := branch.place(each.message_id)) is not None
        )
        return [
            Section(
                "episodic",
                text=template.substitute(said=shown_text(said.role, said.told, said.at)),
                message_ids=(said.id,),
            )
            for said in (branch[place] for place in places)
        ]

    # --- writing -----------------------------------------------------------------------------

    async def _record(self, branch: Branch, begin: int) -> None:
        """Store the episodes from a place on, each with the one before it."""
        agent_id = self._around.scope.agent_id
        fresh = [each for each in branch.of_agent(agent_id, begin) if is_episode(each)]
        if not fresh:
            return
        before = _episode_before(branch, branch.place(fresh[0].id) or 0, agent_id)
        entries = []
        for message in fresh:
            entries.append((message, before))
            before = message.id
        await self._around.episodes.record(entries)

    async def _embed(self, embedder: Embedder) -> None:
        scope, store = self._around.scope, self._around.episodes
        dimension: int | None = None
        for _batch in range(CAUGHT_UP_PER_RUN // BATCH):
            waiting = await store.unembedded(
                embedder.provider, embedder.model, dimension, scope=scope, limit=BATCH
            )
            if waiting:
                dimension = (await embed_episodes(embedder, store, waiting)).dimension
            if len(waiting) < BATCH:
                return

    # --- showing -----------------------------------------------------------------------------

    async def _said(self, message_id: str, branch: Branch) -> Message | None:
        place = branch.place(message_id)
        if place is not None:
            return branch[place]
        return await self._around.messages.get(message_id)


def _episode_before(branch: Branch, place: int, agent_id: str) -> str | None:
    """The id of the agent's last episode before a place."""
    for earlier in range(place - 1, -1, -1):
        message = branch[earlier]
        if message.agent_id == agent_id and is_episode(message):
            return message.id
    return None


def _row(candidate: Candidate, said: Message) -> dict[str, Any]:
    """A candidate as the inspector and `inspect --json` show it."""
    return {
        "id": said.id,
        "role": said.role,
        "content": said.told,
        "at": said.at,
        "score": candidate.cosine,
        "lexical": candidate.lexical,
        "left_out": candidate.left_out,
    }


def _counted(
    counts: EpisodeCounts, present: Embedder | None, last: EmbedderId | None
) -> dict[str, Any]:
    """The counts by embedder. Which dimension the present one has is known from the last recall;
    before the first, whatever it embedded counts as searched."""
    by_embedder = []
    searched = 0
    for embedder, count in counts.embedded.items():
        same = (
            present is not None
            and (embedder.provider, embedder.model) == (present.provider, present.model)
            and (last is None or last.name != embedder.name or last == embedder)
        )
        searched += count if same else 0
        by_embedder.append(
            {
                "embedder": embedder.name,
                "dimension": embedder.dimension,
                "count": count,
                "searched": same,
            }
        )
    return {
        "embedder": f"{present.provider}/{present.model}" if present else None,
        "total": counts.total,
        "searched": searched,
        "not_embedded": counts.total - searched,
        "without_vector": counts.without_vector,
        "by_embedder": by_embedder,
    }


def _messages(count: int) -> str:
    return "1 message is" if count == 1 else f"{count} messages are"
