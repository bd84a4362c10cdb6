"""Starts lives of the app (`driver`), listens to what they say, and kills them."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

ROOT = Path(__file__).parents[2]

PATIENCE = 40.0
"""Seconds without a word, after which a life is taken for hanging."""

Line = dict[str, Any]


@dataclass(slots=True)
class Lived:
    """What one life said, and how it ended: an exit status, or a signal below 0."""

    lines: list[Line] = field(default_factory=list)
    status: int = 0

    @property
    def killed(self) -> bool:
        return self.status == -signal.SIGKILL

    def all(self, key: str) -> list[Any]:
        """What it said under a key, in order."""
        return [line[key] for line in self.lines if key in line]

    def failures(self) -> list[str]:
        return [line["error"] for line in self.lines if "failed" in line]


@dataclass(frozen=True, slots=True)
class Kill:
    """When a life ends: before its Nth `statement` of SQL that `begins` so, or so many `seconds`
    after it has said so many `lines`."""

    statement: int = 0
    begins: str = ""
    lines: int = 0
    seconds: float = 0.0


class Driver:
    """The process that lives are forked from."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self._pid = 0

    async def live(
        self,
        folder: Path,
        strategy: dict[str, Any],
        script: Sequence[Line],
        kill: Kill | None = None,
        heard: Callable[[Line], object] = lambda _line: None,
    ) -> Lived:
        """One life to its end. `heard` is called with each line as it comes."""
        assert self._process.stdin is not None
        life: Line = {"folder": str(folder), "strategy": strategy, "script": list(script)}
        by_hand = kill is not None and not kill.statement
        if kill is not None:
            life |= {"statement": kill.statement, "begins": kill.begins}
        self._process.stdin.write(json.dumps(life).encode() + b"\n")
        lived = Lived()
        self._pid = 0
        while True:
            line = await self._line()
            if "ended" in line:
                lived.status = line["ended"]
                self._pid = 0
                return lived
            lived.lines.append(line)
            self._pid = line.get("pid", self._pid)
            heard(line)
            if by_hand and kill is not None and len(lived.lines) == kill.lines:
                asyncio.get_running_loop().call_later(kill.seconds, self.kill, self._pid)

    async def ready(self) -> None:
        await self._line()

    def kill(self, pid: int | None = None) -> None:
        """Kill the life that runs, or the one of that number if it still does."""
        if self._pid and pid in (None, self._pid):
            with suppress(ProcessLookupError):
                os.kill(self._pid, signal.SIGKILL)

    async def _line(self) -> Line:
        assert self._process.stdout is not None
        async with asyncio.timeout(PATIENCE):
            line = await self._process.stdout.readline()
        assert line, "The process that lives are forked from has ended."
        said: Line = json.loads(line)
        return said


@asynccontextmanager
async def driving(
    *arguments: str, environment: Mapping[str, str] = MappingProxyType({})
) -> AsyncIterator[Driver]:
    """A driver, ended with whatever lives in it."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "tests.faults.driver",
        *arguments,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        limit=1 << 22,
    )
    driver = Driver(process)
    try:
        await driver.ready()
        yield driver
    finally:
        driver.kill()
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()
