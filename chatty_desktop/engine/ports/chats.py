"""Chats: what was said in them, how they are kept in order, how they come in and go out."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Protocol

from chatty_desktop.domain.attachments import AttachedFile, Attachment
from chatty_desktop.domain.branch import Branch
from chatty_desktop.domain.chat_document import ChatDocument
from chatty_desktop.domain.imports.chats import ImportedChat
from chatty_desktop.domain.messages import (
    DeletionCounts,
    Folder,
    Message,
    Scope,
    Session,
    SessionKind,
    TitledBy,
)
from chatty_desktop.domain.search import MessageHits, Query


class MessageLog(Protocol):
    """The message tree of every session: the truth for text."""

    async def append(self, message: Message, files: Sequence[AttachedFile] = ()) -> None:
        """Commit a new message under its parent and make it the session's leaf, with those of its
        files that no draft or other message holds already. One of a graph run (with `node`) comes
        under the leaf that there is: nodes that run at the same time take turns in one log."""
        ...

    async def update(self, message: Message) -> None:
        """Commit a message's present form (a partial reply, its end); it stays where it is."""
        ...

    async def get(self, message_id: str) -> Message | None: ...

    async def contents(self, digests: Collection[str]) -> dict[str, bytes | str]:
        """What attached files hold, by digest: an image as its bytes, anything else as its text.
        Those that are gone are not in it."""
        ...

    async def file_bytes(self, digest: str) -> bytes | None:
        """An attached file as it was stored, None when it is gone."""
        ...

    async def branch(self, session_id: str) -> Branch:
        """Every message from the first to the session's leaf; it grows as the chat goes on."""
        ...

    async def page(
        self, session_id: str, before: str | None = None, limit: int = 60
    ) -> list[Message]:
        """Up to `limit` messages of the current branch that end at the leaf, or just before the
        message `before`; in order. Does not read the rest of the branch."""
        ...

    async def set_leaf(self, session_id: str, message_id: str | None) -> None:
        """Make another message the end of the current branch."""
        ...

    async def versions(self, message_ids: Sequence[str]) -> dict[str, tuple[str, ...]]:
        """For each of the messages that has others beside it under the same parent: the ids of
        all of them, itself included, oldest first."""
        ...

    async def newest_below(self, message_id: str) -> str:
        """The end of the newest branch that holds the message."""
        ...

    async def delete(
        self, session_id: str, message_id: str, *, following: bool
    ) -> tuple[tuple[Scope, ...], DeletionCounts]:
        """Delete a message, or it and all that follows it, with everything made of them, on every
        branch; what memory made later goes too, and what stays is queued again.

        A call goes with its results; a message of the person takes the answers to it along. What
        follows and stays is joined to what was before. Returns the scopes whose memory lost
        something. Raises `Invalid` when the message is not in the session.
        """
        ...


class Sessions(Protocol):
    """The list of chats. One that was put away is nowhere in it, but can be restored."""

    async def list(self, query: str = "") -> list[Session]:
        """Newest first; with a query, those whose title holds it (any case)."""
        ...

    async def get(self, session_id: str) -> Session | None: ...

    async def find(self, name: str) -> Session | None:
        """By id, else by exact title. Raises `Invalid` when several have that title."""
        ...

    async def create(
        self,
        title: str = "",
        agent_id: str | None = None,
        session_id: str | None = None,
        titled_by: TitledBy = "words",
        kind: SessionKind = "chat",
    ) -> Session: ...

    async def rename(
        self, session_id: str, title: str, by: TitledBy = "person", instead_of: str | None = None
    ) -> None:
        """Give a title. With `instead_of`, only while that is the title and no person gave it."""
        ...

    async def set_agent(self, session_id: str, agent_id: str) -> None:
        """Remember which agent the composer of this session speaks to."""
        ...

    async def pin(self, session_ids: Sequence[str], pinned: bool) -> None:
        """Keep chats on top of the list, or no longer."""
        ...

    async def archive(self, session_ids: Sequence[str], archived: bool) -> None:
        """Put chats out of the way, or back; pins fall off on the way out."""
        ...

    async def move(self, session_ids: Sequence[str], folder_id: str | None) -> None:
        """Put chats into a folder, None into none. Raises `Invalid` when it is gone."""
        ...

    async def put_away(self, session_ids: Sequence[str]) -> DeletionCounts:
        """Take chats out of every list, search and memory until they are restored or deleted;
        what a deletion will take along."""
        ...

    async def restore(self, session_ids: Sequence[str]) -> None:
        """Bring back chats that were put away. Raises `Invalid` when they are gone for good."""
        ...

    async def away(self) -> Sequence[str]:
        """The ids of chats that were put away."""
        ...

    async def delete(self, session_id: str) -> DeletionCounts:
        """Delete the session and everything derived from it, for good."""
        ...


class Drafts(Protocol):
    """What is written and not sent yet, in each chat; None stands for the page on which a new one
    begins."""

    def text(self, session_id: str | None) -> str:
        """What was being written there, "" where nothing was."""
        ...

    def keep(self, session_id: str | None, text: str) -> None:
        """Keep what is being written; "" forgets it. It is stored in a moment."""
        ...

    def files(self, session_id: str | None) -> tuple[Attachment, ...]:
        """What is attached to it."""
        ...

    def keep_files(self, session_id: str | None, files: Sequence[Attachment]) -> None:
        """Have only these attached, which are stored already. It is stored in a moment."""
        ...

    async def attach(self, session_id: str | None, file: AttachedFile) -> None:
        """Store a file and attach it. Raises `StorageFailed`; nothing is attached then."""
        ...


class FileReading(Protocol):
    """Files that are to be attached. Raises `Invalid` for what cannot be, saying why."""

    async def file(self, path: Path) -> AttachedFile:
        """A file of the disk: an image small enough to send, or text."""
        ...

    async def data(self, data: bytes, name: str) -> AttachedFile:
        """The same of bytes from elsewhere."""
        ...


class Folders(Protocol):
    """Places for chats that belong together. Names are unique, whatever their case."""

    async def list(self) -> list[Folder]:
        """By name."""
        ...

    async def create(self, name: str) -> Folder:
        """Raises `Invalid` for a name that is empty or taken."""
        ...

    async def rename(self, folder_id: str, name: str) -> None:
        """Raises `Invalid` for a name that is empty or taken."""
        ...

    async def delete(self, folder_id: str) -> None:
        """The chats in it stay, in no folder."""
        ...


class MessageSearch(Protocol):
    """Words in the messages of all chats."""

    async def messages(
        self, query: Query, before: int | None = None, limit: int = 30
    ) -> MessageHits:
        """Messages that count and hold every term, newest first; after a page, those with a
        number below `before`."""
        ...


class ChatDocuments(Protocol):
    """Chats as documents, and chats of other programs."""

    async def read(self, session_id: str) -> ChatDocument:
        """A chat as a document. Raises `Invalid` when it is gone, `StorageFailed`."""
        ...

    async def add(self, document: ChatDocument, agents: Mapping[str, str]) -> Session:
        """Store a document as a chat of its own, under new ids. `agents` gives for each agent of
        the document the id it goes by here. Raises `StorageFailed`."""
        ...

    async def add_foreign(self, chat: ImportedChat, agent_id: str) -> Session:
        """Store a chat of another program: its messages are the agent's. Raises
        `StorageFailed`."""
        ...
