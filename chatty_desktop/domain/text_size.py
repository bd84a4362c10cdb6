"""The sizes that letters go through when a person wants them larger or smaller."""

from __future__ import annotations

PERCENT = (80, 90, 100, 110, 125, 150, 175, 200)
"""Of the system's size."""


def stepped(points: float, system: float, by: int) -> float | None:
    """The next size above (1) or below (-1) in points; None is the system's own. At either end it
    stays. A size between two steps goes to the next of them."""
    sizes = [round(system * percent / 100, 1) for percent in PERCENT]
    if by > 0:
        beyond = [size for size in sizes if size > points + 0.05]
        wanted = beyond[0] if beyond else max(points, sizes[-1])
    else:
        beyond = [size for size in sizes if size < points - 0.05]
        wanted = beyond[-1] if beyond else min(points, sizes[0])
    return None if abs(wanted - system) < 0.05 else min(32.0, max(6.0, wanted))
