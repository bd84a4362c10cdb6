"""The headless commands as processes, against a scripted server of another process."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.desk import STATE
from tests.helpers.folder import settings_for
from tests.helpers.headless import ROOT, command, headless

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    return partial(headless, tmp_path)


@contextmanager
def serving(folder: Path, *arguments: str) -> Iterator[str]:
    """A scripted server as a process; settings.json of the folder names it."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.helpers.servers", "openai", *arguments],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout
    url = process.stdout.readline().strip()
    settings_for(folder, url)
    try:
        yield url
    finally:
        process.communicate("", timeout=20)


@pytest.fixture
def agent(tmp_path: Path, run: Run) -> str:
    """The agent "Ada" with State memory, imported from a file."""
    file = tmp_path / "ada.json"
    document = {"name": "Ada", "system_prompt": "You are Ada.", "memory_strategy": STATE}
    file.write_text(json.dumps(document), "utf-8")
    done = run("agents", "import", str(file))
    assert done.returncode == 0, done.stderr
    return "Ada"


def parsed(done: subprocess.CompletedProcess[str]) -> Any:
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_ask_prints_the_reply_after_memory_has_settled(
    tmp_path: Path, run: Run, agent: str
) -> None:
    changes = json.dumps([{"key": "goal", "value": "a trip to Kyoto"}])
    with serving(tmp_path, "--answer", "When do you go?", "--fold", changes):
        done = run("ask", "--agent", agent, "--session", "Trip", "I plan a trip to Kyoto.")
        assert (done.returncode, done.stdout) == (0, "When do you go?\n"), done.stderr
        document = parsed(run("inspect", "--agent", agent, "--session", "Trip", "--json"))
        assert document["strategy"]["kind"] == "state"
        (layer,) = document["layers"]
        assert set(layer) == {
            "kind", "state", "pending", "summary", "facts", "episodes", "recalled",
        }  # fmt: skip
        assert layer["state"] == {"goal": "a trip to Kyoto"}
        assert layer["pending"] == []
        (row,) = document["ledger"]
        assert set(row) == {
            "kind", "outcome", "reason", "attempts", "messages", "patch", "model",
        }  # fmt: skip
        assert (row["kind"], row["outcome"], row["attempts"]) == ("fold", "accepted", 1)
        assert [(m["role"], m["content"]) for m in row["messages"]] == [
            ("user", "I plan a trip to Kyoto."),
            ("assistant", "When do you go?"),
        ]
        assert (row["patch"], row["model"]) == ({"goal": "a trip to Kyoto"}, "lab/small")

        done = run("ask", "--agent", agent, "--session", "Trip", "--json", "In May.")
        assert parsed(done)["reply"] == "When do you go?"
        sections = parsed(run("prompt", "--agent", agent, "--session", "Trip", "--json"))
        assert [s["origin"] for s in sections] == [
            "system", "spec", "state", "last_exchange", "last_exchange", "new",
        ]  # fmt: skip
        assert all(set(s) == {"origin", "role", "content", "tokens"} for s in sections)
        assert "a trip to Kyoto" in sections[2]["content"]
        lines = parsed(run("log", "--session", "Trip", "--json"))
        assert any("goal" in line["text"] for line in lines)
        assert "Kyoto" in run("inspect", "--agent", agent, "--session", "Trip").stdout


def test_files_go_along_and_one_that_cannot_ends_it_before_anything_is_said(
    tmp_path: Path, run: Run, agent: str
) -> None:
    notes = tmp_path / "notes.md"
    notes.write_text("Kyoto in May")
    with serving(tmp_path):
        ask = ("ask", "--agent", agent, "--session", "files", "--attach", str(notes))
        assert run(*ask, "Read this").returncode == 0
        refused = run(*ask, "--attach", str(tmp_path), "And this")
        assert refused.returncode != 0
        assert "is a folder" in refused.stderr
        sent = json.loads(run("prompt", *ask[1:5], "--json").stdout)
    assert "Read this\n\nFile: notes.md\n```md\nKyoto in May\n```" in [s["content"] for s in sent]


def test_models_are_measured_headless_and_what_was_measured_is_kept(
    tmp_path: Path, run: Run, agent: str
) -> None:
    script = {
        "title": "Kyoto",
        "fields": [{"name": "goal", "description": "what they are trying to achieve"}],
        "turns": [
            {"user": "I plan a trip to Kyoto.", "assistant": "Nice.", "want": {"goal": ["kyoto"]}},
            {"user": "What is a ryokan?", "assistant": "An inn."},
        ],
    }
    file = tmp_path / "kyoto.json"
    file.write_text(json.dumps(script), "utf-8")
    call = ("measure", "--agent", agent, "--script", str(file))
    changes = json.dumps([{"key": "goal", "value": "a trip to Kyoto"}])
    with serving(tmp_path, "--model", "small", "--model", "large", "--fold", changes):
        done = run(*call, "--model", "lab/small", "--model", "lab/large", "--json")
        document = parsed(done)
        assert (document["agent"], document["source"]) == ("Ada", "Kyoto")
        small, large = document["models"]
        assert (small["model"], small["folds"], small["without_fault"]) == ("lab/small", 2, 2)
        assert (large["keys_right"], large["keys_missed"]) == (0, 1)
        assert (small["verdict"], small["judged_fields"]) == ("too_few", ["goal"])
        step = large["steps"][0]
        assert step["expected"] == {"goal": ["kyoto"]} and step["missed"] == ["goal"]
        assert "lab/large: step 2 of 2" in done.stderr

        done = run(*call, "--model", "lab/small")
        assert done.returncode == 0 and "Too little was measured to say." in done.stdout
        done = run("measure", "--agent", agent, "--model", "lab/small")
        assert done.returncode == 0 and "lab/small" in done.stdout, done.stderr

        assert run("ask", "--agent", agent, "--session", "Trip", "Hello!").returncode == 0
        done = run("measure", "--agent", agent, "--chat", "Trip", "--model", "lab/small", "--json")
        (own,) = parsed(done)["models"]
        assert (own["folds"], own["judged_fields"]) == (1, [])
    with closing(sqlite3.connect(tmp_path / "chatty.db")) as database:
        (count,) = database.execute("SELECT count(*) FROM measurements").fetchone()
    assert count == 5

    done = run(*call, "--model", "lab/small")
    assert done.returncode == 1 and "lab/small" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--agent", "Nobody", "--model", "lab/small"), "There is no agent called 'Nobody'"),
        (("--agent", "Small talk", "--model", "lab/small"), "keeps no state"),
        (("--agent", "Companion", "--model", "nowhere/x"), "nowhere"),
        (("--agent", "Companion", "--model", "lab/small", "--script", "gone"), "planning"),
        (("--agent", "Companion", "--model", "lab/small", "--chat", "gone"), "no session"),
    ],
)
def test_what_cannot_be_measured_is_said_and_ends_with_1(
    tmp_path: Path, run: Run, arguments: tuple[str, ...], said: str
) -> None:
    settings_for(tmp_path, "http://127.0.0.1:9/v1")
    done = run("measure", *arguments)
    assert (done.returncode, done.stdout) == (1, "")
    assert said in done.stderr and "Traceback" not in done.stderr


def test_episodes_are_recalled_and_embedded_again_headless(tmp_path: Path, run: Run) -> None:
    file = tmp_path / "eve.json"
    memory = {"kind": "episodic", "top_k": 2, "threshold": 0.3, "ranking": "hybrid"}
    file.write_text(json.dumps({"name": "Eve", "memory_strategy": memory}), "utf-8")
    assert run("agents", "import", str(file)).returncode == 0
    scope = ("--agent", "Eve", "--session", "Cats")
    with serving(tmp_path, "--answer", "Noted.") as url:
        settings_for(tmp_path, url)
        assert run("ask", *scope, "My cat is called Mio.").returncode == 0
        (layer,) = parsed(run("inspect", *scope, "--json"))["layers"]
        assert layer["recalled"] == []
        assert (layer["episodes"]["total"], layer["episodes"]["without_vector"]) == (2, 2)

        settings_for(tmp_path, url, embedder="nomic-embed-text")
        done = run("reembed", "--stop-after", "1", "--json")
        assert parsed(done) == {"embedded": 1, "left": 1}
        assert "Embedded 1 of 1" in done.stderr
        assert run("reembed").stdout == "Embedded 1; 0 left.\n"
        assert (tmp_path / "episodes" / "episodes__lab__nomic-embed-text__64.lance").is_dir()

        assert run("ask", *scope, "What is my cat called?").returncode == 0
        (layer,) = parsed(run("inspect", *scope, "--json"))["layers"]
        assert [row["content"] for row in layer["recalled"]] == ["My cat is called Mio."]
        assert layer["recalled"][0]["score"] >= 0.3
        assert layer["episodes"]["by_embedder"][0]["count"] == 4
        sections = parsed(run("prompt", *scope, "--json"))
        assert [s["origin"] for s in sections] == ["episodic", "new"]
        assert "User: My cat is called Mio." in sections[0]["content"]
        text = run("inspect", *scope).stdout
        assert "4 by lab/nomic-embed-text" in text and "below threshold" in text

    settings_for(tmp_path, "http://127.0.0.1:9/v1", embedder="another")
    done = run("reembed")
    assert (done.returncode, done.stdout) == (1, "")
    assert "127.0.0.1:9" in done.stderr


def test_a_server_that_is_down_is_told_on_stderr_and_nothing_is_lost(
    tmp_path: Path, run: Run, agent: str
) -> None:
    settings_for(tmp_path, "http://127.0.0.1:9/v1")
    done = run("ask", "--agent", agent, "--session", "Trip", "Hello")
    assert done.returncode == 1
    assert done.stdout == ""
    assert "127.0.0.1:9" in done.stderr
    document = parsed(run("inspect", "--agent", agent, "--session", "Trip", "--json"))
    assert [m["content"] for m in document["layers"][0]["pending"]] == ["Hello"]


def test_agents_are_listed_exported_and_imported_over_the_old(
    tmp_path: Path, run: Run, agent: str
) -> None:
    assert agent in run("agents", "list").stdout.splitlines()
    exported = json.loads(run("agents", "export", agent).stdout)
    assert set(exported) == {
        "name", "system_prompt", "model", "memory_strategy", "tools", "max_steps",
    }  # fmt: skip
    assert exported["memory_strategy"]["fields"] == STATE["fields"]
    exported["system_prompt"] = "You are someone else."
    (tmp_path / "new.json").write_text(json.dumps(exported), "utf-8")
    assert run("agents", "import", str(tmp_path / "new.json")).returncode == 0
    again = json.loads(run("agents", "export", agent).stdout)
    assert again["system_prompt"] == "You are someone else."
    assert run("agents", "list").stdout.splitlines().count(agent) == 1


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("inspect", "--agent", "Nobody", "--session", "x"), "Nobody"),
        (("log", "--session", "nowhere"), "nowhere"),
        (("agents", "export", "Nobody"), "Nobody"),
        (("agents", "import", "/nowhere/agent.json"), "/nowhere/agent.json"),
        (("ask", "--agent", "Companion", "--session", "x", "  "), "empty"),
    ],
)
def test_what_cannot_be_done_is_said_on_stderr_with_a_status(
    run: Run, arguments: tuple[str, ...], words: str
) -> None:
    done = run(*arguments)
    assert (done.returncode, done.stdout) == (1, "")
    assert words in done.stderr
    assert "Traceback" not in done.stderr


def test_a_bad_agent_file_names_the_field(tmp_path: Path, run: Run) -> None:
    file = tmp_path / "bad.json"
    file.write_text(json.dumps({"name": "X", "memory_strategy": {"kind": "window", "n": 3}}))
    done = run("agents", "import", str(file))
    assert done.returncode == 1
    assert "memory_strategy" in done.stderr


def test_a_broken_settings_file_is_told_and_the_command_still_runs(
    tmp_path: Path, run: Run
) -> None:
    (tmp_path / "settings.json").write_text("{oops", "utf-8")
    done = run("agents", "list")
    assert done.returncode == 0
    assert "settings.json could not be read" in done.stderr
    assert list(tmp_path.glob("settings.broken-*.json"))


def test_a_folder_that_another_process_has_open_is_left_alone(
    tmp_path: Path, run: Run, agent: str
) -> None:
    with serving(tmp_path, "--answer", "slow words " * 50, "--delay", "0.2"):
        first = subprocess.Popen(
            command(tmp_path, "ask", "--agent", agent, "--session", "T", "Hi"), cwd=ROOT
        )
        _wait_for_words(tmp_path)
        done = run("agents", "list")
        assert done.returncode == 1
        assert f"process {first.pid}" in done.stderr
        first.send_signal(signal.SIGTERM)
        first.wait(30)
    assert run("agents", "list").returncode == 0


@pytest.mark.skipif(sys.platform == "win32", reason="sends POSIX signals")
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_a_process_ended_in_mid_answer_loses_nothing_that_was_shown(
    tmp_path: Path, run: Run, agent: str, how: signal.Signals
) -> None:
    with serving(tmp_path, "--answer", "many slow words " * 50, "--delay", "0.1"):
        process = subprocess.Popen(
            command(tmp_path, "ask", "--agent", agent, "--session", "T", "Keep this"),
            cwd=ROOT,
            stderr=subprocess.DEVNULL,
            # Where the tests run in the background, it would be started to ignore SIGINT.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509
        )
        _wait_for_words(tmp_path)
        process.send_signal(how)
        assert process.wait(30) != 0
        if how is signal.SIGTERM:
            assert process.returncode == 130
        document = parsed(run("inspect", "--agent", agent, "--session", "T", "--json"))
    pending = document["layers"][0]["pending"]
    assert pending[0]["content"] == "Keep this"
    assert pending[1]["content"].startswith("many slow words")
    with closing(sqlite3.connect(tmp_path / "chatty.db")) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        status = connection.execute(
            "SELECT status FROM messages WHERE role = 'assistant'"
        ).fetchone()
    assert status == ("cut" if how is signal.SIGKILL else "stopped",)


def test_a_reader_that_hangs_up_early_gets_no_traceback(tmp_path: Path) -> None:
    process = subprocess.Popen(
        command(tmp_path, "agents", "export", "Companion"),
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    assert process.stdout
    process.stdout.close()
    assert process.stderr
    with process.stderr as errors:
        assert b"Traceback" not in errors.read()
    process.wait(30)


def _wait_for_words(folder: Path) -> None:
    """Return once a reply with words in it is in the database, a checkpoint later at most."""
    deadline = time.monotonic() + 40
    while time.monotonic() < deadline:
        if (folder / "chatty.db").exists():
            uri = f"file:{folder / 'chatty.db'}?mode=ro"
            with closing(sqlite3.connect(uri, uri=True, timeout=5)) as connection:
                try:
                    found = connection.execute(
                        "SELECT content FROM messages WHERE role = 'assistant'"
                    ).fetchone()
                except sqlite3.OperationalError:
                    found = None
            if (found and "many slow words" in found[0]) or (found and "slow words" in found[0]):
                return
        time.sleep(0.05)
    raise AssertionError("No reply came.")


def test_a_backup_is_written_and_restored_without_a_window(
    tmp_path: Path, run: Run, agent: str
) -> None:
    file = tmp_path / "out.zip"
    document = parsed(run("backup", "--to", str(file), "--json"))
    assert document == {"file": str(file), "bytes": file.stat().st_size}
    again = run("backup", "--to", str(file))
    assert again.returncode == 1
    assert "there already" in again.stderr
    assert run("backup", "--to", str(file), "--replace").returncode == 0

    (tmp_path / "chatty.db").write_bytes(b"not a database" * 100)
    damaged = run("agents", "list")
    assert (damaged.returncode, "chatty-desktop restore" in damaged.stderr) == (1, True)
    document = parsed(run("restore", str(file), "--json"))
    assert (document["restored"], document["chats"]) == (True, 0)
    assert agent in run("agents", "list").stdout
    none = run("restore", str(tmp_path / "settings.json"))
    assert (none.returncode, "no backup of Chatty Desktop" in none.stderr) == (1, True)


def test_everything_is_exported_without_a_window(tmp_path: Path, run: Run, agent: str) -> None:
    file = tmp_path / "out.zip"
    document = parsed(run("export", "--to", str(file), "--json"))
    assert (document["file"], document["chats"]) == (str(file), 0)
    with zipfile.ZipFile(file) as archive:
        names = archive.namelist()
    assert sum(name.startswith("agents/") for name in names) == document["agents"] > 1
    assert any(name.startswith(f"agents/{agent} ") for name in names)
