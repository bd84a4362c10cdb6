"""Choosing the embedder: what a change does, which models come first, which thresholds fit."""

from __future__ import annotations

from chatty_desktop.domain.embedder_choice import (
    built_in,
    embedding_first,
    is_built_in,
    switch,
    thresholds,
    with_threshold,
)
from chatty_desktop.domain.embedding import EmbedderId
from chatty_desktop.domain.episodes import EpisodeCounts, ToEmbed
from chatty_desktop.domain.requests import ModelChoice
from chatty_desktop.domain.settings import (
    EmbedderSettings,
    ModelOptions,
    ProviderSettings,
    Settings,
)
from chatty_desktop.domain.strategies import Composite, Episodic, Window

OLD = EmbedderSettings(provider="lab", model="old")
NEW = EmbedderSettings(provider="lab", model="new")


def choice(name: str) -> ModelChoice:
    return ModelChoice(f"lab/{name}", name, "lab", "openai")


def test_a_switch_counts_what_each_has_embedded_in_any_dimension() -> None:
    counts = EpisodeCounts(
        9, {EmbedderId("lab", "old", 3): 4, EmbedderId("lab", "old", 5): 1,
            EmbedderId("lab", "new", 3): 2}, 1
    )  # fmt: skip
    made = switch(counts, OLD, NEW, ToEmbed(7, 700))
    assert (made.lost, made.embedded, made.waiting.count) == (5, 2, 7)
    assert switch(counts, None, NEW, ToEmbed()).lost == 0
    assert switch(counts, OLD, None, ToEmbed()).embedded == 0


def test_the_built_in_model_is_named_so_that_no_server_is_meant() -> None:
    assert built_in(Settings()) == EmbedderSettings(provider="local", model="builtin")
    server = ProviderSettings(id="local", kind="openai", base_url="http://127.0.0.1:1/v1")
    engine = ProviderSettings(id="mine", kind="llama_cpp")
    assert built_in(Settings(providers=(server, engine), embedder=OLD)).provider == "mine"
    alone = Settings(providers=(server,), embedder=OLD)
    assert built_in(alone).provider == "built-in"
    assert is_built_in(alone, built_in(alone))
    assert not is_built_in(alone, EmbedderSettings(provider="local", model="builtin"))


def test_what_embeds_comes_first_and_what_does_not_comes_last() -> None:
    lab = ProviderSettings(
        id="lab",
        kind="openai",
        model_options={"odd": ModelOptions(embeds=True), "chat": ModelOptions(embeds=False)},
    )
    settings = Settings(providers=(lab,))
    names = ("chat", "big", "all-minilm", "odd", "my-embedder")
    found = embedding_first(map(choice, names), settings)
    assert [each.label for each in found] == ["odd", "all-minilm", "my-embedder", "big", "chat"]


def test_a_threshold_is_taken_over_where_it_is_far_off_and_left_where_it_is_near() -> None:
    memory = Composite(layers=(Episodic(threshold=0.3), Window(), Episodic(threshold=0.8)))
    assert thresholds(memory) == (0.3, 0.8)
    assert thresholds(with_threshold(memory, 0.82)) == (0.82, 0.8)
    assert with_threshold(Window(), 0.82) == Window()
