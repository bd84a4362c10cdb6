"""What can be written on the command line."""

from __future__ import annotations

from pathlib import Path

import pytest

from chatty_desktop.cli.arguments import parse

CALL = ["ask", "--agent", "Ada", "--session", "Talk", "Hello"]


def test_without_a_command_the_window_is_meant() -> None:
    call = parse([])
    assert (call.command, call.data_dir) == (None, None)
    assert parse(["--data-dir", "here"]).data_dir == Path("here")


@pytest.mark.parametrize("argv", [["--data-dir", "here", *CALL], [*CALL, "--data-dir", "here"]])
def test_the_data_folder_can_be_named_before_and_after_the_command(argv: list[str]) -> None:
    call = parse(argv)
    assert (call.command, call.data_dir, call.json) == ("ask", Path("here"), False)
    assert (call.agent, call.session, call.text) == ("Ada", "Talk", "Hello")


def test_json_is_asked_for_by_command() -> None:
    assert parse(["agents", "list", "--json"]).json is True
    assert parse(["agents", "export", "Ada"]).json is False
    assert parse(["log", "--session", "Talk", "--json"]).json is True


@pytest.mark.parametrize(
    "argv",
    [
        ["ask"],
        ["agents"],
        ["inspect", "--agent", "Ada"],
        ["fly"],
        ["measure", "--agent", "A"],
        ["ask", "--agent"],
    ],
)
def test_a_wrong_call_ends_with_status_2(
    argv: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        parse(argv)
    assert ended.value.code == 2
    assert "usage: chatty-desktop" in capsys.readouterr().err
