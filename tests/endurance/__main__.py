"""A day of use in ten minutes, and whether it leaves anything behind: `make endurance`.

ENDURANCE_LEAK=window, file or task in the environment plants a leak, which must be found.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
from pathlib import Path

from tests.endurance.level import CEILINGS, LONG, SHORT, lived


def main() -> int:
    use = SHORT if "--short" in sys.argv[1:] else LONG
    with tempfile.TemporaryDirectory() as folder:
        rounds = asyncio.run(lived(Path(folder) / "data", use))
    found = use.slopes(rounds)
    print(f"{len(rounds)} rounds, the first {use.warm_up} to warm up")
    print(f"{'':12}{'then':>12}{'at the end':>12}{'per round':>12}{'at most':>10}")
    for name in (*use.bounds, *CEILINGS):
        first, last = rounds[use.warm_up][name], rounds[-1][name]
        rise = f"{found[name]:12.2f}{use.bounds[name]:10g}" if name in use.bounds else ""
        print(f"{name:12}{first:12.0f}{last:12.0f}{rise}")
    problems = use.rising(rounds)
    print("\n".join(problems) or "Level.")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
