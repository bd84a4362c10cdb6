"""What the engine needs from the outside, as Protocols; storage and providers implement them."""

from chatty_desktop.engine.ports.agents import Agents, Keys, SettingsStore
from chatty_desktop.engine.ports.chats import (
    ChatDocuments,
    Drafts,
    FileReading,
    Folders,
    MessageLog,
    MessageSearch,
    Sessions,
)
from chatty_desktop.engine.ports.graphs import GraphRunStore, Graphs
from chatty_desktop.engine.ports.measurements import Measurements
from chatty_desktop.engine.ports.memory import EpisodeStore, MemoryStore
from chatty_desktop.engine.ports.models import ChatModel, Embedder, Embedders, Models
from chatty_desktop.engine.ports.runs import Publish, Runs
from chatty_desktop.engine.ports.throwaway import ThrowawayStores
from chatty_desktop.engine.ports.tools import Consents, Pages, ServerOffers, ToolBox

__all__ = [
    "Agents",
    "ChatDocuments",
    "ChatModel",
    "Consents",
    "Drafts",
    "Embedder",
    "Embedders",
    "EpisodeStore",
    "FileReading",
    "Folders",
    "GraphRunStore",
    "Graphs",
    "Keys",
    "Measurements",
    "MemoryStore",
    "MessageLog",
    "MessageSearch",
    "Models",
    "Pages",
    "Publish",
    "Runs",
    "ServerOffers",
    "Sessions",
    "SettingsStore",
    "ThrowawayStores",
    "ToolBox",
]
