"""What is learnt of messages after they are drawn: other versions, what befell their memory."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from PySide6.QtCore import QObject, QTimer

from chatty_desktop.domain.events import LogEntry
from chatty_desktop.ui.chat.message_place import MessagePlace
from chatty_desktop.ui.tasks import Tasks

VersionsOf = Callable[[Sequence[str]], Awaitable[dict[str, tuple[str, ...]]]]
WarningsOf = Callable[[str, Sequence[str]], Awaitable[list[LogEntry]]]


class AboutViews(QObject):
    """Asks once for all views that were made in one go.

    `versions(ids)` gives those of the messages that have other versions, with the ids of all;
    `warnings(session, runs)` the lines of the run log that are warnings or errors of those runs.
    """

    def __init__(
        self,
        views: Callable[[], Sequence[MessagePlace]],
        versions: VersionsOf,
        warnings: WarningsOf,
        tasks: Tasks,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._views = views
        self._versions_of = versions
        self._warnings_of = warnings
        self._tasks = tasks
        self._session: str | None = None
        self._versions: dict[str, tuple[str, ...]] = {}
        self._warnings: dict[str, list[LogEntry]] = {}
        self._due = QTimer(self)
        self._due.setSingleShot(True)
        self._due.timeout.connect(self._ask)

    def set_session(self, session: str | None) -> None:
        """Forget all of the chat before."""
        self._session = session
        self._versions = {}
        self._warnings = {}

    def ask(self) -> None:
        """The views are others, or stand elsewhere."""
        self._due.start(0)

    def tell(self, view: MessagePlace) -> None:
        """Show a view what is known of its message."""
        view.set_versions(self._versions.get(view.message.id, ()))
        view.set_warnings(self._warnings.get(view.message.run_id, ()))

    def versions(self, message_id: str) -> tuple[str, ...]:
        """The ids of all versions of a message, none where it has no other or is not drawn."""
        return self._versions.get(message_id, ())

    def add(self, entry: LogEntry) -> None:
        """A line was added to the run log of the chat."""
        if entry.level == "info" or not entry.run_id:
            return
        self._warnings.setdefault(entry.run_id, []).append(entry)
        self._show_warnings()

    def _show_warnings(self) -> None:
        for view in self._views():
            view.set_warnings(self._warnings.get(view.message.run_id, ()))

    def _ask(self) -> None:
        if self._session is not None:
            self._tasks.start(self._read(self._session))

    async def _read(self, session: str) -> None:
        ids = [view.message.id for view in self._views()]
        found = await self._versions_of(ids)
        if session != self._session:
            return
        for message_id in ids:
            self._versions.pop(message_id, None)
        self._versions |= found
        for view in self._views():
            view.set_versions(self._versions.get(view.message.id, ()))
        await self._read_warnings(session)

    async def _read_warnings(self, session: str) -> None:
        runs = {
            view.message.run_id: None
            for view in self._views()
            if view.message.role == "assistant" and view.message.run_id not in self._warnings
        }
        runs.pop("", None)
        if not runs:
            return
        found = await self._warnings_of(session, list(runs))
        if session != self._session:
            return
        read: dict[str, list[LogEntry]] = {run: [] for run in runs}
        for entry in found:
            read[entry.run_id].append(entry)
        for run, entries in read.items():
            # What was added meanwhile may be among those read, or not.
            before = self._warnings.get(run, [])
            self._warnings[run] = entries + [each for each in before if each not in entries]
        self._show_warnings()
