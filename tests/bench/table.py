"""Measurements and the table they are printed as."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True, slots=True)
class Measured:
    """One row: what was measured, in which unit, and the budget it is held to (None: no budget).

    `judged` is the value that the budget speaks of: "median", "p95", "p99" or "max".
    """

    what: str
    unit: str
    values: tuple[float, ...]
    budget: float | None = None
    judged: str = "median"

    def value(self, which: str) -> float:
        """The median, p95, p99 or maximum of the values."""
        ordered = sorted(self.values)
        if which == "median":
            return statistics.median(ordered)
        if which == "max":
            return ordered[-1]
        share = {"p95": 0.95, "p99": 0.99}[which]
        return ordered[max(0, math.ceil(share * len(ordered)) - 1)]

    @property
    def ratio(self) -> float | None:
        """What was measured over its budget: 1 and below is kept."""
        if self.budget is None:
            return None
        value = self.value(self.judged)
        return value / self.budget if self.budget else value

    def as_json(self) -> dict[str, object]:
        """For comparing two runs."""
        return {
            "what": self.what,
            "unit": self.unit,
            "count": len(self.values),
            **{which: self.value(which) for which in ("median", "p95", "p99", "max")},
            "budget": self.budget,
            "judged": self.judged,
            "ratio": self.ratio,
        }


def printed(rows: Iterable[Measured], before: Mapping[str, float] = MappingProxyType({})) -> str:
    """The rows as a table of text. `before`: medians of an earlier run, by what was measured."""
    head = ["what", "n", "median", "p95", "max", "unit", "budget", "ratio"]
    cells = [head + ["before", "×"] * bool(before)]
    for row in rows:
        budget = "" if row.budget is None else f"{row.judged} ≤ {row.budget:g}"
        ratio = "" if row.ratio is None else f"{row.ratio:.2f}"
        figures = [f"{row.value(which):.4g}" for which in ("median", "p95", "max")]
        line = [row.what, str(len(row.values)), *figures, row.unit, budget, ratio]
        if before:
            was = before.get(row.what)
            line += [
                "" if was is None else f"{was:.4g}",
                f"{row.value('median') / was:.2f}" if was else "",
            ]
        cells.append(line)
    widths = [max(len(line[i]) for line in cells) for i in range(len(cells[0]))]
    lines = [
        "  ".join(
            cell.ljust(width) if i in (0, 5, 6) else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in cells
    ]
    return "\n".join([lines[0], "-" * len(lines[0]), *lines[1:]])
