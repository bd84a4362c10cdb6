"""What a deletion takes along, told before it is carried out: it is carried out and taken back."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any, Final

from sqlalchemy import Connection, Row, Table, delete, func, select, update

from chatty_desktop.domain.attachments import read_attachments
from chatty_desktop.domain.errors import Invalid
from chatty_desktop.domain.forgetting import (
    MOST_WORDS,
    DerivedItem,
    DerivedKind,
    ForgetPlan,
    ForgetTarget,
    Needles,
    candidates,
)
from chatty_desktop.domain.search import folded_text
from chatty_desktop.domain.titles import title_from
from chatty_desktop.storage import tables
from chatty_desktop.storage.backend import Backend
from chatty_desktop.storage.message_deletion import delete_messages, forget_measured
from chatty_desktop.storage.order import AsWritten

_M = tables.messages.c

_F = tables.files.c

_FILE_BYTES = 4_000
"""Of an attached file, in which what is looked for is chosen."""

_VECTOR_BYTES = 32
"""Of a vector, by which it is found in a file: eight numbers."""

_DIFFERENT_BYTES = 12
"""In such a piece, so that no other bytes are like it by chance."""


def _noted(row: Row[Any]) -> str:
    """What a row of the ledger, or one to be, says."""
    return " ".join(filter(None, [row.kind, row.outcome, row.reason, row.patch]))


_TOLD: Final[dict[DerivedKind, tuple[Table, str, Callable[[Row[Any]], str]]]] = {
    "message": (tables.messages, "id", lambda row: row.content or row.reasoning or row.error),
    "draft": (tables.drafts, "place", lambda row: row.content),
    "state": (tables.state_revisions, "id", lambda row: row.state),
    "summary": (tables.summaries, "id", lambda row: row.text),
    "fact": (tables.facts, "id", lambda row: f"{row.subject}: {row.fact}"),
    "ledger": (tables.ledger, "id", _noted),
    "waiting": (tables.waiting_patches, "id", _noted),
    "measurement": (tables.measurements, "id", lambda row: row.model),
    "log": (tables.run_log, "seq", lambda row: row.text),
}


_NOT_DERIVED: Final = (
    (tables.messages, "content"),
    (tables.messages, "reasoning"),
    (tables.sessions, "title"),
    (tables.agents, "definition"),
    (tables.requests, "model"),
    (tables.ledger, "kind"),
    (tables.ledger, "outcome"),
)


class Listed(Exception):
    """Takes a deletion back, and brings what it took."""

    def __init__(self, plan: ForgetPlan) -> None:
        super().__init__("taken back")
        self.plan = plan


def forget_rest(connection: Connection, plan: ForgetPlan) -> None:
    """Once messages are deleted: lines of the run log that may quote them, and a title that was
    made of them."""
    _forget_log(connection, plan.target.session_id, plan.runs)
    _rename(connection, plan.target.session_id)


def list_derived(backend: Backend, connection: Connection, target: ForgetTarget) -> None:
    """Raises `Listed` with the plan, or `Invalid` when the target is not there."""
    before = {kind: _rows(connection, target.session_id, kind) for kind in _TOLD}
    requests = _requests(connection, target.session_id)
    episodes = _episodes(connection, target.session_id)
    title = _title(connection, target.session_id)
    files = _files(connection, target.session_id)
    fact = before["fact"].get(target.id) if target.kind == "fact" else None
    changed = _texts_of_ledger(connection, target) if fact else []
    runs = _delete(connection, target)
    items: list[DerivedItem] = []
    texts: list[str] = []
    ids: list[str] = []
    for kind, (_table, _key, told) in _TOLD.items():
        left = _rows(connection, target.session_id, kind)
        gone = [row for key, row in before[kind].items() if key not in left]
        items += [DerivedItem(kind, told(row)) for row in gone]
        if kind == "message":
            ids = [row.id for row in gone]
            texts += [said for row in gone for said in (row.content, row.reasoning)]
    items += [DerivedItem("ledger", said) for said in changed]
    left_requests = _requests(connection, target.session_id)
    items += [
        DerivedItem("request", said) for key, said in requests.items() if key not in left_requests
    ]
    left_episodes = _episodes(connection, target.session_id)
    vectors = []
    for message_id, vector in episodes:
        if (message_id, vector) not in left_episodes:
            items.append(DerivedItem("episode", _content_of(before, message_id)))
            if vector:
                vectors.append(vector)
    pieces: set[bytes] = set()
    for digest in files.keys() - _files(connection, target.session_id).keys():
        name, data, said = files[digest]
        if connection.scalar(select(_F.digest).where(_F.digest == digest)) is None:
            items.append(DerivedItem("file", name))
            ids.append(digest)
            pieces.add(data)
            texts += [name, said]
    if title and title != _title(connection, target.session_id):
        items.append(DerivedItem("title", title))
        texts.append(title)
    if fact is not None:
        ids = [fact.id]
    words = _telling_words(backend, connection, texts)
    if fact is not None and not says(backend, connection, fact.fact):
        words = (fact.fact, *words)
    sources = tuple(json.loads(fact.source_ids)) if fact is not None else ()
    staying = {vector for _id, vector in left_episodes}
    needles = Needles(words, tuple(ids), _telling_bytes((set(vectors) - staying) | pieces))
    raise Listed(ForgetPlan(target, tuple(items), needles, runs, sources))


def _delete(connection: Connection, target: ForgetTarget) -> tuple[str, ...]:
    """Delete a target as it is deleted for good; the runs of which what was sent is gone."""
    session_id = target.session_id
    before = _runs(connection, session_id)
    match target.kind:
        case "session":
            this = tables.sessions.c.id == target.id
            if not connection.execute(delete(tables.sessions).where(this)).rowcount:
                raise Invalid("That chat is no longer there.")
        case "fact":
            forget_fact(connection, target)
        case _:
            following = target.kind == "following"
            delete_messages(connection, session_id, target.id, following=following)
    runs = tuple(sorted(before - _runs(connection, session_id)))
    if target.kind in ("message", "following"):
        _forget_log(connection, session_id, runs)
        _rename(connection, session_id)
    return runs


def says(backend: Backend, connection: Connection, word: str) -> bool:
    """Whether anything says a word that is made of no message: a message itself, a title, an agent,
    the names of models, and the words of the database itself."""
    for table, name in _NOT_DERIVED:
        column = table.c[name]
        for (said,) in connection.execute(select(column).where(column.icontains(word))):
            if folded_text(word) in folded_text(said):
                return True
    return backend.names(word, connection)


def _telling_words(backend: Backend, connection: Connection, texts: list[str]) -> tuple[str, ...]:
    """Words of what went that nothing says that stays."""
    found: list[str] = []
    for word in candidates(texts)[: 5 * MOST_WORDS]:
        if not says(backend, connection, word):
            found.append(word)
        if len(found) == MOST_WORDS:
            break
    return tuple(found)


def _telling_bytes(vectors: set[bytes]) -> tuple[bytes, ...]:
    """Of each vector the piece that tells most; none of one that is nearly nothing but zeros, which
    any file has."""
    found = []
    for vector in sorted(vectors):
        pieces = [
            vector[at : at + _VECTOR_BYTES] for at in range(0, len(vector), _VECTOR_BYTES // 2)
        ]
        telling = max(pieces, key=lambda piece: len(set(piece)))
        if len(set(telling)) >= _DIFFERENT_BYTES:
            found.append(telling)
    return tuple(found)


def _rows(connection: Connection, session_id: str, kind: DerivedKind) -> dict[Any, Row[Any]]:
    table, key, _told = _TOLD[kind]
    rows = connection.execute(select(table).where(table.c.session_id == session_id))
    return {getattr(row, key): row for row in rows}


def _requests(connection: Connection, session_id: str) -> dict[int, str]:
    """What was sent in each request besides messages, by its number."""
    c = tables.requests.c
    rows = connection.execute(select(c.seq, c.model, c.sections).where(c.session_id == session_id))
    return {
        row.seq: " ".join(each.get("text", "") for each in json.loads(row.sections)) or row.model
        for row in rows
    }


def _episodes(connection: Connection, session_id: str) -> set[tuple[str, bytes | None]]:
    e, v = tables.episodes.c, tables.episode_vectors.c
    joined = tables.episodes.outerjoin(tables.episode_vectors, e.message_id == v.message_id)
    rows = connection.execute(
        select(e.message_id, v.vector).select_from(joined).where(e.session_id == session_id)
    )
    return {(row.message_id, row.vector) for row in rows}


def _files(connection: Connection, session_id: str) -> dict[str, tuple[str, bytes, str]]:
    """Files attached in a chat, by digest: the name, how the bytes begin, and the text."""
    named = {
        file.digest: file.name
        for (attachments,) in connection.execute(
            select(_M.attachments).where(_M.session_id == session_id, _M.attachments != "[]")
        )
        for file in read_attachments(attachments)
    }
    rows = connection.execute(
        select(
            _F.digest,
            func.substr(_F.data, 1, _FILE_BYTES).label("data"),
            func.substr(_F.text, 1, _FILE_BYTES).label("said"),
        ).where(_F.digest.in_(named))
    )
    return {row.digest: (named[row.digest], row.data, row.said or "") for row in rows}


def _content_of(before: dict[DerivedKind, dict[Any, Row[Any]]], message_id: str) -> str:
    row = before["message"].get(message_id)
    return row.content if row is not None else ""


def _title(connection: Connection, session_id: str) -> str:
    c = tables.sessions.c
    return connection.scalar(select(c.title).where(c.id == session_id)) or ""


def _runs(connection: Connection, session_id: str) -> set[str]:
    """The runs of which a request is kept."""
    c = tables.requests.c
    return set(connection.scalars(select(c.run_id).where(c.session_id == session_id)))


def _forget_log(connection: Connection, session_id: str, runs: Sequence[str]) -> None:
    """Lines of runs, and of none: they may quote what was said."""
    c = tables.run_log.c
    connection.execute(
        delete(tables.run_log).where(c.session_id == session_id, c.run_id.in_(["", *runs]))
    )


def _rename(connection: Connection, session_id: str) -> None:
    """A title that no person gave was made of the first messages: it is made anew."""
    s = tables.sessions.c
    row = connection.execute(select(s.titled_by).where(s.id == session_id)).one()
    if row.titled_by == "person":
        return
    first = connection.scalar(
        select(_M.content)
        .where(_M.session_id == session_id, _M.role == "user")
        .order_by(AsWritten(_M.id))
        .limit(1)
    )
    connection.execute(
        update(tables.sessions)
        .where(s.id == session_id)
        .values(title=title_from(first or ""), titled_by="words")
    )


def _texts_of_ledger(connection: Connection, target: ForgetTarget) -> list[str]:
    """The rows that noted a fact, or what it was before and after; they stay, so that their
    messages are not read again, without words."""
    ledger = tables.ledger.c
    rows = connection.execute(
        select(ledger.kind, ledger.patch).where(
            ledger.id.in_([fact.ledger_id for fact in _versions(connection, target.id)])
        )
    )
    return [f"{row.kind} {row.patch or ''}" for row in rows]


def forget_fact(connection: Connection, target: ForgetTarget) -> None:
    """A fact, what it was before and after it was corrected, its words in the ledger, the requests
    that may have sent it, and what was measured with its chat."""
    f, r = tables.facts.c, tables.requests.c
    versions = _versions(connection, target.id)
    if not versions:
        raise Invalid("That fact is no longer there.")
    connection.execute(
        update(tables.ledger)
        .where(tables.ledger.c.id.in_([fact.ledger_id for fact in versions]))
        .values(patch="{}", dropped="[]", reply="", prompt="[]", reason="")
    )
    session_id, since = versions[0].session_id, min(fact.at for fact in versions)
    forget_measured(connection, session_id)
    sent = connection.execute(
        select(r.seq, r.sections).where(r.session_id == session_id, r.at >= since)
    )
    for row in sent.all():
        text = " ".join(e.get("text", "") for e in json.loads(row.sections))
        if any(fact.fact and fact.fact in text for fact in versions):
            connection.execute(delete(tables.requests).where(r.seq == row.seq))
    connection.execute(delete(tables.facts).where(f.id.in_([fact.id for fact in versions])))


def _versions(connection: Connection, fact_id: str) -> list[Row[Any]]:
    """A fact with all that it replaced and all that replaced it."""
    f = tables.facts.c
    found: dict[str, Row[Any]] = {}
    asked: set[str] = set()
    wanted = {fact_id}
    while wanted:
        query = select(tables.facts).where(f.id.in_(wanted) | f.replaces.in_(wanted))
        rows = connection.execute(query).all()
        found |= {row.id: row for row in rows}
        asked |= wanted
        wanted = {each for row in rows for each in (row.id, row.replaces) if each} - asked
    return list(found.values())
