"""Chats to and from documents, and chats of other programs into the database."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import BaseModel
from sqlalchemy import Connection, Row, insert, select

from chatty_desktop.domain.agents import AgentDefinition
from chatty_desktop.domain.chat_document import FORMAT, ChatDocument, read_document
from chatty_desktop.domain.errors import Invalid
from chatty_desktop.domain.ids import new_id
from chatty_desktop.domain.imports.chats import ImportedChat
from chatty_desktop.domain.messages import Session
from chatty_desktop.domain.titles import title_from
from chatty_desktop.storage import tables
from chatty_desktop.storage.attached_files import read_files
from chatty_desktop.storage.backend import adding
from chatty_desktop.storage.database import Database
from chatty_desktop.storage.order import as_written
from chatty_desktop.storage.renaming import PARTS, Renaming
from chatty_desktop.storage.sessions import session_of

_AT_ONCE = 1_000
"""Rows written at a time."""

_JSON = ("tool_calls", "attachments", "graph", "nodes", "strategy", "sections", "message_ids",
         "patch", "dropped", "state", "source_ids", "pins")  # fmt: skip
"""Columns that hold JSON as text; in a document they stand as what they are."""


class StoredChatDocuments:
    """`ports.ChatDocuments` over SQLite."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def read(self, session_id: str) -> ChatDocument:
        return await self._database.read(lambda connection: read_chat(connection, session_id))

    async def add(self, document: ChatDocument, agents: Mapping[str, str]) -> Session:
        return await self._database.write(lambda connection: _checked(connection, document, agents))

    async def add_foreign(self, chat: ImportedChat, agent_id: str) -> Session:
        return await self._database.write(
            lambda connection: _add_foreign(connection, chat, agent_id)
        )


def read_chat(connection: Connection, session_id: str) -> ChatDocument:
    """A chat as a document. Raises `Invalid` when it is gone."""
    sessions = tables.sessions
    session = connection.execute(
        select(sessions).where(sessions.c.id == session_id, sessions.c.deleted_at.is_(None))
    ).first()
    if session is None:
        raise Invalid("That chat is no longer there.")
    parts: dict[str, list[dict[str, Any]]] = {}
    for table in PARTS:
        rows = connection.execute(
            select(table).where(table.c.session_id == session_id).order_by(*as_written(table))
        )
        parts[table.name] = [_unpacked(row) for row in rows]
    document = {
        "format": FORMAT,
        "title": session.title,
        "created_at": session.created_at,
        "updated_at": session.updated_at,
        "agent_id": session.agent_id,
        "leaf_id": session.leaf_id,
        "kind": session.kind,
        "agents": _agents(connection, {m["agent_id"] for m in parts["messages"]} - {""}),
        "files": _files(connection, parts["messages"]),
        **parts,
    }
    return read_document(document)


def _files(connection: Connection, messages: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    digests = {file["digest"] for message in messages for file in message["attachments"]}
    return [
        {"digest": digest, "data": b64encode(data), "text": text}
        for digest, (data, text) in sorted(read_files(connection, digests).items())
    ]


def _agents(connection: Connection, ids: set[str]) -> list[dict[str, Any]]:
    found = {
        row.id: row
        for row in connection.execute(select(tables.agents).where(tables.agents.c.id.in_(ids)))
    }
    return [
        {
            "id": each,
            "name": found[each].name if each in found else "",
            "definition": AgentDefinition.model_validate_json(found[each].definition)
            if each in found
            else None,
        }
        for each in sorted(ids)
    ]


def _unpacked(row: Row[Any]) -> dict[str, Any]:
    values = dict(row._mapping)
    for name in _JSON:
        if isinstance(values.get(name), str):
            values[name] = json.loads(values[name])
    return values


def _packed(values: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: json.dumps(value, ensure_ascii=False)
        if name in _JSON and value is not None
        else value
        for name, value in values.items()
    }


def _checked(connection: Connection, document: ChatDocument, agents: Mapping[str, str]) -> Session:
    """The chat of a document, once it is seen that it can be read again. Raises `Invalid`, and
    nothing is stored then: what stands in lists within it has no other rule."""
    try:
        session = _add(connection, document, agents)
        read_chat(connection, session.id)
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise Invalid(
            f"This chat cannot be read: what is in it does not fit together ({error!r:.200})."
        ) from error
    return session


def _add(connection: Connection, document: ChatDocument, agents: Mapping[str, str]) -> Session:
    renaming = Renaming(
        [message.id for message in document.messages],
        [run.id for run in document.runs],
        [entry.id for entry in document.ledger],
    )
    session = _make_session(
        connection,
        renaming.session_id,
        title=document.title,
        created_at=document.created_at,
        updated_at=document.updated_at,
        leaf_id=renaming.messages.get(document.leaf_id or ""),
        agent_id=agents.get(document.agent_id or "", document.agent_id),
        kind=document.kind,
    )
    known = set(renaming.messages)
    held = {file.digest for file in document.files}
    named = {file.digest for message in document.messages for file in message.attachments}
    for file in document.files:
        if file.digest in named:
            row = {"digest": file.digest, "data": file.data, "text": file.text}
            connection.execute(adding(connection, tables.files), row)
    runs = {run.id for run in document.runs}
    for table in PARTS:
        rows: list[dict[str, Any]] = []
        for item in _items(document, table.name):
            values = item.model_dump(mode="json")
            if table is tables.messages:
                # What the document does not hold cannot be shown.
                values["attachments"] = [f for f in values["attachments"] if f["digest"] in held]
            values = _packed(values)
            # A row of a message or a run that is not there would have nothing to stand on.
            if table is tables.episodes and values["message_id"] not in known:
                continue
            if table is tables.graph_runs and values["input_id"] not in known:
                continue
            if table is tables.requests and values["run_id"] not in runs:
                continue
            if "agent_id" in values:
                values["agent_id"] = agents.get(values["agent_id"], values["agent_id"])
            if table in (tables.state_revisions, tables.summaries):
                values["id"] = ""
            if table is tables.graph_runs:
                values["id"] = ""
            rows.append(renaming.row(table, values | {"session_id": ""}))
        for start in range(0, len(rows), _AT_ONCE):
            connection.execute(insert(table), rows[start : start + _AT_ONCE])
    return session


def _items(document: ChatDocument, name: str) -> Sequence[BaseModel]:
    items: Sequence[BaseModel] = getattr(document, name)
    return items


def _add_foreign(connection: Connection, chat: ImportedChat, agent_id: str) -> Session:
    begun = chat.created_at or next((m.at for m in chat.messages if m.at), 0.0)
    last = chat.updated_at or max((m.at for m in chat.messages), default=begun)
    # An id sorts by its time, and a reply must not sort before what it answers.
    ids: dict[str, str] = {}
    rows = []
    at = begun
    for message in chat.messages:
        at = max(at + 0.001, message.at)
        ids[message.id] = new_id(at)
        rows.append(
            {
                "id": ids[message.id],
                "session_id": "",
                "parent_id": ids.get(message.parent_id or ""),
                "agent_id": agent_id,
                "role": message.role,
                "content": message.content,
                "at": message.at or at,
                "model": message.model,
                "reasoning": message.reasoning,
            }
        )
    first = next((m.content for m in chat.messages if m.role == "user"), "")
    session = _make_session(
        connection,
        new_id(),
        title=chat.title or title_from(first),
        created_at=begun,
        updated_at=last,
        leaf_id=ids.get(chat.leaf_id or "", rows[-1]["id"] if rows else None),
        agent_id=agent_id,
    )
    for start in range(0, len(rows), _AT_ONCE):
        part = [row | {"session_id": session.id} for row in rows[start : start + _AT_ONCE]]
        connection.execute(insert(tables.messages), part)
    return session


def _make_session(connection: Connection, session_id: str, **values: Any) -> Session:
    sessions = tables.sessions
    connection.execute(insert(sessions).values(id=session_id, titled_by="person", **values))
    return session_of(connection.execute(select(sessions).where(sessions.c.id == session_id)).one())
