"""A data folder with something in every table, and ways to look for it."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from contextlib import closing
from pathlib import Path

from sqlalchemy import create_engine, insert

from chatty_desktop.app import App
from chatty_desktop.domain.embedding import EmbedderId
from chatty_desktop.domain.messages import Message, Status
from chatty_desktop.storage import tables

EMBEDDER = EmbedderId("lab", "bag", 4)


def message(session: str, number: int, agent: str, text: str) -> Message:
    """The message of that number in a chat in a row."""
    return Message(
        id=f"{session}-{number:06}",
        session_id=session,
        parent_id=f"{session}-{number - 1:06}" if number else None,
        agent_id=agent,
        run_id="run",
        role="assistant" if number % 2 else "user",
        content=text,
        at=1_700_000_000.0 + number,
        status=Status.COMPLETE,
        model="lab/small" if number % 2 else "",
    )


async def fill(app: App, word: str, *, chats: int = 2, messages: int = 4) -> None:
    """Chats whose messages all say the word, with episodes and their vectors."""
    import numpy as np  # not into a process whose start is measured

    agent = (await app.agents.list())[0]
    for chat in range(chats):
        session = await app.sessions.create(f"{word} {chat}", agent.id)
        before: str | None = None
        for number in range(messages):
            said = message(session.id, number, agent.id, f"{word} number {number} in {chat}")
            await app.messages.append(said)
            await app.episodes.record([(said, before)])
            before = said.id
            vector = np.full((1, EMBEDDER.dimension), number + 1, np.float32)
            await app.episodes.add_vectors(EMBEDDER, [said.id], vector)
    # The first append loads LanceDB, which takes longer than closing has.
    await app.episodes.on_disk()


def fill_the_rest(database: Path, word: str) -> None:
    """A row that says the word in each of the other tables of what memory holds; the folder is
    closed."""
    engine = create_engine(f"sqlite:///{database}")
    with engine.begin() as connection:
        session, agent = connection.execute(
            tables.sessions.select().with_only_columns(
                tables.sessions.c.id, tables.sessions.c.agent_id
            )
        ).first() or ("", "")
        where = {"session_id": session, "agent_id": agent}
        layer = {**where, "layer": "state", "at": 1.0}
        after = {"after_message_id": f"{session}-000000", "ledger_id": "l"}
        connection.execute(insert(tables.runs).values(id="r", started_at=1.0, model=word, **where))
        connection.execute(insert(tables.run_log).values(session_id=session, at=1.0, text=word))
        connection.execute(
            insert(tables.requests).values(
                run_id="r",
                at=1.0,
                sections=json.dumps([{"origin": "system", "role": "system", "text": word}]),
                **where,
            )
        )
        connection.execute(
            insert(tables.ledger).values(
                id="l", layer="state", kind="fold", outcome="accepted", reply=word,
                consumed=True, started_at=1.0, finished_at=1.0, **where,
            )
        )  # fmt: skip
        for table, values in (
            (tables.state_revisions, {"id": "s", "state": f'{{"goal": "{word}"}}', **after}),
            (tables.summaries, {"id": "s", "text": word, **after}),
            (tables.facts, {"id": "f", "subject": "x", "fact": word, **after}),
            (tables.layer_starts, {"message_id": f"{session}-000000"}),
            (tables.recalls, {"query_id": "q", "embedder_id": 1, "candidates": f'["{word}"]'}),
        ):
            connection.execute(insert(table).values(**layer, **values))
    engine.dispose()


async def filled(folder: Path, word: str, *, chats: int = 2, messages: int = 4) -> None:
    """Make a data folder that holds something in every table, and close it."""
    app = await App.open(folder)
    await fill(app, word, chats=chats, messages=messages)
    await app.close()
    await asyncio.to_thread(fill_the_rest, app.paths.database, word)


def said(database: Path) -> list[str]:
    """What the messages in a closed database say."""
    with closing(sqlite3.connect(database)) as connection:
        return [row[0] for row in connection.execute("SELECT content FROM messages ORDER BY id")]


def is_whole(database: Path) -> bool:
    with closing(sqlite3.connect(database)) as connection:
        return bool(connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)])


def holding(folder: Path, word: str) -> list[str]:
    """The files below a folder in whose bytes a word stands."""
    wanted = word.encode()
    files = [file for file in sorted(folder.rglob("*")) if file.is_file()]
    return [file.name for file in files if wanted in file.read_bytes()]
