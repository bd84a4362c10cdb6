"""Keys in a file that nobody else can read, for a system without a keyring."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path
from typing import TextIO

from chatty_desktop.domain.errors import StorageFailed
from chatty_desktop.domain.json_text import read_json
from chatty_desktop.reading import LARGEST

_PRIVATE = 0o600


class KeyFile:
    """A JSON object of keys by provider id. Not there until the first key is put into it.

    was_open: others could read it until it was read here.
    """

    def __init__(self, file: Path) -> None:
        self.path = file
        self.was_open = False

    @property
    def exists(self) -> bool:
        return self.path.exists()

    def read(self) -> dict[str, str]:
        """All keys; none where there is no file. A file that others could read is closed to them
        first. Raises `StorageFailed`, without a word of what is in the file."""
        try:
            # A link could lead to a file of someone else's.
            number = os.open(
                self.path,
                # Without waiting: a pipe would be opened only once somebody writes to it.
                os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0),
            )
        except FileNotFoundError:
            return {}
        except OSError as error:
            raise StorageFailed(f"{self.path} cannot be read: {error.strerror}.") from error
        if not stat.S_ISREG(os.fstat(number).st_mode):
            os.close(number)
            raise StorageFailed(f"{self.path} is no plain file, so no keys are read from it.")
        with os.fdopen(number, encoding="utf-8") as stream:
            self._keep_private(stream)
            return self._parse(stream)

    def write(self, keys: dict[str, str]) -> None:
        """Replace the file whole or not at all; without a key the file goes. Raises
        `StorageFailed`."""
        temporary = self.path.with_name(f".{self.path.name}.{os.getpid()}.new")
        try:
            if not keys:
                self.path.unlink(missing_ok=True)
                return
            temporary.unlink(missing_ok=True)
            # Private from its first moment, not made so once the keys are in it.
            number = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _PRIVATE)
            with os.fdopen(number, "w", encoding="utf-8") as stream:
                json.dump(keys, stream, indent=2)
                stream.flush()
                os.fsync(stream.fileno())
            temporary.replace(self.path)
        except BaseException as error:
            temporary.unlink(missing_ok=True)
            if not isinstance(error, OSError):
                raise
            reason = error.strerror or type(error).__name__
            raise StorageFailed(f"{self.path} could not be written: {reason}.") from error

    def _keep_private(self, stream: TextIO) -> None:
        """See that the file is the person's own and closed to all others. Raises
        `StorageFailed`."""
        if os.name == "nt":  # there the folder of the person's profile is what keeps others out
            return
        facts = os.fstat(stream.fileno())
        if facts.st_uid != os.geteuid():
            raise StorageFailed(
                f"{self.path} belongs to another user of this computer, so the keys in it are not"
                " used. Delete it and set the keys again."
            )
        if not stat.S_IMODE(facts.st_mode) & 0o077:
            return
        try:
            os.fchmod(stream.fileno(), _PRIVATE)
        except OSError as error:
            raise StorageFailed(
                f"{self.path} can be read by others and cannot be closed to them"
                f" ({error.strerror}), so the keys in it are not used. Delete it, or put the data"
                " folder onto a disk that knows who may read a file."
            ) from error
        self.was_open = True

    def _parse(self, stream: TextIO) -> dict[str, str]:
        try:
            value = read_json(stream.read(LARGEST))
        except ValueError as error:
            raise StorageFailed(
                f"{self.path} is not JSON, so the keys in it are not used. Mend it, or delete it"
                " and set the keys again."
            ) from error
        if not isinstance(value, dict):
            raise StorageFailed(f"{self.path} must hold one JSON object of keys by provider.")
        return {name: key for name, key in value.items() if isinstance(key, str)}
