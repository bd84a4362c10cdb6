"""Agents' memories of every kind."""

from __future__ import annotations

from typing import Any

from tests.helpers.desk import STATE


def of_every_kind(every: int) -> list[dict[str, Any]]:
    """A memory of each kind, and one of several layers; `every` so many messages is summarized."""
    summarized = {"kind": "summarized", "every": every}
    episodic = {"kind": "episodic", "threshold": -1.0}
    return [
        {"kind": "none"},
        {"kind": "window", "max_messages": 6},
        {"kind": "full_transcript"},
        summarized,
        episodic,
        {"kind": "semantic"},
        STATE,
        {"kind": "composite", "layers": [STATE, summarized, {"kind": "semantic"}, episodic]},
    ]
