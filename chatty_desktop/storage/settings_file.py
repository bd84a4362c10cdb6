"""settings.json on disk: read tolerantly, written atomically, a broken one set aside."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable
from pathlib import Path

from chatty_desktop.domain.errors import Invalid, StorageFailed
from chatty_desktop.domain.events import Notice, SettingsChanged
from chatty_desktop.domain.settings import Settings, checked, read_settings, write_settings
from chatty_desktop.engine.ports import Publish


class SettingsFile:
    """The present settings and the file they live in. `notices` were met while loading."""

    def __init__(self, file: Path, publish: Publish) -> None:
        self._file = file
        self._publish = publish
        self._changing = asyncio.Lock()
        self.current = Settings()
        self.notices: list[Notice] = []

    async def load(self) -> None:
        """Read the file, or write the defaults where there is none. A broken file is moved aside
        and said so in `notices`; the defaults hold meanwhile."""
        await asyncio.to_thread(self._load)

    async def save(self, settings: Settings) -> None:
        """Write the settings and make them current. Raises `StorageFailed`."""
        await asyncio.to_thread(write_atomically, self._file, write_settings(settings))
        self.current = settings
        self._publish(SettingsChanged())

    async def change(self, change: Callable[[Settings], Settings]) -> None:
        """Save the present settings with a change, one change at a time. Raises `Invalid`, naming
        the field, when the outcome breaks a rule, and `StorageFailed`; nothing is changed then."""
        async with self._changing:
            await self.save(checked(change(self.current)))

    def _load(self) -> None:
        try:
            text = self._file.read_text(encoding="utf-8-sig")
        except FileNotFoundError:
            write_atomically(self._file, write_settings(self.current))
            return
        except UnicodeDecodeError as error:
            self._set_aside(f"not UTF-8 text: {error}")
            return
        except OSError as error:
            self.notices.append(
                Notice("error", f"{self._file} cannot be read ({error}); the defaults are used.")
            )
            return
        try:
            self.current = read_settings(text)
        except Invalid as error:
            self._set_aside(str(error))

    def _set_aside(self, reason: str) -> None:
        aside = self._file.with_name(f"settings.broken-{time.strftime('%Y%m%d-%H%M%S')}.json")
        try:
            self._file.replace(aside)
            write_atomically(self._file, write_settings(self.current))
            where = f"It was kept as {aside.name}; new settings with the defaults were written."
        except (OSError, StorageFailed) as error:
            where = f"It could not be set aside ({error}); the defaults are used."
        self.notices.append(
            Notice("warning", f"settings.json could not be read: {reason}. {where}")
        )


def write_atomically(file: Path, text: str) -> None:
    """Replace a file's text whole or not at all. Raises `StorageFailed`."""
    temporary = file.with_name(f".{file.name}.{os.getpid()}.new")
    try:
        with temporary.open("w", encoding="utf-8") as stream:
            stream.write(text)
            stream.flush()
            os.fsync(stream.fileno())
        temporary.replace(file)
    except BaseException as error:
        temporary.unlink(missing_ok=True)
        if not isinstance(error, OSError):
            raise
        raise StorageFailed(f"{file} could not be written: {error.strerror or error}.") from error
