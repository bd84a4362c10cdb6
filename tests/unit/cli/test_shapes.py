"""The documents that `inspect` prints, of memories that hold summaries and facts."""

from __future__ import annotations

from typing import Any

from chatty_desktop.cli import shapes
from chatty_desktop.domain.memory import Fact, LayerSnapshot, MemorySnapshot
from chatty_desktop.domain.messages import Message

WAITING = (Message("m3", "s", "m2", "a", "r", "user", "And Nara?", 0.0),)
FACT = Fact("f", "a", "s", "semantic", "m2", "Leo", "Leo is seven.", ("m1",), "l", 0.0)


def document(*layers: LayerSnapshot) -> dict[str, Any]:
    return shapes.memory(MemorySnapshot({"kind": "composite"}, layers), {})


def test_a_summary_and_what_stands_after_it_are_shown() -> None:
    layer = LayerSnapshot("summarized", summary="They plan a trip.", pending=WAITING)
    shown = document(layer)
    assert shown["layers"] == [
        {
            "kind": "summarized",
            "state": None,
            "pending": [{"id": "m3", "role": "user", "content": "And Nara?"}],
            "summary": "They plan a trip.",
            "facts": None,
            "episodes": None,
            "recalled": None,
        }
    ]
    assert shapes.memory_as_text(shown).splitlines() == [
        "strategy: composite",
        "  They plan a trip.",
        "not summarized yet (1)",
        "  user: And Nara?",
        "ledger (0)",
    ]


def test_facts_are_shown_with_the_messages_they_are_from() -> None:
    shown = document(LayerSnapshot("semantic", facts=(FACT,), pending=()))
    (layer,) = shown["layers"]
    assert layer["facts"] == [
        {"subject": "Leo", "fact": "Leo is seven.", "source_message_ids": ["m1"]}
    ]
    assert "  Leo: Leo is seven." in shapes.memory_as_text(shown).splitlines()


def test_layers_of_a_composite_are_named_and_empty_ones_say_so() -> None:
    text = shapes.memory_as_text(
        document(
            LayerSnapshot("summarized", pending=()),
            LayerSnapshot("semantic", facts=(), pending=()),
            LayerSnapshot("window"),
        )
    )
    assert text.splitlines() == [
        "strategy: composite",
        "layer: summarized",
        "  (no summary yet)",
        "not summarized yet (0)",
        "layer: semantic",
        "  (no facts yet)",
        "not read for facts yet (0)",
        "layer: window",
        "ledger (0)",
    ]
