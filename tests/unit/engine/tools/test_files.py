"""Tools for files: inside the folders that were given, and nowhere else, whatever is asked."""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import given as for_any
from hypothesis import strategies as st

from chatty_desktop.domain.errors import ChattyError, Invalid, Refused
from chatty_desktop.domain.paths_given import path_problem
from chatty_desktop.engine.tools.folders import LARGEST, Folders, as_text
from tests.unit.engine.tools.conftest import Use


def names(folder: Path) -> list[str]:
    """What is in a folder."""
    return sorted(each.name for each in folder.iterdir())


links = pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")


# --- what they do ----------------------------------------------------------------------------


async def test_a_file_is_read_whole_or_by_lines(use: Use, given: Path) -> None:
    (given / "notes").mkdir()
    (given / "notes" / "a.txt").write_text("one\ntwo\nthree\n", "utf-8")
    assert (await use("read_file", path="notes/a.txt")).text == "one\ntwo\nthree"
    part = await use("read_file", path=str(given / "notes" / "a.txt"), first_line=2, lines=1)
    assert part.text == "notes/a.txt, lines 2 to 2 of 3:\ntwo"
    assert (await use("read_file", path="notes/a.txt", first_line=9)).failed


async def test_what_is_no_text_is_named_as_such(use: Use, given: Path) -> None:
    (given / "picture.png").write_bytes(b"\x89PNG\r\n\0\0")
    (given / "empty").touch()
    (given / "wide.txt").write_text("Grüße", "utf-16")
    (given / "old.txt").write_bytes("Grüße".encode("cp1252"))
    result = await use("read_file", path="picture.png")
    assert (result.text, result.failed) == ("picture.png is a binary file of 8 bytes.", True)
    assert (await use("read_file", path="empty")).text == "empty is empty."
    assert (await use("read_file", path="wide.txt")).text == "Grüße"
    assert (await use("read_file", path="old.txt")).text == "Grüße"


async def test_a_huge_file_is_refused_and_not_read(use: Use, given: Path) -> None:
    with (given / "huge").open("wb") as file:
        file.truncate(LARGEST + 1)
    with pytest.raises(Refused, match="too large"):
        await use("read_file", path="huge")


async def test_a_folder_is_listed_folders_first(use: Use, given: Path) -> None:
    (given / "b").mkdir()
    (given / "a.txt").write_text("hi", "utf-8")
    (given / "c.md").write_text("hello", "utf-8")
    assert (await use("list_files")).text == "b/\na.txt (2 bytes)\nc.md (5 bytes)"
    assert (await use("list_files", pattern="*.md")).text == "c.md (5 bytes)"
    assert (await use("list_files", path="b")).text == "There is nothing here."
    with pytest.raises(Refused, match="cannot be listed"):
        await use("list_files", path="a.txt")


async def test_a_text_is_found_with_file_and_line(use: Use, given: Path) -> None:
    (given / "deep").mkdir()
    (given / "deep" / "a.txt").write_text("nothing\nThe Ryokan is booked\n", "utf-8")
    (given / "b.md").write_text("ryokan", "utf-8")
    (given / ".git").mkdir()
    (given / ".git" / "c.md").write_text("ryokan", "utf-8")
    (given / "d.bin").write_bytes(b"\0ryokan")
    found = (await use("search_files", text="ryokan")).text
    assert found == "b.md:1: ryokan\ndeep/a.txt:2: The Ryokan is booked"
    assert (await use("search_files", text="ryokan", pattern="*.md")).text == "b.md:1: ryokan"
    assert "Not found in" in (await use("search_files", text="hotel")).text


async def test_a_file_is_written_with_the_folders_on_the_way(use: Use, given: Path) -> None:
    assert (await use("write_file", path="new/a.txt", content="Grüße\n")).text.startswith("Wrote")
    assert (given / "new" / "a.txt").read_bytes() == "Grüße\n".encode()
    (given / "new" / "a.txt").chmod(0o600)
    again = await use("write_file", path="new/a.txt", content="x")
    assert again.text == "Replaced new/a.txt (1 bytes)."
    if sys.platform != "win32":
        assert (given / "new" / "a.txt").stat().st_mode & 0o777 == 0o600
    assert names(given / "new") == ["a.txt"]


@links
async def test_a_write_that_fails_leaves_what_was_there(use: Use, given: Path) -> None:
    if os.geteuid() == 0:
        pytest.skip("nothing is forbidden to root")
    (given / "a.txt").write_text("before", "utf-8")
    await asyncio.to_thread(given.chmod, 0o500)
    try:
        with pytest.raises(Refused, match="cannot be written"):
            await use("write_file", path="a.txt", content="after")
    finally:
        await asyncio.to_thread(given.chmod, 0o700)
    assert (given / "a.txt").read_text("utf-8") == "before"
    assert names(given) == ["a.txt"]


async def test_without_folders_nothing_is_reached() -> None:
    with pytest.raises(Refused, match="No folder was given"):
        Folders([])
    with pytest.raises(Refused, match="not there"):
        Folders(["/no/such/folder"])


async def test_the_folder_of_the_app_stays_shut_inside_a_folder_that_was_given(
    use: Use, tmp_path: Path
) -> None:
    (tmp_path / "data" / "settings.json").write_text("{}", "utf-8")
    folders = Folders([str(tmp_path)], tmp_path / "data")
    for path in ("data/settings.json", "data", "given/../data/chatty.db"):
        with pytest.raises(Refused, match="outside"):
            folders.place(path)
    assert folders.place("given") == Path(os.path.realpath(tmp_path / "given"))  # noqa: ASYNC240


# --- what they do not ------------------------------------------------------------------------


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    folder = tmp_path / "given-not"
    folder.mkdir()
    (folder / "secret.txt").write_text("secret", "utf-8")
    return folder


@links
@pytest.mark.parametrize(
    "path",
    [
        "../given-not/secret.txt",
        "{outside}/secret.txt",
        "link/secret.txt",
        "secret-link.txt",
        "./a/../../given-not/secret.txt",
        "chain/secret.txt",
        "/etc/passwd",
        "/proc/self/environ",
        "/dev/zero",
        "..",
        "link",
    ],
)
@pytest.mark.parametrize("name", ["read_file", "write_file", "list_files", "search_files"])
async def test_no_path_leads_outside(
    use: Use, given: Path, outside: Path, path: str, name: str
) -> None:
    (given / "link").symlink_to(outside)
    (given / "chain").symlink_to(given / "link")
    (given / "secret-link.txt").symlink_to(outside / "secret.txt")
    more = {"write_file": {"content": "x"}, "search_files": {"text": "secret"}}.get(name, {})
    with pytest.raises(Refused, match="outside"):
        await use(name, path=path.format(outside=outside), **more)
    assert (outside / "secret.txt").read_text("utf-8") == "secret"
    assert names(outside) == ["secret.txt"]


@links
async def test_a_search_does_not_follow_links_out_and_a_list_names_them(
    use: Use, given: Path, outside: Path
) -> None:
    (given / "link").symlink_to(outside)
    (given / "secret-link.txt").symlink_to(outside / "secret.txt")
    assert "Not found" in (await use("search_files", text="secret")).text
    listed = (await use("list_files")).text
    assert listed.count("(leads out of the folder)") == 2


@links
async def test_a_link_inside_is_followed_and_a_loop_is_told_of(use: Use, given: Path) -> None:
    (given / "a.txt").write_text("hi", "utf-8")
    (given / "b.txt").symlink_to(given / "a.txt")
    (given / "loop").symlink_to(given / "loop")
    assert (await use("read_file", path="b.txt")).text == "hi"
    with pytest.raises(ChattyError):
        await use("read_file", path="loop")


@links
async def test_a_pipe_or_a_device_is_no_plain_file(use: Use, given: Path) -> None:
    os.mkfifo(given / "pipe")
    for name, more in (("read_file", {}), ("write_file", {"content": "x"})):
        with pytest.raises(Refused, match="no plain file"):
            await use(name, path="pipe", **more)
    assert "Not found in 1 files" in (await use("search_files", text="x")).text


@pytest.mark.parametrize("path", ["", "  ", "a\0b", "a\nb", "\x1b[2J"])
async def test_what_is_no_path_is_told(use: Use, path: str) -> None:
    for name, more in (("read_file", {}), ("write_file", {"content": "x"})):
        with pytest.raises(Invalid):
            await use(name, path=path, **more)


@pytest.mark.parametrize(
    "path",
    [
        "con", "CON.txt", "a/nul", "a\\aux.log", "COM1", "lpt9.x", "conout$", "prn .txt",
        "a.txt:stream", "C:relative", "\\\\server\\share\\a", "//server/share", "\\\\?\\C:\\a",
        "\\\\.\\PhysicalDrive0", "a.", "b \\c",
    ],
)  # fmt: skip
def test_names_that_are_special_on_windows_are_none_there(path: str) -> None:
    assert path_problem(path, windows=True)


@pytest.mark.parametrize(
    "path", ["a.txt", "C:\\a\\b.txt", "c:/a", "..\\b", "./a", "console", "comma"]
)
def test_plain_names_are_plain_on_windows(path: str) -> None:
    assert path_problem(path, windows=True) == ""


PARTS = st.sampled_from(["..", ".", "a", "b", "link", "file.txt", "", "//", "~", "LINK", "out"])


@links
@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture])
@for_any(st.lists(PARTS, max_size=8), st.booleans(), st.booleans())
def test_whatever_path_is_asked_for_nothing_outside_is_read_or_written(
    parts: list[str], absolute: bool, links_out: bool
) -> None:
    with tempfile.TemporaryDirectory() as made:
        base = Path(made)
        given, outside = base / "in", base / "out"
        (given / "a" / "b").mkdir(parents=True)
        outside.mkdir()
        (outside / "file.txt").write_text("secret", "utf-8")
        (given / "link").symlink_to(outside if links_out else given / "a")
        (given / "a" / "link").symlink_to(given / "a" / "b")
        path = "/".join(parts)
        folders = Folders([str(given)])
        for target in (path, str(given / path), str(base / path)) if absolute else (path,):
            with suppress(ChattyError):
                assert folders.read(folders.place(target)) != b"secret"
            with suppress(ChattyError):
                folders.write(folders.place(target), b"written")
        assert (outside / "file.txt").read_text("utf-8") == "secret"
        assert names(outside) == ["file.txt"]
        assert names(base) == ["in", "out"]
        assert not list(base.rglob("*.part"))


@for_any(st.binary(max_size=200))
def test_any_bytes_are_text_or_named_binary(content: bytes) -> None:
    told = as_text(content)
    assert told is None or isinstance(told, str)
