"""Agents: a system prompt, a model, a memory strategy, under a name."""

from __future__ import annotations

import json
from typing import Any

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    SerializerFunctionWrapHandler,
    ValidationError,
    field_validator,
    model_serializer,
)

from chatty_desktop.domain.errors import Invalid
from chatty_desktop.domain.json_text import WRITTEN_BY_HAND, NotJson, read_json
from chatty_desktop.domain.strategies import NoMemory, Strategy, describe
from chatty_desktop.domain.tools import Policy


class AgentDefinition(BaseModel):
    """What an agent file holds. `model` null means the default model of the settings.

    `tools` are names. `tool_policies` says for single ones whether they run at once, after a
    question or never, in place of their own; `folders` are what file tools may reach;
    `approve_memory` says that a fold changes Σ only once the person has agreed. The three are
    written only where something is in them.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str = Field(min_length=1, max_length=200)
    system_prompt: str = ""
    model: str | None = None
    memory_strategy: Strategy = Field(default_factory=NoMemory)
    tools: tuple[str, ...] = ()
    max_steps: int = Field(default=30, ge=1, le=1000)
    tool_policies: dict[str, Policy] = Field(default_factory=dict)
    folders: tuple[str, ...] = ()
    approve_memory: bool = False

    @model_serializer(mode="wrap")
    def _briefly(self, write: SerializerFunctionWrapHandler) -> dict[str, Any]:
        values: dict[str, Any] = write(self)
        for name in ("tool_policies", "folders", "approve_memory"):
            if not values.get(name, True):
                del values[name]
        return values

    @field_validator("name")
    @classmethod
    def _trimmed(cls, name: str) -> str:
        if not name.strip():
            raise ValueError("give the agent a name")
        return name.strip()

    @field_validator("memory_strategy", mode="before")
    @classmethod
    def _none_is_no_memory(cls, value: Any) -> Any:
        return NoMemory() if value is None else value


class Agent(BaseModel):
    """A stored agent: its definition under an id that survives renaming."""

    model_config = ConfigDict(frozen=True)

    id: str
    definition: AgentDefinition
    created_at: float

    @property
    def name(self) -> str:
        return self.definition.name


def read_agent(text: str) -> AgentDefinition:
    """Read an agent file. Raises `Invalid` with the line or the field that is wrong."""
    try:
        value = read_json(text, WRITTEN_BY_HAND)
    except NotJson as error:
        raise Invalid(f"This is not JSON: {error}") from error
    if not isinstance(value, dict):
        raise Invalid("An agent file holds one JSON object.")
    try:
        return AgentDefinition.model_validate(value)
    except ValidationError as error:
        raise Invalid(describe(error)) from error


def write_agent(definition: AgentDefinition) -> str:
    """The agent as indented JSON, ready for `read_agent`."""
    return json.dumps(definition.model_dump(mode="json"), indent=2, ensure_ascii=False) + "\n"
