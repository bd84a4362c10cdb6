"""The wall clock of the machine jumps, while the app runs and between two starts: what happened
stays in the order in which it happened, and nothing takes less than no time or years."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from chatty_desktop.app import App
from chatty_desktop.domain.messages import Message, Scope
from tests.faults.checking import check_database
from tests.faults.driver import TALK
from tests.faults.driving import Line, Lived, driving
from tests.faults.model import talkative
from tests.helpers.desk import STATE
from tests.helpers.folder import settings_for
from tests.helpers.servers import OpenAIServer

_LIBRARY = next(Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1"), None)

pytestmark = pytest.mark.skipif(_LIBRARY is None, reason="needs Debian's libfaketime")

CLOCKS = ("2026-05-01", "2099-01-01", "1970-01-02", "2025-03-30", "2026-05-02")
"""What the clock says, one after the other."""

LONGEST = 100.0
"""Seconds; no step of these tests takes as long, and every jump of the clock is longer."""


class Clock:
    """The wall clock of processes; the one that only counts goes on as it is."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self.set(CLOCKS[0])

    @property
    def environment(self) -> dict[str, str]:
        return {
            "LD_PRELOAD": str(_LIBRARY),
            "FAKETIME_TIMESTAMP_FILE": str(self._file),
            "FAKETIME_NO_CACHE": "1",
            "FAKETIME_DONT_FAKE_MONOTONIC": "1",
            "FAKETIME_DISABLE_SHM": "1",
        }

    def set(self, day: str) -> None:
        # Read while it is written, it would be empty.
        part = self._file.with_suffix(".part")
        part.write_text(f"@{day} 12:00:00", "ascii")
        part.replace(self._file)


@pytest.mark.parametrize("strategy", [STATE, {"kind": "full_transcript"}], ids=lambda s: s["kind"])
async def test_a_clock_that_jumps_while_the_app_runs_changes_no_order(
    data_dir: Path, tmp_path: Path, strategy: dict[str, Any]
) -> None:
    clock = Clock(tmp_path / "clock")
    days = iter(CLOCKS[1:])

    def heard(line: Line) -> None:
        # In the midst of an answer, of its folding too.
        if line.get("phase") == "streaming" and (day := next(days, None)):
            clock.set(day)

    turns: list[Line] = [{"do": "send", "text": "word1"}, {"do": "wait"}]
    turns += [{"do": "again"}, {"do": "wait"}] * 3
    turns += [{"do": "send", "text": "word2"}, {"do": "wait"}]
    async with OpenAIServer() as server, driving(environment=clock.environment) as driver:
        talkative(server)
        settings_for(data_dir, server.base_url)
        lived = await driver.live(data_dir, strategy, turns, heard=heard)
    assert (lived.status, lived.failures()) == (0, [])
    made = _made(lived)
    assert made == sorted(made)
    check_database(data_dir / "chatty.db")
    await _check(data_dir, made)


@pytest.mark.parametrize("place", ["file", "server"])
async def test_starts_under_a_clock_that_is_wrong_change_no_order(
    data_dir: Path,
    tmp_path: Path,
    place: str,
    request: pytest.FixtureRequest,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if place == "server":
        monkeypatch.setenv("CHATTY_DATABASE_URL", request.getfixturevalue("postgresql_url"))
    clock = Clock(tmp_path / "clock")
    made: list[str] = []
    async with OpenAIServer() as server:
        talkative(server)
        settings_for(data_dir, server.base_url)
        first: list[Line] = [{"do": "send", "text": "word1"}, {"do": "wait"}]
        again: list[Line] = [{"do": "again"}, {"do": "wait"}]
        for day in CLOCKS[:3]:
            clock.set(day)
            async with driving(environment=clock.environment) as driver:
                lived = await driver.live(data_dir, STATE, again if made else first)
            assert (lived.status, lived.failures()) == (0, [])
            made += _made(lived)
    if place == "file":
        check_database(data_dir / "chatty.db")
    await _check(data_dir, made)


def _made(lived: Lived) -> list[str]:
    """The ids of what was kept, in the order in which it was made."""
    return list(dict.fromkeys(kept["id"] for kept in lived.all("kept")))


async def _check(data_dir: Path, made: list[str]) -> None:
    """What is there is in the order in which it was `made`, and every duration is one."""
    app = await App.open(data_dir)
    try:
        agent = await app.agents.by_name("Ada")
        session = await app.sessions.find(TALK)
        assert agent and session
        branch: list[Message] = list(await app.messages.branch(session.id))
        assert [each.id for each in branch] == [each for each in made if each in _ids(branch)]
        versions = (await app.messages.versions([branch[1].id]))[branch[1].id]
        assert len(versions) >= 3
        assert list(versions) == [each for each in made if each in versions]
        document = await app.exchange.document(session.id)
        assert [each.id for each in document.messages] == made
        runs = [each.run_id for each in await app.runs.asked_for(Scope(agent.id, session.id))]
        assert [run.id for run in document.runs] == runs[::-1]
        for each in document.messages:
            assert 0 <= each.seconds < LONGEST
        for entry in document.ledger:
            assert 0 <= entry.finished_at - entry.started_at < LONGEST
        marks = await app.memory.queue_marks(Scope(agent.id, session.id), "state", "")
        assert marks.strategy
    finally:
        await app.close()


def _ids(messages: list[Message]) -> set[str]:
    return {each.id for each in messages}
