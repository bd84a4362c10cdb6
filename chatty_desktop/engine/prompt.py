"""A prompt: sections with their origin and size, and the messages they become on the wire."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from operator import attrgetter
from types import MappingProxyType
from typing import Any

from chatty_desktop.domain.attachments import (
    AttachmentBudget,
    Contents,
    images_of,
    in_full,
    share_tokens,
    shares,
)
from chatty_desktop.domain.messages import Message
from chatty_desktop.domain.requests import ChatMessage, ChatRequest, ToolOffer, WireMessage
from chatty_desktop.domain.runs import Section, SentRequest
from chatty_desktop.domain.tokens import estimate
from chatty_desktop.domain.tool_results import ResultBudget, cut, cuts, in_words, paired

# A loop over 10,000 messages would take several times as long.
_ROLE = attrgetter("role")
_CALLS = attrgetter("tool_calls")
_FILES = attrgetter("attachments")


@dataclass(frozen=True, slots=True)
class Prompt:
    """What one request to a model is made of; the new message is the last section, or the one
    before the steps of its answer so far, or before the beginning of it. `tools` are offered."""

    sections: tuple[Section, ...]
    tools: tuple[ToolOffer, ...] = ()

    def tokens(self) -> int:
        """Estimated tokens of the whole request."""
        return sum(
            sum(map(_tokens, section.messages)) + _tokens_of_files(section)
            if section.messages
            else estimate(section.text)
            for section in self.sections
        )

    def image_tokens(self) -> int:
        """Of those, what images were taken for: servers count them each in their own way."""
        return sum(
            share_tokens([file], [share])
            for section in self.sections
            if (kept := dict(section.files))
            for message in section.messages
            for file, share in zip(message.attachments, kept.get(message.id, ()), strict=False)
            if file.is_image
        )

    def digests(self) -> set[str]:
        """The files of which something goes along."""
        return {
            file.digest
            for section in self.sections
            if (kept := dict(section.files))
            for message in section.messages
            for file, share in zip(message.attachments, kept.get(message.id, ()), strict=False)
            if share
        }

    def messages(self, contents: Contents = MappingProxyType({})) -> tuple[WireMessage, ...]:
        """The request as chat messages; `contents` are those of the files in it.

        Everything of role system becomes one message at the start, since many chat templates
        take no more than one and only there. Neighbouring messages of the person are joined (a
        reply between them failed), since many templates insist on turns.
        """
        system = "\n\n".join(
            s.text for s in self.sections if s.role == "system" and s.text and s.origin != "tools"
        )
        said = list(chain.from_iterable(_said_in(s, contents) for s in self.sections))
        if "tool" in _roles(said) or any(map(_CALLS, said)):
            said = list(paired(said))
            said = said if self.tools else list(in_words(said))
        if "user user" in _roles(said):
            said = _joined(said)
        return (ChatMessage("system", system), *said) if system else tuple(said)


def build_prompt(
    system_prompt: str,
    recalled: Sequence[Section],
    incoming: Message,
    begun: str = "",
    *,
    steps: Sequence[Message] = (),
    tools: Sequence[ToolOffer] = (),
    budget: ResultBudget = ResultBudget(),
    files: AttachmentBudget = AttachmentBudget(),
) -> Prompt:
    """The agent's system prompt, the tools, what memory recalls, the new message, then the calls
    and results that its answer has come to; `begun` is how the answer begins, which servers go on
    with where a request ends with it. Results and files are cut to their budgets."""
    system = [Section("system", text=system_prompt.strip())] if system_prompt.strip() else []
    offered = [Section("tools", text="\n".join(map(_told, tools)))] if tools else []
    new = Section("new", "user", messages=(incoming,))
    stepped = [Section("steps", messages=tuple(steps))] if steps else []
    begin = [Section("begun", "assistant", text=begun)] if begun else []
    sections = [*system, *offered, *recalled, new, *stepped, *begin]
    with_results = [s for s in sections if "tool" in _roles(s.messages)]
    kept = cuts((m for s in with_results for m in s.messages if m.role == "tool"), budget)
    sections = [_cut(s, kept) if kept else s for s in sections]
    with_files = [s for s in sections if any(map(_FILES, s.messages))]
    attached = [(m.id, m.attachments) for s in with_files for m in s.messages if m.attachments]
    if attached:
        shared = shares(attached, files)
        sections = [_with_files(section, shared) for section in sections]
    return Prompt(tuple(sections), tuple(tools))


def as_asked(request: SentRequest) -> ChatRequest:
    """A request that was sent, as it would be sent again."""
    prompt = Prompt(request.parts, request.tools)
    asked = ChatRequest(prompt.messages(), chat=True, tools=request.tools)
    options: dict[str, Any] = dict(request.options)
    return replace(asked, **options)


def _roles(messages: Sequence[WireMessage]) -> str:
    """The roles of messages, one after the other."""
    return " ".join(map(_ROLE, messages))


def _joined(said: Sequence[WireMessage]) -> list[WireMessage]:
    """The messages, those of the person that stand side by side as one."""
    joined: list[WireMessage] = []
    before = ""
    for message in said:
        if message.role == before == "user":
            joined[-1] = ChatMessage(
                "user",
                f"{joined[-1].content}\n\n{message.content}",
                images=(*joined[-1].images, *message.images),
            )
        else:
            joined.append(message)
        before = message.role
    return joined


def _said_in(section: Section, contents: Contents) -> Sequence[WireMessage]:
    """A section's messages with their files, or the beginning of an answer."""
    if section.role == "assistant":
        return (ChatMessage("assistant", section.text),)
    if not section.files:
        return section.messages
    kept = dict(section.files)
    return [
        ChatMessage(
            message.role,
            in_full(message.content, message.attachments, kept[message.id], contents),
            images=images_of(message.attachments, kept[message.id], contents),
        )
        if message.id in kept
        else message
        for message in section.messages
    ]


def _with_files(section: Section, shared: Mapping[str, tuple[int, ...]]) -> Section:
    """A section with what goes along of the files of its messages."""
    own = tuple((m.id, shared[m.id]) for m in section.messages if m.attachments)
    return replace(section, files=own) if own else section


def _tokens_of_files(section: Section) -> int:
    if not section.files:
        return 0
    kept = dict(section.files)
    return sum(share_tokens(m.attachments, kept[m.id]) for m in section.messages if m.id in kept)


def _cut(section: Section, kept: Mapping[str, int]) -> Section:
    """A section with its results cut to so many characters, by the id of their message."""
    cut_here = {message.id: kept[message.id] for message in section.messages if message.id in kept}
    if not cut_here:
        return section
    messages = tuple(
        replace(message, content=cut(message.content, cut_here[message.id]))
        if message.id in cut_here
        else message
        for message in section.messages
    )
    return replace(section, messages=messages, cut=tuple(cut_here.items()))


def _tokens(message: Message) -> int:
    if not message.tool_calls:
        return estimate(message.content)
    calls = "".join(f"{call.name}{call.arguments}" for call in message.tool_calls)
    return estimate(message.content) + (estimate(calls) if calls else 0)


def _told(tool: ToolOffer) -> str:
    """A tool as the prompt view shows it, and as it is counted: with the schema of its arguments,
    which goes along in a form that is the wire's own."""
    schema = json.dumps(tool.parameters, ensure_ascii=False)
    return f"{tool.name}: {tool.description}\n{schema}"
