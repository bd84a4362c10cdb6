"""Killed at any moment, again and again: nothing that was said to be kept is lost, and nothing is
left in pieces.

Each strategy has one data folder for all its kills, so that damage would add up. `KILLS=25` in the
environment makes two hundred of them, in about five minutes.
"""

from __future__ import annotations

import os
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.faults.checking import Kept, check_database, check_opens_clean, copied
from tests.faults.driving import Kill, Line, driving
from tests.faults.model import talkative
from tests.helpers.folder import settings_for
from tests.helpers.memories import of_every_kind
from tests.helpers.servers import OpenAIServer

pytestmark = pytest.mark.skipif(os.name == "nt", reason="needs fork and SIGKILL")

KILLS = int(os.environ.get("KILLS", "6"))
"""For each strategy."""

STRATEGIES = of_every_kind(4)


CHANGES = [
    "INSERT INTO messages",
    "UPDATE messages",
    "UPDATE sessions",
    "INSERT INTO runs",
    "UPDATE runs",
    "INSERT INTO run_log",
    "DELETE FROM messages",
]
DERIVED = {
    "summarized": ["INSERT INTO ledger", "INSERT INTO summaries"],
    "episodic": ["INSERT INTO episodes"],
    "semantic": ["INSERT INTO ledger", "INSERT INTO facts"],
    "state": ["INSERT INTO ledger", "INSERT INTO state_revisions"],
}


@pytest.mark.timeout(280)
@pytest.mark.parametrize("strategy", STRATEGIES, ids=lambda strategy: str(strategy["kind"]))
async def test_a_chat_killed_at_any_moment_loses_nothing_and_opens_clean(
    data_dir: Path, tmp_path: Path, strategy: dict[str, Any]
) -> None:
    chance = Random(strategy["kind"])
    has_index = "episodic" in str(strategy)
    kept, killed, turns = Kept(), 0, 0
    async with (
        OpenAIServer() as server,
        driving(*["--with-index"] * has_index) as driver,
    ):
        talkative(server)
        settings_for(data_dir, server.base_url, embedder="bag" if has_index else None)
        while killed < KILLS:
            script = [_step(chance, has_index) for _ in range(12)]
            kill = _kill(chance, str(strategy))
            lived = await driver.live(data_dir, strategy, script, kill, kept.hear)
            assert lived.failures() == []
            assert lived.all("refused") == lived.all("notice") == []
            assert lived.all("notices") in ([], [[]])
            killed += lived.killed
            turns += len([line for line in lived.lines if line.get("do") == "send"])

            copy = copied(data_dir, tmp_path / "copy")
            if not (copy / "chatty.db").exists():
                continue
            kept.hold_against(copy / "chatty.db")
            await check_opens_clean(copy)
            check_database(copy / "chatty.db")
    assert turns > KILLS


def _kill(chance: Random, strategy: str) -> Kill:
    """Between two changes that belong together, anywhere in the midst of a transaction, or a
    moment after something was told."""
    match chance.choice(("change", "statement", "lines")):
        case "change":
            own = [
                each for kind, some in DERIVED.items() if f"'{kind}'" in strategy for each in some
            ]
            return Kill(chance.randint(1, 4), chance.choice(CHANGES + own * 3))
        case "statement":
            return Kill(chance.randint(1, 300))
    return Kill(lines=chance.randint(1, 40), seconds=chance.uniform(0, 0.06))


def _step(chance: Random, has_index: bool) -> Line:
    words = " ".join(f"word{chance.randrange(10_000)}" for _ in range(chance.randint(1, 30)))
    sends: list[Line] = [{"do": "send", "text": words}] * 6
    others: list[Line] = [
        {"do": "send", "text": words, "file": words * 40},
        {"do": "edit", "text": words},
        {"do": "again"},
        {"do": "delete"},
        {"do": "draft", "text": words},
        {"do": "backup"},
        {"do": "settings", "model": "lab/small"},
        {"do": "wait"},
    ]
    index: list[Line] = [{"do": "index"}, {"do": "wait"}, {"do": "index"}, {"do": "compact"}]
    return chance.choice(sends + others + index * has_index)
