"""Rows of a chat under other ids: a copy in which everything still names what it named."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from typing import Any

from sqlalchemy import Table

from chatty_desktop.domain.ids import new_id
from chatty_desktop.domain.messages import Status
from chatty_desktop.storage import tables

_MESSAGE_IDS = ("id", "parent_id", "message_id", "after_message_id", "through_message_id",
                "before_id", "query_id", "made_after_id", "input_id")  # fmt: skip
"""Columns that name a message (`id`: of the table of messages alone)."""

# In this order, since later ones name what earlier ones hold.
PARTS: tuple[Table, ...] = (
    tables.messages,
    tables.runs,
    tables.run_log,
    tables.requests,
    tables.ledger,
    tables.waiting_patches,
    tables.state_revisions,
    tables.layer_starts,
    tables.summaries,
    tables.facts,
    tables.episodes,
    tables.graph_runs,
)
"""What a chat is made of, but for what can be made again."""


class Renaming:
    """Knows the new id of every old one. What is named in a row and is not in the chat stays as
    it is: it names nothing in either."""

    def __init__(self, messages: Iterable[str], runs: Iterable[str], ledger: Iterable[str]) -> None:
        """The old ids of each."""
        self.session_id = new_id()
        self.messages = {old: _like(old) for old in messages}
        self._runs = {old: _like(old) for old in runs}
        self._ledger = {old: _like(old) for old in ledger}
        self._facts: dict[str, str] = {}

    def row(self, table: Table, row: Mapping[str, Any]) -> dict[str, Any]:
        """A row as it is in the copy, without its number. What was under way in the original has
        ended in the copy."""
        values = {name: value for name, value in row.items() if name != "seq"}
        if "session_id" in values:
            values["session_id"] = self.session_id
        for name in _MESSAGE_IDS:
            if name in values and (name != "id" or table is tables.messages):
                values[name] = self.messages.get(values[name], values[name])
        if values.get("run_id"):
            values["run_id"] = self._runs.get(values["run_id"], values["run_id"])
        if values.get("ledger_id"):
            values["ledger_id"] = self._ledger.get(values["ledger_id"], "")
        if table is tables.messages and values["status"] == Status.STREAMING.value:
            values["status"] = Status.CUT.value
        elif table is tables.runs:
            values["id"] = self._runs[row["id"]]
            if values["status"] == "running":
                values["status"] = "stopped"
        elif table is tables.graph_runs:
            values["id"] = new_id(row["started_at"])
            values["nodes"] = self._nodes(row["nodes"])
            if values["status"] == "running":
                values["status"] = "stopped"
        elif table is tables.ledger:
            values["id"] = self._ledger[row["id"]]
            values["message_ids"] = self._ids(row["message_ids"])
        elif table is tables.waiting_patches:
            values["id"] = new_id(row["finished_at"])
            values["message_ids"] = self._ids(row["message_ids"])
        elif table in (tables.state_revisions, tables.summaries):
            values["id"] = new_id(row["at"])
        if table is tables.facts:
            # A row has no id in a document of an older version.
            values["id"] = self._facts[row["id"]] = _like(row["id"])
            values["replaces"] = self._facts.get(row["replaces"], row["replaces"])
            values["source_ids"] = self._ids(row["source_ids"])
        elif table is tables.requests:
            values["sections"] = self._sections(row["sections"])
        elif table is tables.recalls:
            values["candidates"] = self._within(row["candidates"], "message_id")
        return values

    def _ids(self, text: str) -> str:
        return json.dumps([self.messages.get(each, each) for each in json.loads(text)])

    def _sections(self, text: str) -> str:
        sections = json.loads(self._within(text, "first", "last"))
        for each in sections:
            for name in ("cut", "files"):
                if name in each:
                    each[name] = {self.messages.get(i, i): kept for i, kept in each[name].items()}
        return json.dumps(sections, ensure_ascii=False)

    def _nodes(self, text: str) -> str:
        nodes = json.loads(self._within(text, "prompt_id", "reply_id"))
        for each in nodes:
            each["run_id"] = self._runs.get(each["run_id"], each["run_id"])
            if each["state"] in ("running", "waiting"):
                each["state"] = "stopped"
        return json.dumps(nodes, ensure_ascii=False)

    def _within(self, text: str, *names: str) -> str:
        """A list of objects as JSON, the messages that these fields name being those of the
        copy."""
        found = json.loads(text)
        for each in found:
            for name in names:
                if isinstance(each, dict) and name in each:
                    each[name] = self.messages.get(each[name], each[name])
        return json.dumps(found, ensure_ascii=False)


def _like(old: str) -> str:
    """A new id that sorts where the old one does, to the millisecond."""
    try:
        int(old[:12], 16)
    except ValueError:
        return new_id()
    return f"{old[:16]}{os.urandom(8).hex()}" if len(old) == 32 else new_id()
