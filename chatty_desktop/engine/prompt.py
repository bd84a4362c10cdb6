"""A prompt: sections with their origin and size, and the messages they become on the wire."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from chatty_desktop.domain.messages import Message
from chatty_desktop.domain.requests import ChatMessage, WireMessage
from chatty_desktop.domain.runs import Section
from chatty_desktop.domain.tokens import estimate


@dataclass(frozen=True, slots=True)
class Prompt:
    """What one request to a model is made of; the new message is the last section, or the one
    before the beginning of its answer."""

    sections: tuple[Section, ...]

    def tokens(self) -> int:
        """Estimated tokens of the whole request."""
        return sum(
            sum(estimate(message.content) for message in section.messages)
            if section.messages
            else estimate(section.text)
            for section in self.sections
        )

    def messages(self) -> tuple[WireMessage, ...]:
        """The request as chat messages.

        Everything of role system becomes one message at the start, since many chat templates
        take no more than one and only there. Neighbouring messages of the person are joined (a
        reply between them failed), since many templates insist on turns.
        """
        system = "\n\n".join(s.text for s in self.sections if s.role == "system" and s.text)
        wire: list[WireMessage] = [ChatMessage("system", system)] if system else []
        said_by_person = False
        for section in self.sections:
            for message in section.messages:
                by_person = message.role == "user"
                if by_person and said_by_person:
                    wire[-1] = ChatMessage("user", f"{wire[-1].content}\n\n{message.content}")
                else:
                    wire.append(message)
                said_by_person = by_person
            if section.role == "assistant":
                wire.append(ChatMessage("assistant", section.text))
        return tuple(wire)


def build_prompt(
    system_prompt: str, recalled: Sequence[Section], incoming: Message, begun: str = ""
) -> Prompt:
    """The agent's system prompt, what memory recalls, then the new message; `begun` is how the
    answer begins, which servers go on with where a request ends with it."""
    system = [Section("system", text=system_prompt.strip())] if system_prompt.strip() else []
    begin = [Section("begun", "assistant", text=begun)] if begun else []
    return Prompt((*system, *recalled, Section("new", "user", messages=(incoming,)), *begin))
