"""Every chat, agent and graph in one zip, for people and for other programs."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

from sqlalchemy import Connection, func, select

from chatty_desktop.domain.agents import AgentDefinition, write_agent
from chatty_desktop.domain.chat_document import write_document
from chatty_desktop.domain.exporting import chat_as_markdown, file_stem
from chatty_desktop.domain.graphs import Graph, write_graph
from chatty_desktop.domain.work import Work
from chatty_desktop.storage import tables
from chatty_desktop.storage.backend import Backend
from chatty_desktop.storage.chat_documents import read_chat
from chatty_desktop.storage.disk import require_room, whole_file
from chatty_desktop.storage.measurements import measurements_of
from chatty_desktop.storage.messages import message_of
from chatty_desktop.storage.order import AsWritten
from chatty_desktop.storage.sessions import session_of

_M = tables.messages.c


def write_export(
    backend: Backend, connection: Connection, target: Path, work: Work
) -> tuple[int, int]:
    """Write the zip, replacing a file of that name; how many chats and agents are in it. The
    connection is in no transaction. Raises `StorageFailed`, and `Stopped`: then there is no new
    file."""
    require_room(target.parent, backend.size(connection), "The export")
    # One moment of the database, whatever is written meanwhile.
    backend.begin(connection)
    try:
        with (
            whole_file(target) as partial,
            zipfile.ZipFile(partial, "w", zipfile.ZIP_DEFLATED, compresslevel=4) as archive,
        ):
            return _write(connection, archive, work)
    finally:
        connection.exec_driver_sql("ROLLBACK")


def _write(connection: Connection, archive: zipfile.ZipFile, work: Work) -> tuple[int, int]:
    agents = connection.execute(select(tables.agents).order_by(tables.agents.c.name)).all()
    names = {row.id: row.name for row in agents}
    for row in agents:
        definition = AgentDefinition.model_validate_json(row.definition)
        archive.writestr(f"agents/{file_stem(row.name, row.id)}.json", write_agent(definition))
        if measured := measurements_of(connection, row.id):
            values = [each.model_dump(mode="json") for each in measured]
            text = json.dumps(values, ensure_ascii=False, indent=1)
            archive.writestr(f"measurements/{file_stem(row.name, row.id)}.json", text)
    for row in connection.execute(select(tables.graphs).order_by(tables.graphs.c.name)).all():
        graph = Graph.model_validate_json(row.definition)
        archive.writestr(f"graphs/{file_stem(row.name, row.id)}.json", write_graph(graph))
    sessions = connection.execute(
        select(tables.sessions)
        .where(tables.sessions.c.deleted_at.is_(None))
        .order_by(AsWritten(tables.sessions.c.id))
    ).all()
    # Not those of chats in the bin, which stay behind.
    kept = tables.messages.join(tables.sessions, _M.session_id == tables.sessions.c.id)
    counted = select(func.count()).select_from(kept).where(tables.sessions.c.deleted_at.is_(None))
    total = connection.scalar(counted) or 0
    work.begin("Exporting", total + len(sessions))
    for row in sessions:
        session = session_of(row)
        found = connection.execute(
            select(tables.messages).where(_M.session_id == session.id).order_by(AsWritten(_M.id))
        )
        messages = [message_of(each) for each in found]
        stem = f"chats/{file_stem(session.title, session.id)}"
        archive.writestr(f"{stem}.md", chat_as_markdown(session, messages, names))
        document = write_document(read_chat(connection, session.id))
        archive.writestr(f"{stem}.json", document)
        work.step(len(messages) + 1)
    return len(sessions), len(agents)
