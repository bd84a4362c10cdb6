"""Options, findings and names of models in the settings."""

from __future__ import annotations

from chatty_desktop.domain.models import (
    Finding,
    Findings,
    ModelCard,
    with_findings,
    with_model,
    with_options,
    without_model,
)
from chatty_desktop.domain.settings import ModelOptions, Settings, read_settings, write_settings

SETTINGS = Settings.model_validate(
    {
        "providers": [{"id": "lab", "kind": "openai", "models": ["small"]}],
        "default_model": "lab/small",
        "memory_extractor_model": "lab/large",
    }
)


def options(settings: Settings, model: str = "small") -> ModelOptions:
    provider = settings.provider("lab")
    assert provider is not None
    return provider.options_of(model)


def test_options_are_changed_one_by_one_and_survive_the_file() -> None:
    changed = with_options(SETTINGS, "lab/small", temperature=0.3)
    changed = with_options(changed, "lab/vendor/big:8b", seed=1)
    changed = with_options(changed, "lab/small", top_k=5)
    again = read_settings(write_settings(changed))
    assert options(again) == ModelOptions(temperature=0.3, top_k=5)
    assert options(again, "vendor/big:8b") == ModelOptions(seed=1)


def test_options_of_which_nothing_is_left_leave_the_settings() -> None:
    changed = with_options(SETTINGS, "lab/small", temperature=0.3)
    assert with_options(changed, "lab/small", temperature=None) == SETTINGS


def test_options_of_a_provider_that_is_gone_change_nothing() -> None:
    assert with_options(SETTINGS, "gone/small", temperature=0.3) == SETTINGS


def test_what_could_not_be_told_leaves_what_was_known() -> None:
    before = with_options(SETTINGS, "lab/small", tools=True, temperature=0.5)
    found = Findings(
        "lab/small",
        ModelCard("small"),
        tools=Finding(None, "It did not answer."),
        json_schema=Finding(False, "It refused."),
        embeds=Finding(True, "It does."),
    )
    assert options(with_findings(before, found)) == ModelOptions(
        temperature=0.5, tools=True, json_schema=False, embeds=True
    )


def test_a_model_is_named_by_hand_once() -> None:
    named = with_model(with_model(SETTINGS, "lab/big"), "lab/big")
    provider = named.provider("lab")
    assert provider is not None and provider.models == ("small", "big")


def test_a_model_that_is_taken_out_takes_its_options_and_its_offices_along() -> None:
    before = with_options(SETTINGS, "lab/small", temperature=0.3)
    after = without_model(before, "lab/small")
    provider = after.provider("lab")
    assert provider is not None
    assert (provider.models, dict(provider.model_options)) == ((), {})
    assert (after.default_model, after.memory_extractor_model) == (None, "lab/large")
