"""Chats in and out: documents of our own, and what other programs export."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from chatty_desktop.domain.chat_document import (
    ChatDocument,
    DocumentAgent,
    is_document,
    read_document,
    write_document,
)
from chatty_desktop.domain.errors import Invalid
from chatty_desktop.domain.events import SessionsChanged
from chatty_desktop.domain.exporting import chat_as_html, chat_as_markdown
from chatty_desktop.domain.imports.chats import ImportedChat
from chatty_desktop.domain.imports.reading import read_chats
from chatty_desktop.domain.json_text import NotJson, read_json
from chatty_desktop.domain.messages import Message, Session, ToolCall
from chatty_desktop.engine.ports import Agents, ChatDocuments, Publish

ExportKind = Literal["md", "html", "json"]
"""To read, to read in a browser, or everything (`ChatDocument`)."""


@dataclass(frozen=True, slots=True)
class Incoming:
    """The chats of files, before they are taken. `program` is who wrote them; `documents` are of
    Chatty Desktop, `foreign` of others; `unreadable` has a line for each that cannot be taken."""

    program: str
    documents: tuple[ChatDocument, ...] = ()
    foreign: tuple[ImportedChat, ...] = ()
    unreadable: tuple[str, ...] = ()


class ChatExchange:
    """Reads files, and stores what is chosen of them as new chats."""

    def __init__(self, documents: ChatDocuments, agents: Agents, publish: Publish) -> None:
        self._documents = documents
        self._agents = agents
        self._publish = publish

    async def document(self, session_id: str) -> ChatDocument:
        """A chat as a document. Raises `Invalid` when it is gone, `StorageFailed`."""
        return await self._documents.read(session_id)

    async def text(self, session_id: str, kind: ExportKind) -> str:
        """A chat as a file of that kind. Raises `Invalid` when it is gone, `StorageFailed`."""
        document = await self._documents.read(session_id)
        return await asyncio.to_thread(_text, document, session_id, kind)

    async def read(self, texts: Sequence[str]) -> Incoming:
        """The chats in the texts of one export: one text, or several documents of our own.
        Raises `Invalid` when there is none to be had."""
        return await asyncio.to_thread(_read, texts)

    async def add_document(self, document: ChatDocument) -> Session:
        """Store a document as a new chat. Its agents are those here by the same id or name; one
        that is not here comes along with it."""
        agents = {agent.id: await self._agent(agent) for agent in document.agents}
        session = await self._documents.add(document, agents)
        self._publish(SessionsChanged(session.id))
        return session

    async def add_foreign(
        self,
        chats: Sequence[ImportedChat],
        agent_id: str,
        progress: Callable[[int], bool],
    ) -> list[Session]:
        """Store chats of another program as the agent's, one after the other; `progress` is told
        how many are stored, and says whether to go on. What is stored by then stays."""
        stored: list[Session] = []
        for chat in chats:
            stored.append(await self._documents.add_foreign(chat, agent_id))
            if not progress(len(stored)):
                break
        if stored:
            self._publish(SessionsChanged())
        return stored

    async def _agent(self, wanted: DocumentAgent) -> str:
        if await self._agents.get(wanted.id) is not None:
            return wanted.id
        if wanted.definition is None:
            return wanted.id
        there = await self._agents.by_name(wanted.definition.name)
        return there.id if there else (await self._agents.save(wanted.definition)).id


def _text(document: ChatDocument, session_id: str, kind: ExportKind) -> str:
    if kind == "json":
        return write_document(document)
    session = Session(
        session_id,
        document.title,
        document.created_at,
        document.updated_at,
        document.leaf_id,
        document.agent_id,
    )
    messages = [
        Message(
            session_id=session_id,
            tool_calls=tuple(
                ToolCall(call.id, call.name, call.arguments) for call in each.tool_calls
            ),
            **each.model_dump(exclude={"tool_calls"}),
        )
        for each in document.messages
    ]
    names = {agent.id: agent.name for agent in document.agents if agent.name}
    write = chat_as_html if kind == "html" else chat_as_markdown
    return write(session, messages, names)


def _read(texts: Sequence[str]) -> Incoming:
    documents: list[ChatDocument] = []
    unreadable: list[str] = []
    for number, text in enumerate(texts, 1):
        try:
            value = read_json(text)
        except NotJson as error:
            if len(texts) == 1:
                raise Invalid(f"This file is not JSON, so no chats can be read: {error}") from error
            unreadable.append(f"{number}: not JSON")
            continue
        if not is_document(value):
            if len(texts) == 1:
                found = read_chats(value)
                return Incoming(found.program, (), found.chats, found.unreadable)
            unreadable.append(f"{number}: no chat")
            continue
        try:
            documents.append(read_document(value))
        except Invalid as error:
            if len(texts) == 1:
                raise
            unreadable.append(f"{value.get('title') or number}: {error}")
    return Incoming("Chatty Desktop", tuple(documents), (), tuple(unreadable))
