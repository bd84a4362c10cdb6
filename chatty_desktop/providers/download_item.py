"""One download of those in hand: how it stands, its speed, and the task that works on it."""

from __future__ import annotations

import asyncio
from collections import deque
from dataclasses import replace

from chatty_desktop.domain.downloads import Download, DownloadState
from chatty_desktop.domain.events import DownloadChanged
from chatty_desktop.domain.ids import new_id
from chatty_desktop.engine.ports import Publish
from chatty_desktop.providers.part_file import PartFile

_SPEED_SECONDS = 6.0
_TELL_SECONDS = 0.1
"""Progress is told no more often; a fast line brings a hundred pieces a second."""


class DownloadItem:
    """A download, what it works on, and how it was last shown."""

    def __init__(self, part: PartFile, publish: Publish) -> None:
        self.part = part
        self.task: asyncio.Task[None] | None = None
        self._publish = publish
        self._pace: deque[tuple[float, int]] = deque()
        self._told_at = 0.0
        self.shown = Download(new_id(), part.note.name, part.note.url, "waiting")

    def size(self) -> int:
        """Bytes that have come, 0 where that cannot be told."""
        try:
            return self.part.size()
        except OSError:
            return 0

    def show(
        self,
        state: DownloadState,
        reason: str = "",
        *,
        done: int | None = None,
        total: int | None = None,
        path: str = "",
    ) -> None:
        """Tell how it stands now; what is not given stays."""
        done = self.shown.done if done is None else done
        total = self.shown.total if total is None else total
        speed = self._speed(done) if state == "running" else self._forget_pace()
        left = (total - done) / speed if speed and total else None
        before = self.shown
        self.shown = replace(
            self.shown,
            state=state,
            done=done,
            total=total,
            speed=speed,
            seconds_left=left,
            reason=reason,
            path=path,
        )
        now = asyncio.get_running_loop().time()
        same = (state, reason, total) == (before.state, before.reason, before.total)
        if same and now - self._told_at < _TELL_SECONDS:
            return
        self._told_at = now
        self._publish(DownloadChanged(self.shown))

    async def end(self) -> None:
        """Take the task down and wait until it has let go of the file."""
        task, self.task = self.task, None
        if task is not None:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    def _speed(self, done: int) -> float:
        """Bytes a second over the last few seconds."""
        now = asyncio.get_running_loop().time()
        if self._pace and done < self._pace[-1][1]:
            self._pace.clear()
        self._pace.append((now, done))
        while now - self._pace[0][0] > _SPEED_SECONDS:
            self._pace.popleft()
        began, before = self._pace[0]
        return (done - before) / (now - began) if now - began > 0.5 else 0.0

    def _forget_pace(self) -> float:
        self._pace.clear()
        return 0.0
