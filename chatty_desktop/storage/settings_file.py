"""settings.json on disk: read tolerantly, written atomically, a broken one set aside.

The file is the person's as much as the app's. It is looked at once a second, and what was changed
in it by hand holds from then on; a change made in the app is made to what stands in the file.
"""

from __future__ import annotations

import asyncio
import logging
import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from chatty_desktop.domain.errors import ChattyError, Invalid, StorageFailed
from chatty_desktop.domain.events import Notice, SettingsChanged
from chatty_desktop.domain.settings import Settings, checked, read_settings, write_settings
from chatty_desktop.engine.ports import Publish
from chatty_desktop.reading import NotPlain, TooLarge, read_text

log = logging.getLogger(__name__)

LOOK_SECONDS = 1.0
"""Between two looks at the file."""

PATIENCE_SECONDS = 2.0
"""How long a file that is broken, or gone, must stay so: an editor may be about to save it."""

_Stamp = tuple[int, int, int]
"""Changes with the file: when it was written, its size, and which file it is."""


@dataclass(frozen=True, slots=True)
class _Found:
    """What stands in the file. `text` None: there is no file. `settings` None: it is broken, and
    `reason` says how."""

    text: str | None
    stamp: _Stamp | None
    settings: Settings | None = None
    reason: str = ""


class SettingsFile:
    """The present settings and the file they live in. `notices` were met while loading; what is
    met later is published. `created`: there was no file, and the defaults were written."""

    def __init__(
        self,
        file: Path,
        publish: Publish,
        *,
        look_seconds: float = LOOK_SECONDS,
        patience_seconds: float = PATIENCE_SECONDS,
    ) -> None:
        self._file = file
        self._publish = publish
        self._look_seconds = look_seconds
        self._patience_seconds = patience_seconds
        self._changing = asyncio.Lock()
        self._known = _Found(None, None)
        self._watching: asyncio.Task[None] | None = None
        self._unreadable = ""
        self.current = Settings()
        self.notices: list[Notice] = []
        self.created = False

    async def load(self) -> None:
        """Read the file, or write the defaults where there is none. A broken file is moved aside
        and said so in `notices`; the defaults hold meanwhile."""
        await asyncio.to_thread(self._load)

    def watch(self) -> None:
        """From now on take in what is changed in the file by hand, until `close`."""
        self._watching = asyncio.get_running_loop().create_task(self._watch())

    async def close(self) -> None:
        """Look at the file no more."""
        if self._watching is not None:
            self._watching.cancel()
            await asyncio.gather(self._watching, return_exceptions=True)

    async def change(self, change: Callable[[Settings], Settings]) -> None:
        """Save the present settings with a change, one change at a time. What was changed in the
        file by hand and not yet taken in is taken in first.

        Raises `Invalid`, naming the field, when the outcome breaks a rule, and `StorageFailed`
        when the file cannot be read or written; nothing is changed then.
        """
        async with self._changing:
            while True:
                await self._take_in()
                settings = checked(change(self.current))
                if await asyncio.to_thread(self._write, settings, self._known.stamp):
                    break
            self.current = settings
            self._publish(SettingsChanged())

    async def save(self, settings: Settings) -> None:
        """Make these the settings, whatever they were. Raises as `change` does."""
        await self.change(lambda _present: settings)

    # --- following the file ------------------------------------------------------------------

    async def _watch(self) -> None:
        while True:
            await asyncio.sleep(self._look_seconds)
            try:
                if await asyncio.to_thread(_stamp, self._file) != self._known.stamp:
                    async with self._changing:
                        await self._take_in()
            except ChattyError as error:
                if str(error) != self._unreadable:
                    self._unreadable = str(error)
                    self._publish(Notice("warning", self._unreadable))
            except Exception:
                log.exception("settings.json could not be followed")

    async def _take_in(self) -> None:
        """Make the settings what the file says, once it has come to rest. Raises `StorageFailed`
        when it cannot be read."""
        found = await asyncio.to_thread(self._find)
        waited = 0.0
        step = min(self._look_seconds, self._patience_seconds) / 4
        while found.settings is None and waited < self._patience_seconds:
            await asyncio.sleep(step)
            before, found = found, await asyncio.to_thread(self._find)
            waited = waited + step if found == before else 0.0
        if found.settings is not None:
            self._known = found
            self._unreadable = ""
            if found.settings != self.current:
                self.current = found.settings
                self._publish(SettingsChanged())
        elif found.text is None:
            await asyncio.to_thread(self._write, self.current)
            self._publish(
                Notice("info", "settings.json was gone; the present settings were written anew.")
            )
        else:
            self._publish(await asyncio.to_thread(self._set_aside, found, self.current))

    def _find(self) -> _Found:
        """What stands in the file now. Raises `StorageFailed` when it cannot be read."""
        stamp = _stamp(self._file)
        try:
            text = read_text(self._file)
        except FileNotFoundError:
            return _Found(None, None)
        except UnicodeDecodeError as error:
            return _Found("", stamp, reason=f"not UTF-8 text: {error}")
        except TooLarge as error:
            return _Found("", stamp, reason=str(error).rstrip("."))
        except NotPlain as error:
            raise StorageFailed(
                f"{self._file} cannot be read: it is no plain file. It is left alone, and the"
                " settings stay as they are; put a file in its place, then try again."
            ) from error
        except OSError as error:
            raise StorageFailed(
                f"{self._file} cannot be read ({error.strerror or error}). It is left alone,"
                " and the settings stay as they are; make it readable, then try again."
            ) from error
        if text == self._known.text:
            return _Found(text, stamp, self._known.settings)
        try:
            return _Found(text, stamp, read_settings(text))
        except Invalid as error:
            return _Found(text, stamp, reason=str(error))

    # --- reading and writing -----------------------------------------------------------------

    def _load(self) -> None:
        try:
            found = self._find()
            if found.settings is None and found.text is not None:
                self.notices.append(self._set_aside(found, self.current))
                return
        except StorageFailed as error:
            self._unreadable = str(error)
            self.notices.append(Notice("error", self._unreadable))
            return
        if found.settings is not None:
            self._known, self.current = found, found.settings
        else:
            self.created = self._write(self.current)

    def _write(self, settings: Settings, over: _Stamp | None = None) -> bool:
        """Write settings where the file still has the stamp `over`, None for no file; False where
        a hand was quicker."""
        text = write_settings(settings)
        written = write_atomically(self._file, text, lambda: _stamp(self._file) == over)
        if written is not None:
            # The stamp of what was written: what is there by now may be something else.
            self._known = _Found(text, _stamp_of(written), settings)
        return written is not None

    def _set_aside(self, found: _Found, instead: Settings) -> Notice:
        """Keep a broken file under another name and write settings in its place; what tells of
        it. Raises `StorageFailed` when that cannot be done: the file is left as it is then."""
        stamp = time.strftime("%Y%m%d-%H%M%S")
        aside = self._file.with_name(f"settings.broken-{stamp}.json")
        number = 1
        while aside.exists():
            number += 1
            aside = self._file.with_name(f"settings.broken-{stamp}-{number}.json")
        what = "the defaults" if instead == Settings() else "the settings in use"
        said = f"settings.json could not be read: {found.reason}."
        try:
            self._file.replace(aside)
        except OSError as error:
            raise StorageFailed(
                f"{said} It could not be set aside ({error.strerror or error}) and is left as it"
                f" is; {what} hold. Mend it, or move it away."
            ) from error
        self._write(instead)
        return Notice(
            "warning", f"{said} It was kept as {aside.name}; {what} were written in its place."
        )


def _stamp(file: Path) -> _Stamp | None:
    try:
        found = file.stat()
    except FileNotFoundError:
        return None
    except OSError:
        return (0, 0, 0)
    return _stamp_of(found)


def _stamp_of(found: os.stat_result) -> _Stamp:
    return found.st_mtime_ns, found.st_size, found.st_ino


def write_atomically(
    file: Path, text: str, wanted: Callable[[], bool] = lambda: True
) -> os.stat_result | None:
    """Replace a file's text whole or not at all; of a link, what it points to. Returns what the
    system knows of what was written; None, and the file is left alone, when at the last moment it
    is not `wanted`. Raises `StorageFailed`."""
    target = Path(os.path.realpath(file))
    temporary = target.with_name(f".{target.name}.{os.getpid()}.new")
    try:
        with temporary.open("w", encoding="utf-8") as stream:
            stream.write(text)
            stream.flush()
            os.fsync(stream.fileno())
            written = os.fstat(stream.fileno())
        if not wanted():
            temporary.unlink()
            return None
        temporary.replace(target)
        return written
    except BaseException as error:
        temporary.unlink(missing_ok=True)
        if not isinstance(error, OSError):
            raise
        raise StorageFailed(f"{file} could not be written: {error.strerror or error}.") from error
