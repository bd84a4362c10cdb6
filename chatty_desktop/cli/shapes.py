"""The JSON shapes that other programs rely on, and the same as text."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from chatty_desktop.domain.agents import Agent
from chatty_desktop.domain.events import LogEntry
from chatty_desktop.domain.graph_runs import GraphRun
from chatty_desktop.domain.memory import Fact, LayerSnapshot, LedgerEntry, MemorySnapshot
from chatty_desktop.domain.messages import Message, Session
from chatty_desktop.domain.runs import SentRequest


def message(value: Message) -> dict[str, Any]:
    """{id, role, content}"""
    return {"id": value.id, "role": value.role, "content": value.content}


def reply(value: Message, by: Agent, session: Session) -> dict[str, Any]:
    """The reply of one run; `status` is complete, truncated, cut, stopped or failed."""
    return {
        "session": session.id,
        "agent": by.name,
        "id": value.id,
        "reply": value.content,
        "status": value.status.value,
        "error": value.error,
        "model": value.model,
        "seconds": round(value.seconds, 3),
    }


def graph_run(
    run: GraphRun, result: Message, replies: Mapping[str, Message | None], session: Session
) -> dict[str, Any]:
    """The outcome of a graph run; `status` is done, failed or stopped, that of a node `NodeState`.
    Nodes as they stand in the file; tokens as the server counted them, null where it did not."""
    return {
        "session": session.id,
        "graph": run.graph.name,
        "status": run.status,
        "result": result.content,
        "error": result.error,
        "seconds": round(result.seconds, 3),
        "nodes": [
            {
                "id": node.id,
                "kind": node.kind,
                "agent": node.agent,
                "status": ran.state,
                "reply": said.content if said else "",
                "error": ran.error,
                "seconds": None if ran.seconds is None else round(ran.seconds, 3),
                "prompt_tokens": ran.prompt_tokens,
                "completion_tokens": ran.completion_tokens,
            }
            for node in run.graph.nodes
            for ran, said in [(run.node(node.id), replies.get(node.id))]
        ],
    }


def memory(snapshot: MemorySnapshot, known: Mapping[str, Message]) -> dict[str, Any]:
    """The inspector's document; the ledger oldest row first. `known` holds its messages."""
    return {
        "strategy": snapshot.strategy,
        "layers": [_layer(layer) for layer in snapshot.layers],
        "ledger": [_ledger_row(entry, known) for entry in reversed(snapshot.ledger)],
    }


def request(value: SentRequest) -> list[dict[str, Any]]:
    """[{origin, role, content, tokens}]; tokens are estimated."""
    return [
        {
            "origin": section.origin,
            "role": section.role,
            "content": section.content,
            "tokens": section.tokens,
        }
        for section in value.sections
    ]


def log_entry(value: LogEntry) -> dict[str, Any]:
    """{run, at, level, text}; `at` in seconds since 1970 UTC."""
    return {"run": value.run_id, "at": value.at, "level": value.level, "text": value.text}


def agent(value: Agent) -> dict[str, Any]:
    """{id, name, model, strategy}; `strategy` is the kind of its memory."""
    definition = value.definition
    return {
        "id": value.id,
        "name": definition.name,
        "model": definition.model,
        "strategy": definition.memory_strategy.kind,
    }


def memory_as_text(document: Mapping[str, Any]) -> str:
    """The document of `memory` for reading."""
    lines = [f"strategy: {document['strategy']['kind']}"]
    for layer in document["layers"]:
        if len(document["layers"]) > 1:
            lines.append(f"layer: {layer['kind']}")
        if layer["state"] is not None:
            known = [f"  {key}: {_plain(value)}" for key, value in layer["state"].items()]
            lines += known or ["  (nothing known yet)"]
        if layer["kind"] == "summarized":
            lines.append(f"  {layer['summary'] or '(no summary yet)'}")
        if layer["facts"] is not None:
            known = [f"  {fact['subject']}: {fact['fact']}" for fact in layer["facts"]]
            lines += known or ["  (no facts yet)"]
        if layer["kind"] in _WAITING:
            lines.append(f"{_WAITING[layer['kind']]} ({len(layer['pending'])})")
            lines += [f"  {m['role']}: {m['content']}" for m in layer["pending"]]
        if layer["episodes"] is not None:
            lines += _episodes_as_text(layer)
    lines.append(f"ledger ({len(document['ledger'])})")
    for row in document["ledger"]:
        patch = "" if row["patch"] is None else _plain(row["patch"])
        lines.append("  " + "  ".join(p for p in (row["outcome"], row["reason"], patch) if p))
    return "\n".join(lines)


def _episodes_as_text(layer: Mapping[str, Any]) -> list[str]:
    episodes = layer["episodes"]
    lines = [f"episodes: {episodes['total']}, {episodes['without_vector']} without a vector"]
    for by in episodes["by_embedder"]:
        note = "" if by["searched"] else ", not searched"
        lines.append(f"  {by['count']} by {by['embedder']}{note}")
    lines.append(f"recalled for the last message ({len(layer['recalled'])})")
    lines += [f"  {row['score']:.3f}  {row['role']}: {row['content']}" for row in layer["recalled"]]
    lines += [
        f"  {row['score']:.3f}  {row['role']}: {row['content']} ({row['left_out']})"
        for row in episodes["left_out"]
    ]
    return lines


_WAITING = {
    "state": "not folded yet",
    "summarized": "not summarized yet",
    "semantic": "not read for facts yet",
}


def _plain(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _layer(layer: LayerSnapshot) -> dict[str, Any]:
    return {
        "kind": layer.kind,
        "state": layer.state,
        "pending": [message(m) for m in layer.pending or ()],
        "summary": layer.summary,
        "facts": None if layer.facts is None else [_fact(f) for f in layer.facts],
        "episodes": layer.episodes,
        "recalled": None if layer.recalled is None else list(layer.recalled),
    }


def _fact(fact: Fact) -> dict[str, Any]:
    """{subject, fact, source_message_ids}"""
    return {
        "subject": fact.subject,
        "fact": fact.fact,
        "source_message_ids": list(fact.source_ids),
    }


def _ledger_row(entry: LedgerEntry, known: Mapping[str, Message]) -> dict[str, Any]:
    return {
        "kind": entry.kind,
        "outcome": entry.outcome,
        "reason": entry.reason,
        "attempts": entry.attempts,
        "messages": [message(known[i]) for i in entry.message_ids if i in known],
        "patch": entry.patch,
        "model": entry.model,
    }
