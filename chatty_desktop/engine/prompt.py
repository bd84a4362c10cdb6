"""A prompt: sections with their origin and size, and the messages they become on the wire."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from chatty_desktop.domain.messages import Message
from chatty_desktop.domain.requests import ChatMessage, ChatRequest, ToolOffer, WireMessage
from chatty_desktop.domain.runs import Section, SentRequest
from chatty_desktop.domain.tokens import estimate
from chatty_desktop.domain.tool_results import ResultBudget, cut, cuts, in_words, paired


@dataclass(frozen=True, slots=True)
class Prompt:
    """What one request to a model is made of; the new message is the last section, or the one
    before the steps of its answer so far, or before the beginning of it. `tools` are offered."""

    sections: tuple[Section, ...]
    tools: tuple[ToolOffer, ...] = ()

    def tokens(self) -> int:
        """Estimated tokens of the whole request."""
        return sum(
            sum(map(_tokens, section.messages)) if section.messages else estimate(section.text)
            for section in self.sections
        )

    def messages(self) -> tuple[WireMessage, ...]:
        """The request as chat messages.

        Everything of role system becomes one message at the start, since many chat templates
        take no more than one and only there. Neighbouring messages of the person are joined (a
        reply between them failed), since many templates insist on turns.
        """
        system = "\n\n".join(
            s.text for s in self.sections if s.role == "system" and s.text and s.origin != "tools"
        )
        said: list[WireMessage] = [m for s in self.sections for m in _said_in(s)]
        if any(message.role == "tool" or message.tool_calls for message in said):
            said = list(paired(said))
            said = said if self.tools else list(in_words(said))
        wire: list[WireMessage] = [ChatMessage("system", system)] if system else []
        before = ""
        for message in said:
            if message.role == before == "user":
                wire[-1] = ChatMessage("user", f"{wire[-1].content}\n\n{message.content}")
            else:
                wire.append(message)
            before = message.role
        return tuple(wire)


def build_prompt(
    system_prompt: str,
    recalled: Sequence[Section],
    incoming: Message,
    begun: str = "",
    *,
    steps: Sequence[Message] = (),
    tools: Sequence[ToolOffer] = (),
    budget: ResultBudget = ResultBudget(),
) -> Prompt:
    """The agent's system prompt, the tools, what memory recalls, the new message, then the calls
    and results that its answer has come to; `begun` is how the answer begins, which servers go on
    with where a request ends with it. Results are cut to the budget."""
    system = [Section("system", text=system_prompt.strip())] if system_prompt.strip() else []
    offered = [Section("tools", text="\n".join(map(_told, tools)))] if tools else []
    new = Section("new", "user", messages=(incoming,))
    stepped = [Section("steps", messages=tuple(steps))] if steps else []
    begin = [Section("begun", "assistant", text=begun)] if begun else []
    sections = [*system, *offered, *recalled, new, *stepped, *begin]
    kept = cuts((m for s in sections for m in s.messages if m.role == "tool"), budget)
    return Prompt(tuple(_cut(s, kept) if kept else s for s in sections), tuple(tools))


def as_asked(request: SentRequest) -> ChatRequest:
    """A request that was sent, as it would be sent again."""
    prompt = Prompt(request.parts, request.tools)
    asked = ChatRequest(prompt.messages(), chat=True, tools=request.tools)
    options: dict[str, Any] = dict(request.options)
    return replace(asked, **options)


def _said_in(section: Section) -> Sequence[WireMessage]:
    """A section's messages, or the beginning of an answer."""
    if section.role == "assistant":
        return (ChatMessage("assistant", section.text),)
    return section.messages


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
    calls = "".join(f"{call.name}{call.arguments}" for call in message.tool_calls)
    return estimate(message.content) + (estimate(calls) if calls else 0)


def _told(tool: ToolOffer) -> str:
    """A tool as the prompt view shows it; the wire has a form of its own."""
    names = ", ".join(tool.parameters.get("properties", {}))
    return f"{tool.name}({names}): {tool.description}"
