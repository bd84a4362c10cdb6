"""What is chosen as a file, and is none."""

from __future__ import annotations

import os
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from chatty_desktop.domain.errors import ChattyError, Invalid, StorageFailed
from chatty_desktop.domain.work import Work
from chatty_desktop.paths import Paths
from chatty_desktop.reading import LARGEST, NotPlain, TooLarge, read_file, read_text
from chatty_desktop.storage.key_file import KeyFile
from chatty_desktop.storage.restoring import stage
from chatty_desktop.storage.settings_file import SettingsFile
from chatty_desktop.ui.agents.agent_files import AGENT_FILES
from chatty_desktop.ui.exchange.files import read_chat_file
from tests.helpers.fresh_python import ran

pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="pipes and devices are no files there"),
    pytest.mark.timeout(30),
]


@pytest.fixture(params=["pipe", "device", "folder", "link to a pipe"])
def odd(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A path that is there and is no plain file."""
    place = tmp_path / "odd.json"
    match request.param:
        case "pipe":
            os.mkfifo(place)
        case "device":
            place.symlink_to("/dev/zero")
        case "folder":
            place.mkdir()
        case _:
            os.mkfifo(tmp_path / "pipe")
            place.symlink_to(tmp_path / "pipe")
    return place


@pytest.fixture
def sparse(tmp_path: Path) -> Path:
    """A file of 5 GB that takes no room."""
    place = tmp_path / "huge.json"
    with place.open("wb") as stream:
        stream.truncate(5_000_000_000)
    return place


def test_no_plain_file_is_waited_for(odd: Path) -> None:
    with pytest.raises(NotPlain, match=r"odd\.json is (no plain file|a folder)"):
        read_file(odd)


def test_a_file_is_read_up_to_its_bound_and_as_text(tmp_path: Path) -> None:
    file = tmp_path / "some.json"
    file.write_bytes(b"\xef\xbb\xbfone\r\ntwo\r")
    assert read_text(file) == "one\ntwo\n"
    assert len(read_file(file, 12)) == 12
    with pytest.raises(TooLarge):
        read_file(file, 11)


def test_a_huge_file_is_refused_by_its_size(sparse: Path) -> None:
    with pytest.raises(TooLarge, match="holds 5000 MB; up to 5 MB"):
        read_file(sparse)


READERS: list[Callable[[Path], Awaitable[object]]] = [AGENT_FILES.read, read_chat_file]


@pytest.mark.parametrize("read", READERS)
async def test_what_is_imported_has_to_be_a_plain_file(
    odd: Path, read: Callable[[Path], Awaitable[object]]
) -> None:
    with pytest.raises(Invalid, match=r"odd\.json"):
        await read(odd)


@pytest.mark.parametrize("read", READERS)
async def test_what_is_imported_is_refused_by_its_size(
    sparse: Path, read: Callable[[Path], Awaitable[object]]
) -> None:
    with pytest.raises(Invalid, match=r"huge\.json"):
        await read(sparse)


def test_a_backup_has_to_be_a_plain_file(odd: Path, tmp_path: Path) -> None:
    paths = Paths(tmp_path / "data")
    paths.create()
    with pytest.raises(ChattyError, match=r"odd\.json"):
        stage(paths, odd, Work())
    assert not paths.restore.exists()


async def test_settings_that_are_no_plain_file_are_told_of_and_left_alone(odd: Path) -> None:
    settings = SettingsFile(odd, lambda event: None)
    await settings.load()
    assert "cannot be read" in settings.notices[0].text
    with pytest.raises(StorageFailed):
        await settings.save(settings.current)
    assert not odd.is_file()  # noqa: ASYNC240


async def test_settings_of_gigabytes_are_set_aside(sparse: Path) -> None:
    settings = SettingsFile(sparse, lambda event: None)
    await settings.load()
    assert "holds 5000 MB" in settings.notices[0].text
    assert sparse.stat().st_size < LARGEST  # noqa: ASYNC240
    (aside,) = sparse.parent.glob("settings.broken-*")
    assert aside.stat().st_size == 5_000_000_000


def test_keys_are_read_from_a_plain_file_alone(odd: Path) -> None:
    with pytest.raises(StorageFailed):
        KeyFile(odd).read()


@pytest.mark.parametrize("command", [["agents", "import"], ["graph", "run"]])
def test_a_command_given_a_pipe_ends_with_a_reason(
    tmp_path: Path, data_dir: Path, command: list[str]
) -> None:
    odd = tmp_path / "odd.json"
    os.mkfifo(odd)
    more = ["--session", "s", "text"] if command[0] == "graph" else []
    code = f"""
import sys
from chatty_desktop.__main__ import main
sys.argv = ["chatty-desktop", *{command!r}, {str(odd)!r}, *{more!r}]
try:
    sys.exit(main())
except SystemExit as end:
    print("ended with", end.code)
"""
    said = ran(code, CHATTY_DATA_DIR=str(data_dir))
    assert "ended with 1" in said.stdout
    assert "odd.json" in said.stderr
