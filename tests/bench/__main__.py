"""`make bench`: every budget as one table; `--json FILE` keeps it, `--against FILE` compares."""

from __future__ import annotations

import argparse
import asyncio
import json
from collections.abc import Callable, Coroutine, Mapping
from pathlib import Path
from typing import Any

from tests.bench import engine, machine, markdown, peers, recall, window
from tests.bench.table import Measured, printed

MEASURES: Mapping[str, Callable[[], list[Measured] | Coroutine[Any, Any, list[Measured]]]] = {
    "yardstick": machine.yardstick,
    "start": window.start,
    "imports": window.imports,
    "open": window.open_long_session,
    "stream": window.stream,
    "markdown": markdown.longest_waits,
    "turn": engine.time_per_turn,
    "calls": engine.calls_per_run,
    "state": engine.state_prompt,
    "peers": peers.requests,
    "recall": recall.recall,
    "embedding": recall.embedding,
}
"""What can be measured, by the name that `--only` takes."""


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("--only", nargs="+", choices=MEASURES, default=list(MEASURES))
    parser.add_argument("--json", type=Path, metavar="FILE", help="write what was measured")
    parser.add_argument("--against", type=Path, metavar="FILE", help="what --json wrote before")
    arguments = parser.parse_args()
    before = json.loads(arguments.against.read_text("utf-8")) if arguments.against else []
    rows: list[Measured] = []
    for name in arguments.only:
        found = MEASURES[name]()
        rows += found if isinstance(found, list) else asyncio.run(found)
    print(printed(rows, {row["what"]: row["median"] for row in before}))
    if arguments.json:
        document = json.dumps([row.as_json() for row in rows], indent=2)
        arguments.json.write_text(document + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
