"""What is asked of a chat model, and what it answers piece by piece."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, Protocol

from chatty_desktop.domain.messages import ToolCall


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


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """A message that is in no log: a prompt, a question of a fold, several in one."""

    role: Literal["system", "user", "assistant", "tool"]
    content: str
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str = ""


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """One request to a chat model.

    `json_schema` asks the server to constrain the output; a server that cannot raises `Refused`.
    `temperature` None leaves the server's default; `max_tokens` None sets no limit.
    """

    messages: tuple[WireMessage, ...]
    temperature: float | None = None
    max_tokens: int | None = None
    json_schema: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens as the server counted them; None where it did not say."""

    prompt_tokens: int | None = None
    completion_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class Delta:
    """A piece of a streamed answer. The last one carries `finish` ("stop", "length", …).

    A stream that ends without a `finish` was cut off.
    """

    text: str = ""
    reasoning: str = ""
    finish: str | None = None
    usage: Usage | None = None


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """A model that can be picked: `reference` is `provider_id/model`."""

    reference: str
    label: str
    provider_id: str
    kind: str
    listed: bool = True
