"""Using a model file, and no longer using it, as a change of the settings."""

from __future__ import annotations

import pytest

from chatty_desktop.domain.model_files import (
    counted,
    size_label,
    uses_of,
    with_local_model,
    without_local_model,
)
from chatty_desktop.domain.settings import EmbedderSettings, ProviderSettings, Settings

FILE = "/models/tiny.gguf"


def test_a_file_that_is_used_stands_once_among_the_local_models() -> None:
    settings, reference = with_local_model(Settings(), FILE)
    assert reference == f"local/{FILE}"
    assert settings.providers[0].models == ("starter", FILE)
    assert settings.default_model == "local/starter"
    again, _ = with_local_model(settings, FILE, default=True)
    assert again.providers[0].models == ("starter", FILE)
    assert again.default_model == reference


def test_without_a_local_engine_one_is_added_under_a_free_id() -> None:
    lab = ProviderSettings(id="local", kind="openai", base_url="http://127.0.0.1:1/v1")
    settings, reference = with_local_model(Settings(providers=(lab,)), FILE)
    assert [entry.kind for entry in settings.providers] == ["openai", "llama_cpp"]
    assert reference == f"local2/{FILE}"


def test_a_model_that_embeds_is_marked_so() -> None:
    settings, _ = with_local_model(Settings(), FILE, embeds=True)
    assert settings.providers[0].options_of(FILE).embeds is True


def test_a_file_that_is_gone_is_nowhere_in_the_settings() -> None:
    settings, reference = with_local_model(Settings(), FILE, embeds=True, default=True)
    settings = settings.model_copy(
        update={
            "memory_extractor_model": reference,
            "embedder": EmbedderSettings(provider="local", model=FILE),
        }
    )
    assert uses_of(settings, FILE) == ("default", "memory", "embedder")
    left = without_local_model(settings, FILE)
    assert FILE not in left.model_dump_json()
    assert uses_of(left, FILE) == ()
    assert left.providers[0].models == ("starter",)


def test_the_model_of_that_name_elsewhere_stays() -> None:
    lab = ProviderSettings(id="lab", kind="openai", models=("tiny",))
    settings = Settings(providers=(lab,), default_model="lab/tiny")
    assert without_local_model(settings, "tiny") == settings


@pytest.mark.parametrize(
    ("name", "label"),
    [
        ("Qwen2.5-Coder-0.5B-Instruct-Q4_K_M", "0.5B"),
        ("mixtral-8x7b", "8x7B"),
        ("all-MiniLM-33m", "33M"),
        ("llama3.2", ""),
    ],
)
def test_a_name_tells_the_count_of_parameters(name: str, label: str) -> None:
    assert size_label(name) == label


def test_counts_are_told_as_names_tell_them() -> None:
    assert [counted(n) for n in (494_032_768, 7_000_000_000, 22_713_216)] == ["0.5B", "7B", "23M"]
