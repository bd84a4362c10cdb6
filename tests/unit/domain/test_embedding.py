"""What is known of embedding models by their name."""

from __future__ import annotations

import pytest

from chatty_desktop.domain.embedding import Prefixes, prefixes_of, suggested_threshold
from chatty_desktop.domain.episodes import LONGEST_TEXT, shown_text, stored_text

SEARCH = "Represent this sentence for searching relevant passages: "


@pytest.mark.parametrize(
    ("model", "prefixes"),
    [
        ("intfloat/multilingual-e5-small", Prefixes("query: ", "passage: ")),
        ("e5-base-v2", Prefixes("query: ", "passage: ")),
        ("jeffh/intfloat-multilingual-e5-large:f16", Prefixes("query: ", "passage: ")),
        ("models\\multilingual_e5_small.gguf", Prefixes("query: ", "passage: ")),
        ("nomic-embed-text", Prefixes("search_query: ", "search_document: ")),
        ("nomic-ai/nomic-embed-text-v1.5", Prefixes("search_query: ", "search_document: ")),
        ("bge-large-en-v1.5", Prefixes(SEARCH)),
        ("BAAI/bge-small-en", Prefixes(SEARCH)),
        ("bge-m3:latest", Prefixes()),
        ("mxbai-embed-large", Prefixes(SEARCH)),
        ("mixedbread-ai/mxbai-embed-large-v1", Prefixes(SEARCH)),
        ("all-minilm", Prefixes()),
        ("text-embedding-3-small", Prefixes()),
        ("something-new", Prefixes()),
        ("fake50", Prefixes()),
    ],
)
def test_a_model_is_marked_as_its_family_wants(model: str, prefixes: Prefixes) -> None:
    assert prefixes_of(model) == prefixes


def test_an_instructed_e5_gets_its_instruction_and_no_mark_on_stored_texts() -> None:
    found = prefixes_of("intfloat/multilingual-e5-large-instruct")
    assert found.query.startswith("Instruct: ") and found.query.endswith("Query: ")
    assert found.text == ""


def test_a_threshold_is_suggested_for_known_models_alone() -> None:
    e5, minilm = suggested_threshold("builtin"), suggested_threshold("all-minilm:l6-v2")
    assert e5 is not None and minilm is not None
    assert 0.7 < e5 < 0.95, "all of e5's scores lie there"
    assert minilm < 0.5
    assert suggested_threshold("something-new") is None


def test_stored_texts_name_the_speaker_and_are_bounded() -> None:
    assert stored_text("user", "Hello") == "User: Hello"
    assert len(stored_text("assistant", "x" * 100_000)) < LONGEST_TEXT + 20


def test_shown_texts_carry_date_and_speaker_and_are_bounded() -> None:
    shown = shown_text("assistant", "At nine.", 1.7e9)
    assert shown.startswith("2023-11-1") and shown.endswith("Assistant: At nine.")
    assert len(shown_text("user", "x" * 100_000, 1.7e9)) < 5_000
