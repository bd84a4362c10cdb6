"""`graph run` as a process, against a scripted server of another process."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sqlite3
import subprocess
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from chatty_desktop.app import App
from tests.helpers.desk import STATE
from tests.helpers.headless import ROOT, command
from tests.integration.test_command_line import Run, parsed, run, serving

__all__ = ["run"]

GRAPH: dict[str, Any] = {
    "name": "Trip",
    "nodes": [
        {"id": "in", "kind": "input", "agent": None, "prompt": None, "memory_override": None},
        {"id": "a", "kind": "agent", "agent": "Ada", "prompt": "Plan {input}",
         "memory_override": STATE},
        {"id": "b", "kind": "agent", "agent": "Bea", "prompt": "Book {a}",
         "memory_override": None},
        {"id": "out", "kind": "output", "agent": None, "prompt": None, "memory_override": None},
    ],
    "edges": [["in", "a"], ["a", "b"], ["b", "out"]],
}  # fmt: skip


@pytest.fixture
def drawn(tmp_path: Path, run: Run) -> Callable[..., str]:
    """Agents Ada and Bea without memory, and what writes the graph, changed, to a file."""
    for name in ("Ada", "Bea"):
        file = tmp_path / f"{name}.json"
        file.write_text(json.dumps({"name": name, "system_prompt": f"You are {name}."}), "utf-8")
        assert run("agents", "import", str(file)).returncode == 0

    def write(**changes: Any) -> str:
        file = tmp_path / "graph.json"
        file.write_text(json.dumps(GRAPH | changes), "utf-8")
        return str(file)

    return write


def test_graph_run_prints_the_result_after_memory_has_settled(
    tmp_path: Path, run: Run, drawn: Callable[..., str]
) -> None:
    fold = json.dumps([{"key": "goal", "value": "a trip to Kyoto"}])
    with serving(tmp_path, "--answer", "Fly in May.", "--answer", "Booked.", "--fold", fold):
        done = run("graph", "run", drawn(), "--session", "S", "a trip to Kyoto")
        assert (done.returncode, done.stdout, done.stderr) == (0, "Booked.\n", "")
        document = parsed(run("inspect", "--agent", "Ada", "--session", "S", "--json"))
        assert document["strategy"]["kind"] == "state"
        assert document["layers"][0]["state"] == {"goal": "a trip to Kyoto"}
        sections = parsed(run("prompt", "--agent", "Bea", "--session", "S", "--json"))
        assert sections[-1]["content"] == "Book Fly in May."


def test_run_again_in_its_session_each_agent_goes_on_and_json_tells_of_each_node(
    tmp_path: Path, run: Run, drawn: Callable[..., str]
) -> None:
    with serving(tmp_path):
        run("graph", "run", drawn(), "--session", "S", "a trip to Kyoto")
        document = parsed(run("graph", "run", drawn(), "--session", "S", "--json", "to Nara"))
        assert set(document) == {
            "session", "graph", "status", "result", "error", "seconds", "nodes",
        }  # fmt: skip
        assert (document["graph"], document["status"], document["error"]) == ("Trip", "done", "")
        assert document["result"] == "Hello from the scripted server."
        assert [(n["id"], n["kind"], n["agent"], n["status"]) for n in document["nodes"]] == [
            ("in", "input", None, "done"),
            ("a", "agent", "Ada", "done"),
            ("b", "agent", "Bea", "done"),
            ("out", "output", None, "done"),
        ]
        assert document["nodes"][1]["reply"] == "Hello from the scripted server."
        assert document["nodes"][1]["completion_tokens"] > 0
        sections = parsed(run("prompt", "--agent", "Ada", "--session", "S", "--json"))
        said = [s["content"] for s in sections if s["role"] != "system"]
        assert said == ["Plan a trip to Kyoto", "Hello from the scripted server.", "Plan to Nara"]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"edges": [["in", "a"], ["a", "b"], ["b", "a"], ["b", "out"]]}, "a: This node would wait"),
        ({"nodes": GRAPH["nodes"][:2]}, "The graph has no output"),
        ({"colour": "red"}, "colour: this field is not known here"),
        (
            {"nodes": [*GRAPH["nodes"][:2], GRAPH["nodes"][2] | {"agent": "Nobody"},
                       GRAPH["nodes"][3]]},
            "b: There is no agent called 'Nobody'",
        ),
    ],
)  # fmt: skip
def test_a_graph_that_cannot_run_is_refused_with_the_node_and_makes_no_session(
    tmp_path: Path,
    run: Run,
    drawn: Callable[..., str],
    changes: dict[str, Any],
    message: str,
) -> None:
    with serving(tmp_path):
        done = run("graph", "run", drawn(**changes), "--session", "S", "go")
        assert (done.returncode, done.stdout) == (1, "")
        assert message in done.stderr
        assert "no session called" in run("log", "--session", "S").stderr


def test_a_file_that_is_not_there_and_a_server_that_is_not_there_are_told(
    tmp_path: Path, run: Run, drawn: Callable[..., str]
) -> None:
    done = run("graph", "run", str(tmp_path / "none.json"), "--session", "S", "go")
    assert done.returncode == 1
    assert "none.json cannot be read" in done.stderr
    with serving(tmp_path):
        file = drawn()
    done = run("graph", "run", file, "--session", "S", "--json", "go")
    assert done.returncode == 1
    document = json.loads(done.stdout)
    assert document["status"] == "failed"
    assert [node["status"] for node in document["nodes"]] == [
        "done", "failed", "skipped", "skipped",
    ]  # fmt: skip
    assert done.stderr.startswith("a: ")


def test_the_rest_of_a_run_that_failed_is_run_by_resume(
    tmp_path: Path, run: Run, drawn: Callable[..., str]
) -> None:
    with serving(tmp_path):
        file = drawn()
    assert run("graph", "run", file, "--session", "S", "Kyoto").returncode == 1
    with serving(tmp_path, "--answer", "Fly in May.", "--answer", "Booked."):
        done = run("graph", "resume", "--session", "S")
        assert (done.returncode, done.stdout, done.stderr) == (0, "Booked.\n", "")
        sections = parsed(run("prompt", "--agent", "Ada", "--session", "S", "--json"))
        assert sections[-1]["content"] == "Plan Kyoto"
        again = run("graph", "resume", "--session", "S")
    assert again.returncode == 1
    assert "There is no run to go on with" in again.stderr
    assert "no session called" in run("graph", "resume", "--session", "T").stderr


@pytest.mark.skipif(os.name == "nt", reason="needs SIGKILL")
def test_a_run_that_is_killed_is_resumed_with_what_was_done(
    tmp_path: Path, run: Run, drawn: Callable[..., str]
) -> None:
    file = drawn()
    with serving(
        tmp_path, "--answer", "Fly in May.", "--delay", "0.5", "--answer", "one two " * 50
    ):
        process = subprocess.Popen(
            command(tmp_path, "graph", "run", file, "--session", "S", "Kyoto"),
            cwd=ROOT,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        begun = _seen_running(tmp_path, "b")
        process.send_signal(signal.SIGKILL)
        process.wait(30)
        assert begun
    with serving(tmp_path, "--answer", "Booked."):
        asyncio.run(_resume(tmp_path))


async def _resume(folder: Path) -> None:
    app = await App.open(folder)
    try:
        session = await app.sessions.find("S")
        assert session is not None
        killed = await app.graph_runs.newest(session.id)
        assert killed is not None
        assert killed.status == "stopped"
        assert [node.state for node in killed.nodes] == ["done", "done", "stopped", "stopped"]
        await app.graph_runs.resume(session.id)
        await app.graph_runs.wait(session.id)
        again = await app.graph_runs.newest(session.id)
        assert again is not None
        assert again.status == "done"
        assert again.node("a").reply_id == killed.node("a").reply_id
        (result,) = await app.messages.page(session.id, limit=1)
        assert result.content == "Booked."
    finally:
        await app.close()


def _seen_running(folder: Path, node: str) -> bool:
    """Wait until the database says that a node runs and has something of its answer."""
    with closing(sqlite3.connect(folder / "chatty.db")) as database:
        for _try in range(400):
            rows = database.execute(
                "SELECT 1 FROM messages WHERE node = ? AND role = 'assistant'", (node,)
            ).fetchall()
            if rows:
                return True
            time.sleep(0.1)
    return False
