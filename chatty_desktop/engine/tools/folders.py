"""The folders that a person has given to an agent, and the way from a path to a file in them.

A path counts by where it really leads, links followed, and again once the file is open: nothing
outside is read or written, whatever the path says.
"""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Sequence
from pathlib import Path

from chatty_desktop.domain.errors import Invalid, Refused
from chatty_desktop.domain.ids import new_id
from chatty_desktop.domain.paths_given import path_problem

LARGEST = 10_000_000
"""Bytes of a file that is read or written."""

_WINDOWS = sys.platform == "win32"


class Folders:
    """`given` are the folders, `closed` one that stays shut even inside of them. Everything here
    waits for the disk: call it in a thread."""

    def __init__(self, given: Sequence[str], closed: Path | None = None) -> None:
        """Raises `Refused` when no folder was given, or none of them is there."""
        if not given:
            raise Refused(
                "No folder was given to this agent, so it cannot reach files. The person can add"
                " one in the agent's settings."
            )
        real = [Path(os.path.realpath(Path(folder).expanduser())) for folder in given]
        self.roots = tuple(dict.fromkeys(folder for folder in real if folder.is_dir()))
        self._closed = Path(os.path.realpath(closed)) if closed else None
        if not self.roots:
            raise Refused(f"The folders of this agent are not there: {', '.join(given)}.")

    def place(self, path: str) -> Path:
        """Where a path really leads: relative to the first folder, or to the one in which it is.
        Raises `Refused` when that is outside of all, `Invalid` when it is no path."""
        if problem := path_problem(path, windows=_WINDOWS):
            raise Invalid(problem)
        try:
            places = [Path(os.path.realpath(root / path)) for root in self.roots]
            inside = [place for place in places if self.holds(place)]
            there = [place for place in inside if place.exists()]
        except (OSError, ValueError) as error:
            raise Invalid(f"{path!r} is no path that can be used: {error}") from error
        if not inside:
            folders = ", ".join(map(str, self.roots))
            raise Refused(f"{path} is outside of the folders that were given: {folders}.")
        return (there or inside)[0]

    def holds(self, place: Path) -> bool:
        """Whether a real path is in one of the folders, and not in the closed one."""
        if self._closed is not None and _within(place, self._closed):
            return False
        return any(_within(place, root) for root in self.roots)

    def shown(self, place: Path) -> str:
        """A path as the model is told it: from its folder on, whole where there are several."""
        root = next((root for root in self.roots if _within(place, root)), None)
        if root is None or len(self.roots) > 1 or not place.is_relative_to(root):
            return str(place)
        return place.relative_to(root).as_posix() if place != root else "."

    def read(self, place: Path) -> bytes:
        """A file. Raises `Refused` for what is none, or too large."""
        try:
            if not stat.S_ISREG(place.stat().st_mode):
                what = "a folder" if place.is_dir() else "no plain file"
                raise Refused(f"{self.shown(place)} is {what}.")
            # Without waiting: a pipe that took the place of the file would never give anything.
            flags = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0)
            opened = os.open(place, flags | getattr(os, "O_NOFOLLOW", 0))
            with os.fdopen(opened, "rb") as file:
                self._check(place, file.fileno())
                read = file.read(LARGEST + 1)
        except OSError as error:
            raise Refused(
                f"{self.shown(place)} cannot be read: {error.strerror or error}."
            ) from error
        if len(read) > LARGEST:
            raise Refused(
                f"{self.shown(place)} is larger than {LARGEST // 1_000_000} MB, too large to read."
            )
        return read

    def write(self, place: Path, content: bytes) -> None:
        """Write a file, whole or not at all; folders on the way are made. Raises `Refused`."""
        if len(content) > LARGEST:
            raise Refused(f"That is more than {LARGEST // 1_000_000} MB, too much to write.")
        temporary: Path | None = None
        try:
            if place.exists() and not place.is_file():
                what = "a folder" if place.is_dir() else "no plain file"
                raise Refused(f"{self.shown(place)} is {what}.")
            place.parent.mkdir(parents=True, exist_ok=True)
            if not self.holds(Path(os.path.realpath(place))):
                raise Refused(f"{place} leads out of the folders that were given.")
            part = place.with_name(f".{new_id()}.part")
            with part.open("xb") as file:
                temporary = part
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            if place.exists():
                part.chmod(stat.S_IMODE(place.stat().st_mode))
            part.replace(place)
            temporary = None
        except OSError as error:
            raise Refused(
                f"{self.shown(place)} cannot be written: {error.strerror or error}."
            ) from error
        finally:
            if temporary is not None:
                temporary.unlink(missing_ok=True)

    def _check(self, place: Path, number: int) -> None:
        """Whether what was opened is the file that was looked at, and still inside."""
        opened, there = os.fstat(number), place.stat()
        if not stat.S_ISREG(opened.st_mode) or not os.path.samestat(opened, there):
            raise Refused(f"{self.shown(place)} changed while it was opened.")
        if not self.holds(Path(os.path.realpath(place))):
            raise Refused(f"{place} leads out of the folders that were given.")


def _within(place: Path, folder: Path) -> bool:
    if place == folder or folder in place.parents:
        return True
    # By another spelling, where a file system does not tell upper from lower case.
    return any(_same(each, folder) for each in (place, *place.parents))


def _same(one: Path, other: Path) -> bool:
    try:
        return one.name.casefold() == other.name.casefold() and one.samefile(other)
    except OSError:
        return False


def as_text(content: bytes) -> str | None:
    """The text of a file, None when it is none."""
    for mark, encoding in (
        (b"\xef\xbb\xbf", "utf-8-sig"),
        (b"\xff\xfe", "utf-16"),
        (b"\xfe\xff", "utf-16"),
    ):
        if content.startswith(mark):
            return content.decode(encoding, "replace")
    if b"\0" in content[:8192]:
        return None
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        return content.decode("cp1252", "replace")
