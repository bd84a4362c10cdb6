"""Whether what a process holds stays level over many rounds of the same use."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from statistics import median

from tests.faults.driving import ROOT
from tests.faults.model import talkative
from tests.helpers.folder import settings_for
from tests.helpers.servers import OpenAIServer

Held = dict[str, float]

BOUNDS: Held = {
    "objects": 150.0,
    "files": 0.2,
    "threads": 0.2,
    "tasks": 0.2,
    "widgets": 1.0,
    "timers": 0.5,
}
"""What may come to be held more with each round, at most. A window of a chat that stays costs 290
widgets, 3,000 objects and 6 MB."""

CEILINGS: Held = {"index_files": 400.0, "wal_kb": 8192.0}
"""What grows until it is tidied up, and may never be more than this."""


@dataclass(frozen=True)
class Use:
    """A run of the day: the last so many kinds of memory in turn, for so many `seconds` and at
    least so many `rounds`. `rss_kb` is the bound of the memory it takes, which settles over tens of
    rounds. The first ones, `warm_up`, do not count: what is wanted for the first time is loaded."""

    memories: int
    rounds: int
    seconds: float
    rss_kb: float

    @property
    def bounds(self) -> Held:
        return {"rss_kb": self.rss_kb, **BOUNDS}

    @property
    def warm_up(self) -> int:
        return max(4, self.memories)

    def slopes(self, held: list[Held]) -> Held:
        """How much each thing rises with a round, after the warm-up."""
        warm = held[self.warm_up :]
        return {name: _slope([each[name] for each in warm], self.memories) for name in self.bounds}

    def rising(self, held: list[Held]) -> list[str]:
        """What rises more than it may."""
        found = self.slopes(held)
        return [
            f"{name}: {found[name]:.2f} more with each round, at most {bound:g}"
            for name, bound in self.bounds.items()
            if found[name] > bound
        ] + [
            f"{name}: {most:.0f}, at most {bound:g}"
            for name, bound in CEILINGS.items()
            if (most := max(each[name] for each in held)) > bound
        ]


SHORT = Use(memories=1, rounds=13, seconds=0, rss_kb=2500)
LONG = Use(memories=8, rounds=40, seconds=600, rss_kb=400)


def _slope(values: list[float], period: int) -> float:
    """How much a value rises with each round: the median over all pairs of rounds with the same
    memory, so that a few odd ones do not count (Theil and Sen)."""
    pairs = combinations(enumerate(values), 2)
    return median(
        (b - a) / (later - earlier)
        for (earlier, a), (later, b) in pairs
        if (later - earlier) % period == 0
    )


async def lived(folder: Path, use: Use) -> list[Held]:
    """What a process held after each round of a use."""
    async with OpenAIServer(models=("small",)) as server:
        talkative(server)
        settings_for(folder, server.base_url, embedder="bag")
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "tests.endurance.day", str(folder)),
            *(str(use.memories), str(use.rounds), str(use.seconds)),
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(ROOT), "QT_QPA_PLATFORM": "offscreen"},
            stdout=asyncio.subprocess.PIPE,
        )
        assert process.stdout is not None
        try:
            async with asyncio.timeout(use.seconds + 230):
                lines = [line async for line in process.stdout]
                assert await process.wait() == 0
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
    return [json.loads(line) for line in lines]
