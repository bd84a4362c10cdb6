"""What must hold in a data folder after whatever happened to the process that had it open."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections import Counter
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from chatty_desktop.app import App
from chatty_desktop.domain.messages import Scope
from tests.faults.driver import TALK

DERIVED = ("state_revisions", "summaries", "facts")


@dataclass(slots=True)
class Kept:
    """What lives of the app said they had kept, held against what is there.

    `growing`: replies of which only the beginning was kept so far.
    """

    contents: dict[str, str] = field(default_factory=dict)
    growing: set[str] = field(default_factory=set)

    def hear(self, line: dict[str, Any]) -> None:
        """Take in a line of a life."""
        if "deleting" in line:
            self._delete(line["deleting"])
        message = line.get("kept") or (line["said"] if isinstance(line.get("said"), dict) else None)
        if message is not None:
            self.contents[message["id"]] = message["content"]
            (self.growing.add if message["status"] == "streaming" else self.growing.discard)(
                message["id"]
            )

    def _delete(self, message_id: str) -> None:
        # With all that follows it: ids are in the order of time, and only the newest are deleted.
        for each in [each for each in self.contents if each >= message_id]:
            del self.contents[each]

    def hold_against(self, database: Path) -> None:
        """Every message said to be kept is there, in the words it had."""
        if not self.contents:
            return  # killed before there were any tables
        with closing(sqlite3.connect(database)) as connection:
            there = dict(connection.execute("SELECT id, content FROM messages").fetchall())
        lost = {
            each: text
            for each, text in self.contents.items()
            if there.get(each) != text
            and not (each in self.growing and there.get(each, "").startswith(text))
        }
        assert not lost, lost


def copied(folder: Path, into: Path) -> Path:
    """The folder as a kill left it, to be looked at while the app itself opens the first."""
    shutil.rmtree(into, ignore_errors=True)
    shutil.copytree(folder, into)
    return into


def check_database(database: Path) -> None:
    """The database is whole, and what memory derived agrees with its ledger and with the log."""
    with closing(sqlite3.connect(database)) as connection:
        connection.row_factory = sqlite3.Row
        assert [tuple(r) for r in connection.execute("PRAGMA integrity_check")] == [("ok",)]
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
        messages = {r["id"]: r for r in connection.execute("SELECT * FROM messages")}
        for row in messages.values():
            assert row["parent_id"] is None or row["parent_id"] in messages
        for row in connection.execute("SELECT leaf_id FROM sessions"):
            assert row["leaf_id"] is None or row["leaf_id"] in messages
        ledger = {r["id"]: r for r in connection.execute("SELECT * FROM ledger")}
        for row in ledger.values():
            named = {*json.loads(row["message_ids"]), row["through_message_id"]} - {None}
            assert named <= messages.keys(), (row["kind"], named - messages.keys())
        for table in DERIVED:
            for row in connection.execute(f"SELECT * FROM {table}"):
                assert row["after_message_id"] in messages, table
                assert row["ledger_id"] in ledger, table
                assert ledger[row["ledger_id"]]["outcome"] == "accepted"
        _check_revisions(connection, ledger)
        said = connection.execute("SELECT COUNT(*) FROM message_search_docsize").fetchone()[0]
        assert said >= len([m for m in messages.values() if m["content"]])


def _check_revisions(connection: sqlite3.Connection, ledger: dict[str, sqlite3.Row]) -> None:
    """Each accepted fold has its revision and the other way round, with the patch of both in it."""
    revisions = connection.execute("SELECT * FROM state_revisions ORDER BY seq").fetchall()
    made = Counter(row["ledger_id"] for row in revisions)
    accepted = {
        r["id"] for r in ledger.values() if (r["kind"], r["outcome"]) == ("fold", "accepted")
    }
    assert made == Counter(accepted)
    for row in revisions:
        patch, state = json.loads(row["patch"]), json.loads(row["state"])
        assert json.loads(ledger[row["ledger_id"]]["patch"]) == patch
        assert {key: state.get(key) for key in patch} == patch


async def check_opens_clean(folder: Path) -> None:
    """The app opens the folder without a word of complaint, nothing hangs in it half-done, and
    memory has taken in each message once or has it waiting."""
    app = await App.open(folder)
    heard: list[object] = []
    app.events.subscribe(heard.append)
    try:
        assert app.settings.notices == []
        assert not list(app.paths.data.glob("*broken*"))
        assert [*app.paths.data.rglob(".*.new"), *app.paths.data.rglob(".*.scratch")] == []
        session = await app.sessions.find(TALK)
        agent = await app.agents.by_name("Ada")
        if session is None or agent is None:
            return
        scope = Scope(agent.id, session.id)
        branch = list(await app.messages.branch(session.id))
        assert not [each for each in branch if each.status.value == "streaming"]
        await _check_queues(app, scope)
        await _check_index(app, scope)
        assert not [each for each in heard if type(each).__name__ == "Notice"], heard
    finally:
        await app.close()


async def _check_queues(app: App, scope: Scope) -> None:
    branch = await app.messages.branch(scope.session_id)
    mine = [each.id for each in branch.of_agent(scope.agent_id)]
    snapshot = await app.memories.inspect(scope, ledger_limit=100_000)
    for layer in snapshot.layers:
        if layer.kind not in ("state", "semantic", "summarized") or layer.pending is None:
            continue
        taken = Counter(
            message_id
            for row in snapshot.ledger
            # What was taken in on another branch was so there alone.
            if row.layer == layer.key and row.consumed and row.message_ids[-1] in mine
            for message_id in row.message_ids
        )
        waiting = [each.id for each in layer.pending]
        assert not set(waiting) & taken.keys(), layer.kind
        assert {*taken, *waiting} == set(mine), layer.kind
        assert waiting == mine[len(mine) - len(waiting) :], layer.kind
        twice = {each for each, count in taken.items() if count > 1}
        assert not twice, [r for r in snapshot.ledger if twice & set(r.message_ids)]


async def _check_index(app: App, scope: Scope) -> None:
    """After it has caught up, the index holds what SQLite does, no more and no less."""
    import numpy as np

    counts = await app.episodes.counts()
    for embedder, count in counts.embedded.items():
        scored = await app.episodes.score(embedder, scope, np.ones(embedder.dimension, np.float32))
        (size,) = [s for s in await app.episodes.sizes() if str(embedder.dimension) in s.table]
        assert size.rows == count == len(scored.ids)
