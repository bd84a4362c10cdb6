"""Agents: a system prompt, a model, a memory strategy, under a name."""

from __future__ import annotations

import json
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from chatty_desktop.domain.errors import Invalid
from chatty_desktop.domain.strategies import NoMemory, Strategy, describe


class AgentDefinition(BaseModel):
    """What an agent file holds. `model` null means the default model of the settings."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str = Field(min_length=1, max_length=200)
    system_prompt: str = ""
    model: str | None = None
    memory_strategy: Strategy = Field(default_factory=NoMemory)
    tools: tuple[str, ...] = ()
    max_steps: int = Field(default=30, ge=1, le=1000)

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
        value = json.loads(text)
    except ValueError as error:
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
