"""What is asked of a chat model, and what it answers piece by piece."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal, Protocol

from chatty_desktop.domain.attachments import WireImage
from chatty_desktop.domain.messages import ToolCall
from chatty_desktop.domain.settings import ModelOptions

SAMPLING = (
    "temperature",
    "top_p",
    "top_k",
    "min_p",
    "repeat_penalty",
    "presence_penalty",
    "frequency_penalty",
    "seed",
    "max_tokens",
)
"""The options of a model that a request carries, by their names in both."""


class WireMessage(Protocol):
    """What a provider sends of one message. A stored `Message` is one as it stands, since a
    request may carry 10,000 of them."""

    @property
    def role(self) -> Literal["system", "user", "assistant", "tool"]: ...

    @property
    def content(self) -> str: ...

    @property
    def tool_calls(self) -> tuple[ToolCall, ...]: ...

    @property
    def tool_call_id(self) -> str: ...

    @property
    def images(self) -> tuple[WireImage, ...]: ...


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """A message that is in no log: a prompt, a question of a fold, several in one."""

    role: Literal["system", "user", "assistant", "tool"]
    content: str
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str = ""
    images: tuple[WireImage, ...] = ()


@dataclass(frozen=True, slots=True)
class ToolOffer:
    """A tool that a model may call; `parameters` is the JSON schema of its arguments."""

    name: str
    description: str
    parameters: dict[str, Any]


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """One request to a chat model.

    `json_schema` asks the server to constrain the output; a server that cannot raises `Refused`.
    What is None of the sampling options is left to the server. `chat`: an answer to a person, for
    which the options hold that were set for the model; memory's questions have their own.
    `own_turns`: so many of the first messages are the app's own words, the same in every request
    of the kind, and none of them anyone's else.
    """

    messages: tuple[WireMessage, ...]
    temperature: float | None = None
    max_tokens: int | None = None
    json_schema: dict[str, Any] | None = None
    top_p: float | None = None
    top_k: int | None = None
    min_p: float | None = None
    repeat_penalty: float | None = None
    presence_penalty: float | None = None
    frequency_penalty: float | None = None
    seed: int | None = None
    tools: tuple[ToolOffer, ...] = ()
    chat: bool = False
    own_turns: int = 0

    @property
    def goes_on(self) -> bool:
        """Whether the answer is begun already, and is to go on where it broke off."""
        return bool(self.messages) and self.messages[-1].role == "assistant"

    def sampling(self) -> dict[str, float]:
        """The sampling options that are set, by name."""
        values = {name: getattr(self, name) for name in SAMPLING}
        return {name: value for name, value in values.items() if value is not None}

    def as_set(self, options: ModelOptions) -> ChatRequest:
        """The same, for a chat with what the person set for the model, where the request itself
        says nothing."""
        if not self.chat:
            return self
        wanted = {name: getattr(options, name) for name in SAMPLING}
        return replace(self, **{**wanted, **self.sampling()})


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens as the server counted them; None where it did not say."""

    prompt_tokens: int | None = None
    completion_tokens: int | None = None

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            _sum(self.prompt_tokens, other.prompt_tokens),
            _sum(self.completion_tokens, other.completion_tokens),
        )


def count_of(value: object) -> int | None:
    """A number of tokens as a server gave it, None for what is none."""
    if not isinstance(value, int) or isinstance(value, bool):
        return None
    return value if 0 <= value < 2**53 else None


def _sum(one: int | None, other: int | None) -> int | None:
    return one if other is None else other if one is None else one + other


@dataclass(frozen=True, slots=True)
class Delta:
    """A piece of a streamed answer. The last one carries `finish` ("stop", "length", …).

    A stream that ends without a `finish` was cut off. Calls of tools come whole, with the last.
    """

    text: str = ""
    reasoning: str = ""
    finish: str | None = None
    usage: Usage | None = None
    tool_calls: tuple[ToolCall, ...] = ()


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """A model that can be picked: `reference` is `provider_id/model`."""

    reference: str
    label: str
    provider_id: str
    kind: str
    listed: bool = True
