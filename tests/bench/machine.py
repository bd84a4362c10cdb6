"""How fast the machine is, so that two runs can be compared."""

from __future__ import annotations

import time

from tests.bench.table import Measured


def yardstick() -> list[Measured]:
    """A loop of plain Python, which most of the other times go up and down with."""
    spent = []
    for _ in range(20):
        begun = time.perf_counter()
        total = 0
        for number in range(1_000_000):
            total += number
        spent.append((time.perf_counter() - begun) * 1000)
    return [Measured("yardstick: a million additions in Python", "ms", tuple(spent))]
