"""`make bench`: every budget as one table; `--json FILE` for comparing two runs."""

from __future__ import annotations

import argparse
import asyncio
import json
from pathlib import Path

from tests.bench import engine, recall, window
from tests.bench.table import Measured, printed


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench")
    parser.add_argument("--json", type=Path, metavar="FILE")
    arguments = parser.parse_args()
    rows: list[Measured] = []
    for measure in (window.start, window.open_long_session, window.stream):
        rows += measure()
    measures = (
        engine.time_per_turn,
        engine.calls_per_run,
        engine.state_prompt,
        recall.recall,
        recall.embedding,
    )
    for measured in measures:
        rows += asyncio.run(measured())
    print(printed(rows))
    if arguments.json:
        document = json.dumps([row.as_json() for row in rows], indent=2)
        arguments.json.write_text(document + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
