"""Data folders of a given size, written straight into the tables."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, insert

from chatty_desktop.storage import tables
from chatty_desktop.storage.database import Database

WORDS = (
    *("the", "train", "to", "Kyoto", "leaves", "at", "nine", "and"),
    *("we", "still", "need", "a", "hotel", "near", "the", "river"),
)


@dataclass(frozen=True, slots=True)
class Size:
    """How much a folder holds. The first session has `first` messages, the others share the
    rest; with `folded`, the first one also has a fold and a revision of Σ for each exchange."""

    sessions: int
    messages: int
    first: int
    folded: bool = False


async def fill(folder: Path, size: Size, agent_id: str) -> None:
    """Write sessions `s0`, `s1`, … with all messages spoken to one agent."""
    each = (size.messages - size.first) // max(1, size.sessions - 1)
    counts = [size.first, *([each] * (size.sessions - 1))]

    def work(connection: Connection) -> None:
        _write(connection, counts, agent_id)
        if size.folded:
            _fold_all(connection, agent_id, size.first)

    await _into(folder, work)


async def fill_chats(folder: Path, counts: Sequence[int], agent_id: str) -> None:
    """Write sessions `s0`, `s1`, … with so many messages each, all spoken to one agent."""
    await _into(folder, lambda connection: _write(connection, counts, agent_id))


async def _into(folder: Path, work: Callable[[Connection], None]) -> None:
    database = await Database.open(folder / "chatty.db", folder / "backups")
    await database.write(work)
    await database.close()


def _write(connection: Connection, counts: Sequence[int], agent_id: str) -> None:
    for number, count in enumerate(counts):
        rows = _messages(f"s{number}", count, agent_id, 1.7e9 + number * 1000)
        connection.execute(insert(tables.sessions), [_session(number, rows)])
        if rows:
            connection.execute(insert(tables.messages), rows)


def _session(number: int, rows: list[dict[str, Any]]) -> dict[str, Any]:
    at = 1.7e9 + number * 1000
    leaf = rows[-1]["id"] if rows else None
    title = f"Chat {number} about " + " ".join(random.Random(number).sample(WORDS, 3))
    return {"id": f"s{number}", "title": title, "created_at": at, "updated_at": at, "leaf_id": leaf}


def _messages(session: str, count: int, agent_id: str, at: float) -> list[dict[str, Any]]:
    chance = random.Random(session)
    rows = []
    for number in range(count):
        words = chance.choices(WORDS, k=chance.randint(5, 60))
        rows.append(
            {
                "id": f"{session}-{number:06}",
                "session_id": session,
                "parent_id": f"{session}-{number - 1:06}" if number else None,
                "agent_id": agent_id,
                "role": "assistant" if number % 2 else "user",
                "content": f"{number}: " + " ".join(words),
                "at": at + number / 100,
            }
        )
    return rows


def _fold_all(connection: Connection, agent_id: str, count: int) -> None:
    """A fold for each exchange of `s0`, each with a Σ of about a thousand characters; a summary of
    as many for each twenty messages; a fact for each fourth."""
    scope = {"session_id": "s0", "agent_id": agent_id, "layer": "state"}
    layers = ("state", "summarized", "semantic")
    connection.execute(
        insert(tables.layer_starts),
        [{**scope, "layer": kind, "message_id": "s0-000000", "at": 1.7e9} for kind in layers],
    )
    strategy = json.dumps({"kind": "composite", "layers": [{"kind": kind} for kind in layers]})
    connection.execute(
        insert(tables.runs),
        [
            {"id": "r0", "session_id": "s0", "agent_id": agent_id, "strategy": strategy,
             "started_at": 1.7e9, "status": "done"}
        ],
    )  # fmt: skip
    ledger, revisions = [], []
    for number in range(1, count, 2):
        ids = [f"s0-{number - 1:06}", f"s0-{number:06}"]
        patch = json.dumps({"open": f"point {number}"})
        state = json.dumps({"goal": "Kyoto " * 160, "open": f"point {number}"})
        common = {**scope, "patch": patch}
        ledger.append(
            {
                **common, "id": f"l{number}", "kind": "fold", "outcome": "accepted",
                "message_ids": json.dumps(ids), "through_message_id": ids[-1], "consumed": True,
                "started_at": 1.7e9, "finished_at": 1.7e9,
            }
        )  # fmt: skip
        revisions.append(
            {
                **common, "id": f"v{number}", "after_message_id": ids[-1], "state": state,
                "ledger_id": f"l{number}", "at": 1.7e9,
            }
        )  # fmt: skip
    connection.execute(insert(tables.ledger), ledger)
    connection.execute(insert(tables.state_revisions), revisions)
    _summarize_all(connection, scope, count)


def _summarize_all(connection: Connection, scope: dict[str, str], count: int) -> None:
    ledger, summaries, facts = [], [], []
    for number in range(4, count + 1, 4):
        common = {"after_message_id": f"s0-{number - 1:06}", "at": 1.7e9}
        row = {
            **scope, "outcome": "accepted", "message_ids": "[]", "consumed": True,
            "through_message_id": common["after_message_id"],
            "started_at": 1.7e9, "finished_at": 1.7e9,
        }  # fmt: skip
        ledger.append({**row, "id": f"e{number}", "layer": "semantic", "kind": "extraction"})
        facts.append(
            {
                **scope, **common, "id": f"f{number}", "layer": "semantic",
                "subject": f"point {number}", "fact": f"point {number} is settled for good",
            }
        )  # fmt: skip
        if number % 20 == 0:
            ledger.append({**row, "id": f"m{number}", "layer": "summarized", "kind": "summary"})
            text = "They plan a trip. " * 60
            summaries.append(
                {**scope, **common, "id": f"s{number}", "layer": "summarized", "text": text}
            )
    connection.execute(insert(tables.ledger), ledger)
    connection.execute(insert(tables.facts), facts)
    connection.execute(insert(tables.summaries), summaries)
