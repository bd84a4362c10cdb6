"""The rows of the session list: chats under headings, and what a search has found."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from chatty_desktop.domain.messages import Folder, Session
from chatty_desktop.domain.search import MessageHit
from chatty_desktop.domain.titles import UNTITLED
from chatty_desktop.ui.language import tr
from chatty_desktop.ui.sessions.groups import group

PINNED, RECENT, ARCHIVED = "pinned", "recent", "archived"
FOLDER = "folder:"
"""Begins the section of a folder; its id follows."""


@dataclass(frozen=True, slots=True)
class Row:
    """A heading, a chat under one, or a hit in a message.

    `section` is where the row stands, and where what is dropped on it goes; "" takes nothing.
    A heading with `folded` not None can be folded; `count` is how many chats stand under it.
    `running`: something is being answered or remembered in the chat. `asking`: a tool in it waits
    for the person's consent.
    """

    text: str
    section: str = ""
    session: Session | None = None
    running: bool = False
    asking: bool = False
    hit: MessageHit | None = None
    folded: bool | None = None
    count: int = 0

    @property
    def key(self) -> tuple[str, str]:
        """What the row is about: the same from one reading to the next."""
        if self.hit is not None:
            return "hit", self.hit.message_id
        if self.session is not None:
            return "chat", self.session.id
        return "heading", self.section or self.text

    @property
    def folder_id(self) -> str | None:
        """The folder the row stands in, or heads."""
        return self.section.removeprefix(FOLDER) if self.section.startswith(FOLDER) else None


def arranged(
    sessions: Sequence[Session],
    folders: Sequence[Folder],
    running: frozenset[str],
    now: float,
    folded: frozenset[str],
    asking: frozenset[str] = frozenset(),
) -> list[Row]:
    """All chats: the pinned ones, those in folders, the others by day, the archived ones."""
    known = {folder.id for folder in folders}
    rows: list[Row] = []

    def section(key: str, title: str, inside: Sequence[Session]) -> None:
        closed = key in folded
        rows.append(Row(title, key, folded=closed, count=len(inside)))
        if not closed:
            rows.extend(_chat(session, key, running, asking) for session in inside)

    present = [session for session in sessions if not session.archived]
    pinned = [session for session in present if session.pinned]
    if pinned:
        section(PINNED, tr("Pinned"), pinned)
    for folder in folders:
        inside = [s for s in present if s.folder_id == folder.id and not s.pinned]
        section(FOLDER + folder.id, folder.name, inside)
    heading = ""
    for session in present:
        if session.pinned or session.folder_id in known:
            continue
        under = group(session.updated_at, now)
        if under != heading:
            rows.append(Row(under, RECENT))
            heading = under
        rows.append(_chat(session, RECENT, running, asking))
    archived = [session for session in sessions if session.archived]
    if archived:
        section(ARCHIVED, tr("Archived"), archived)
    return rows


def found(
    sessions: Sequence[Session],
    hits: Iterable[MessageHit],
    running: frozenset[str],
    asking: frozenset[str] = frozenset(),
) -> list[Row]:
    """Chats by their title, and hits in messages below them."""
    rows: list[Row] = []
    if sessions:
        rows.append(Row(tr("Chats")))
        rows.extend(_chat(session, "", running, asking) for session in sessions)
    in_messages = [Row(hit.title or tr(UNTITLED), hit=hit) for hit in hits]
    if in_messages:
        rows.append(Row(tr("Messages")))
        rows.extend(in_messages)
    return rows


def _chat(session: Session, section: str, running: frozenset[str], asking: frozenset[str]) -> Row:
    title = session.title or tr(UNTITLED)
    return Row(title, section, session, session.id in running, session.id in asking)
