"""What the local engine holds in memory, and what a model would take of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Purpose = Literal["chat", "embedding"]
EngineState = Literal["loading", "ready", "busy"]

WORKING_MEMORY = 300_000_000
"""Bytes a small model needs beside its weights and its context, as scratch space."""


@dataclass(frozen=True, slots=True)
class LoadedModel:
    """A model that a process of the local engine holds, or is being loaded into.

    `state`: busy while it answers or embeds. `since` and `unload_at` are seconds since 1970 UTC;
    `unload_at` None: it stays. `context_length` in tokens; `threads` 0 while it is not known;
    `gpu_layers` None: as many as fit. `memory` is what the system reports of the process, in bytes,
    None where it was not measured.
    """

    reference: str
    purpose: Purpose
    state: EngineState
    since: float
    process_id: int
    context_length: int
    threads: int
    gpu_layers: int | None
    unload_at: float | None = None
    memory: int | None = None


@dataclass(frozen=True, slots=True)
class Memory:
    """The memory of this computer in bytes; `available` can be had without swapping."""

    total: int
    available: int


@dataclass(frozen=True, slots=True)
class ModelNeeds:
    """What a model takes in memory: `weights` in bytes, and so many for each token of context."""

    weights: int
    per_token: int

    def of(self, context_length: int) -> int:
        """Bytes in all with a context of so many tokens."""
        return self.weights + WORKING_MEMORY + self.per_token * context_length


@dataclass(frozen=True, slots=True)
class GpuDevice:
    """A graphics processor that the local engine can use; memory in bytes."""

    name: str
    memory_free: int
    memory_total: int
