"""What a box of the canvas shows, in words, put together from the graph and what is known of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from chatty_desktop.domain.agents import Agent
from chatty_desktop.domain.graphs import Node, NodeKind
from chatty_desktop.ui.agents.strategy_form import about
from chatty_desktop.ui.language import tr, translated
from chatty_desktop.ui.tokens import Tone


@dataclass(frozen=True, slots=True)
class Live:
    """Where a node stands in a run, in words."""

    words: str
    tone: Tone
    icon: str


@dataclass(frozen=True, slots=True)
class SeenNode:
    """A box. memory: the kind of memory in a word, "" where there is none to speak of; `own`: it is
    that of the slot, not the agent's. problem: what keeps it from running, "" for nothing."""

    id: str
    kind: NodeKind
    who: str
    memory: str = ""
    own: bool = False
    problem: str = ""
    live: Live | None = None

    @property
    def spoken(self) -> str:
        """All of it in a sentence, for those who do not see it."""
        said = [self.id, kind_name(self.kind)]
        if self.kind == "agent":
            said.append(self.who)
        if self.memory:
            own = tr("memory of this node: {kind}", kind=self.memory)
            said.append(own if self.own else tr("memory: {kind}", kind=self.memory))
        if self.problem:
            said.append(self.problem)
        if self.live:
            said.append(self.live.words)
        return ", ".join(said)


def seen_node(
    node: Node, agents: Mapping[str, Agent], problem: str = "", live: Live | None = None
) -> SeenNode:
    """How a node shows; `agents` by name and by id."""
    who, memory = kind_name(node.kind), ""
    if node.kind == "agent":
        agent = agents.get(node.agent or "")
        who = agent.name if agent else node.agent or tr("No agent yet")
        if node.memory_override is not None:
            memory = about(node.memory_override.kind).title
        elif agent is not None:
            memory = about(agent.definition.memory_strategy.kind).title
    own = node.memory_override is not None
    return SeenNode(node.id, node.kind, who, memory, own, translated(problem), live)


def memory_told(node: Node, agent: Agent) -> str:
    """Where the memory of a node comes from."""
    if node.memory_override is not None:
        kind = about(node.memory_override.kind).title
        return tr("Memory of this node: {kind}, set on the node", kind=kind)
    kind = about(agent.definition.memory_strategy.kind).title
    return tr("Memory of this node: {kind}, the agent's own", kind=kind)


def kind_name(kind: NodeKind) -> str:
    """What a kind of node is called."""
    return {"input": tr("Input"), "agent": tr("Agent"), "output": tr("Output")}[kind]
