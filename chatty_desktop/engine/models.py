"""Which model serves: the agent's own to answer, the extractor chain to fold and summarize."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass

from chatty_desktop.domain.agents import AgentDefinition
from chatty_desktop.domain.errors import Refused, Unreachable
from chatty_desktop.domain.requests import ChatRequest, Delta, Usage
from chatty_desktop.domain.settings import ModelOptions, Settings, split_model
from chatty_desktop.domain.standing import ChosenBy
from chatty_desktop.engine.ports import ChatModel, Models
from chatty_desktop.engine.step import closing_stream

TOKEN_CHARS = 40
"""More characters than a token has on average in any script."""


@dataclass(frozen=True, slots=True)
class Completion:
    """A whole answer. `finish` is the server's reason for the end, such as "stop"."""

    text: str
    finish: str
    usage: Usage


class ModelChooser:
    """Picks models by the settings as they are at the moment of asking."""

    def __init__(self, models: Models, settings: Callable[[], Settings]) -> None:
        self._models = models
        self._settings = settings
        self._unconstrained: set[str] = set()
        self._without_tools: set[str] = set()

    async def for_agent(self, agent: AgentDefinition) -> ChatModel:
        """The agent's model, else the default of the settings, else the first available.

        Raises `Unreachable` when there is none, `Invalid` for a model of an unknown provider.
        """
        reference, _why = await self.reference_for(agent.model)
        if reference is None:
            raise Unreachable(
                "No model is available: no provider in the settings answered."
                " Start one of the servers, or add the local model.",
                cause="missing",
            )
        return self._models.chat_model(reference)

    async def reference_for(self, named: str | None) -> tuple[str | None, ChosenBy]:
        """Which model answers an agent that names this one or none, and why; None without any."""
        if named:
            return named, "agent"
        if default := self._settings().default_model:
            return default, "default"
        return await self._models.first_available(), "first"

    def named(self, reference: str) -> ChatModel:
        """The model of that name. Raises `Invalid` when it names no provider. Asks nobody."""
        return self._models.chat_model(reference)

    def check(self, reference: str) -> None:
        """Raise `Invalid` when a reference names no provider that can be used. Asks nobody."""
        self._models.chat_model(reference)

    async def extractor(self, wanted: str | None) -> ChatModel | None:
        """Who folds, summarizes, extracts: the strategy's `model`; else the settings'
        `memory_extractor_model` if registered; else the first available provider's default
        model; else None. Raises `Invalid` when `wanted` is of an unknown provider."""
        if wanted:
            return self._models.chat_model(wanted)
        named = self._settings().memory_extractor_model
        if named and self._models.registered(named):
            return self._models.chat_model(named)
        first = await self._models.first_available()
        return self._models.chat_model(first) if first else None

    def constrains(self, model: ChatModel) -> bool:
        """Whether the model's server is thought to constrain output by a JSON schema: it has not
        refused to, and the settings do not say that it does not."""
        if model.reference in self._unconstrained:
            return False
        return self.options_of(model).json_schema is not False

    def cannot_constrain(self, model: ChatModel) -> None:
        """Remember, while the app runs, that the server refused a JSON schema."""
        self._unconstrained.add(model.reference)

    def takes_tools(self, model: ChatModel) -> bool:
        """Whether tools may be offered to a model: its server has not refused them, and the
        settings do not say that it knows none."""
        if model.reference in self._without_tools:
            return False
        return self.options_of(model).tools is not False

    async def sees_images(self, model: ChatModel) -> bool | None:
        """Whether a model looks at images: as the settings say, else as its server tells; None
        where neither does."""
        said = self.options_of(model).vision
        if said is not None:
            return said
        try:
            return await model.sees_images()
        except (Unreachable, Refused):
            return None

    def cannot_take_tools(self, model: ChatModel) -> None:
        """Remember, while the app runs, that the server refused tools."""
        self._without_tools.add(model.reference)

    def options_of(self, model: ChatModel) -> ModelOptions:
        """What the person set for a model."""
        provider_id, name = split_model(model.reference)
        provider = self._settings().provider(provider_id)
        return ModelOptions() if provider is None else provider.options_of(name)


async def complete(model: ChatModel, request: ChatRequest) -> Completion:
    """Ask for a whole answer; what the model thinks aloud is left out.

    Raises `Unreachable`, also when the answer was cut off in the middle, or `Refused`.
    """
    parts: list[str] = []
    finish: str | None = None
    usage = Usage()
    async with closing_stream(within_length(model, request)) as deltas:
        async for delta in deltas:
            parts.append(delta.text)
            finish = delta.finish or finish
            usage = delta.usage or usage
    if finish is None:
        raise Unreachable(f"The connection to {model.reference} broke off in mid-answer.")
    return Completion("".join(parts), finish, usage)


async def within_length(model: ChatModel, request: ChatRequest) -> AsyncIterator[Delta]:
    """An answer as it comes. Not every server keeps to the length asked for: what is longer by far
    ends there, for its length. Raises `Unreachable` or `Refused`."""
    left = request.max_tokens and request.max_tokens * TOKEN_CHARS
    async with closing_stream(model.stream(request)) as deltas:
        async for delta in deltas:
            yield delta
            if left is not None:
                left -= len(delta.text) + len(delta.reasoning)
                if left < 0:
                    yield Delta(finish="length")
                    return


async def context_of(model: ChatModel) -> int | None:
    """The model's context in tokens, None when it cannot be learnt now."""
    try:
        return await model.context_length()
    except (Unreachable, Refused):
        return None
