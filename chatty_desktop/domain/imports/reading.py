"""An exported file as chats, whichever program wrote it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from chatty_desktop.domain.errors import Invalid
from chatty_desktop.domain.imports import chatgpt, claude, open_webui
from chatty_desktop.domain.imports.chats import ImportedChat, ImportedChats, mapping, words

_Read = Callable[[dict[str, Any]], ImportedChat]

_PROGRAMS: tuple[tuple[str, Callable[[Any], bool], _Read], ...] = (
    (chatgpt.PROGRAM, chatgpt.is_one, chatgpt.read),
    (claude.PROGRAM, claude.is_one, claude.read),
    (open_webui.PROGRAM, open_webui.is_one, open_webui.read),
)


def read_chats(value: Any) -> ImportedChats:
    """The chats in what was read as JSON from a file exported by ChatGPT, Claude or Open WebUI.

    Chats without a message to take are left out. Raises `Invalid` when it is none of these.
    """
    listed = value if isinstance(value, list) else [value]
    for program, is_one, read in _PROGRAMS:
        if any(is_one(chat) for chat in listed):
            return _read_all(program, listed, is_one, read)
    raise Invalid(
        "No chats were found in this file. Chats can be read from the conversations.json of"
        " ChatGPT and of Claude, from an export of Open WebUI, and from Chatty Desktop's own."
    )


def _read_all(
    program: str, listed: list[Any], is_one: Callable[[Any], bool], read: _Read
) -> ImportedChats:
    chats: list[ImportedChat] = []
    unreadable: list[str] = []
    for number, value in enumerate(listed, 1):
        if not is_one(value):
            chat = mapping(value)
            title = words(chat.get("title")) or words(chat.get("name")) or f"number {number}"
            unreadable.append(f"{title}: no chat of {program}")
            continue
        found = read(value)
        if found.messages:
            chats.append(found)
    return ImportedChats(program, tuple(chats), tuple(unreadable))
