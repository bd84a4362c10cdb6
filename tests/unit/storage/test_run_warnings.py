"""What went wrong in a run is found again by the run."""

from __future__ import annotations

from chatty_desktop.domain.events import LogEntry
from chatty_desktop.storage.database import Database
from chatty_desktop.storage.messages import StoredMessages
from chatty_desktop.storage.runs import StoredRuns
from chatty_desktop.storage.sessions import StoredSessions


async def test_warnings_and_errors_of_the_runs_asked_for_come_in_their_order(
    database: Database,
) -> None:
    sessions = StoredSessions(database, lambda _event: None, lambda _id: None)
    for session in ("s", "t"):
        await sessions.create("Talk", session_id=session)
    runs = StoredRuns(database, StoredMessages(database))
    first = LogEntry("r1", 1.0, "warning", "refused")
    second = LogEntry("r1", 2.0, "error", "failed")
    for session, entry in (
        ("s", first),
        ("s", LogEntry("r1", 1.5, "info", "folded")),
        ("s", LogEntry("r2", 1.6, "warning", "of another run")),
        ("t", LogEntry("r1", 1.7, "warning", "of another chat")),
        ("s", second),
    ):
        await runs.log(session, entry)
    assert await runs.warnings("s", ["r1", "r3"]) == [first, second]
    assert await runs.warnings("s", []) == []
