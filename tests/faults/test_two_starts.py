"""Several starts at one moment on one data folder: exactly one opens it, the others say who has
it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.helpers.filled import is_whole

ROOT = Path(__file__).parents[2]

ROUNDS, STARTS = 25, 4

pytestmark = pytest.mark.skipif(os.name == "nt", reason="needs fork")

_DRIVER = """
import asyncio, json, os, sys
from pathlib import Path
from chatty_desktop.app import App
from chatty_desktop.domain.errors import AlreadyOpen, ChattyError

async def start(folder, go, out, end):
    os.read(go, 1)  # all of them at once: the other end is closed
    said = {"pid": os.getpid()}
    try:
        app = await App.open(folder)
    except AlreadyOpen as error:
        said |= {"held by": error.process_id, "text": str(error)}
    except ChattyError as error:
        said |= {"failed": str(error)}
    else:
        said |= {"agents": len(await app.agents.list())}
    os.write(out, json.dumps(said).encode() + b"\\n")
    os.read(end, 1)
    if "agents" in said:
        await app.close()

def round(folder, starts):
    go, going = os.pipe()
    heard, out = os.pipe()
    end, ending = os.pipe()
    children = []
    for _ in range(starts):
        child = os.fork()
        if child == 0:
            os.close(going)
            os.close(ending)
            asyncio.run(start(folder, go, out, end))
            os._exit(0)
        children.append(child)
    os.close(going)
    said = []
    with os.fdopen(heard) as lines:
        for _ in range(starts):
            said.append(json.loads(lines.readline()))
    os.close(ending)
    for child in children:
        os.waitpid(child, 0)
    for each in (go, out, end):
        os.close(each)
    return said

import httpx, openai  # loaded by the first start otherwise, in each anew
folder, rounds, starts = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
for number in range(rounds):
    # A new folder, and one that is there.
    print(json.dumps(round(folder / str(number // 2), starts)), flush=True)
"""


def test_of_starts_at_one_moment_exactly_one_opens_the_folder(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _DRIVER, str(tmp_path), str(ROUNDS), str(STARTS)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    rounds = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(rounds) == ROUNDS
    for said in rounds:
        opened = [each for each in said if "agents" in each]
        refused = [each for each in said if "held by" in each]
        assert (len(opened), len(refused)) == (1, STARTS - 1), said
        assert opened[0]["agents"] == 13
        assert all("is already open on" in each["text"] for each in refused)
    assert all(is_whole(folder / "chatty.db") for folder in tmp_path.glob("[0-9]*"))
    assert not list(tmp_path.rglob("*-damaged*"))
