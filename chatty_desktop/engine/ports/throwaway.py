"""Stores that hold nothing for long."""

from __future__ import annotations

from dataclasses import dataclass

from chatty_desktop.engine.ports.chats import MessageLog, Sessions
from chatty_desktop.engine.ports.memory import EpisodeStore, MemoryStore
from chatty_desktop.engine.ports.runs import Runs


@dataclass(frozen=True, slots=True)
class ThrowawayStores:
    """Stores of their own, empty at first, gone once they are left."""

    sessions: Sessions
    messages: MessageLog
    memory: MemoryStore
    runs: Runs
    episodes: EpisodeStore
