"""settings.json: what it means, what is refused, and what an older app leaves alone."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatty_desktop.domain.errors import Invalid
from chatty_desktop.domain.settings import (
    EmbedderSettings,
    Settings,
    read_settings,
    split_model,
    with_chat,
    write_settings,
)

DESIGN_EXAMPLE = """
{"providers": [{"id": "local", "kind": "llama_cpp", "models": ["starter"]},
               {"id": "lab", "kind": "openai", "base_url": "http://127.0.0.1:8080/v1",
                "models": ["small"]},
               {"id": "ollama", "kind": "ollama", "base_url": "http://127.0.0.1:11434"}],
 "default_model": "local/starter", "memory_extractor_model": null,
 "embedder": {"provider": "local", "model": "builtin"}}
"""


def test_the_example_of_the_design_loads_as_it_stands() -> None:
    settings = read_settings(DESIGN_EXAMPLE)
    assert [provider.id for provider in settings.providers] == ["local", "lab", "ollama"]
    assert settings.providers[1].base_url == "http://127.0.0.1:8080/v1"
    assert settings.providers[1].models == ("small",)
    assert settings.default_model == "local/starter"
    assert settings.memory_extractor_model is None
    assert settings.embedder is not None
    assert (settings.embedder.provider, settings.embedder.model) == ("local", "builtin")


def test_the_defaults_need_no_account_and_no_network() -> None:
    settings = read_settings("{}")
    assert settings == Settings()
    assert [provider.kind for provider in settings.providers] == ["llama_cpp"]
    assert settings.default_model == "local/starter"


def test_embedder_null_means_none() -> None:
    assert read_settings('{"embedder": null}').embedder is None


def test_what_a_newer_version_wrote_is_kept() -> None:
    newer = {
        "providers": [{"id": "lab", "kind": "openai", "proxy": {"host": "p"}}],
        "theme": "sepia",
    }
    kept = json.loads(write_settings(read_settings(json.dumps(newer))))
    assert kept["theme"] == "sepia"
    assert kept["providers"][0]["proxy"] == {"host": "p"}


def test_settings_survive_being_written_and_read_again() -> None:
    settings = read_settings(DESIGN_EXAMPLE)
    assert read_settings(write_settings(settings)) == settings


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "not JSON"),
        ('{"providers": [', "not JSON"),
        ('{"providers": [{"id": "a", "kind": "magic"}]}', "providers.0.kind: should be"),
        ('{"providers": [{"kind": "openai"}]}', "providers.0.id: this field is missing"),
        ('{"providers": [{"id": "", "kind": "openai"}]}', "providers.0.id: must not be empty"),
        (
            '{"providers": [{"id": "a/b", "kind": "openai"}]}',
            "providers.0.id: must not hold a slash",
        ),
        (
            '{"providers": [{"id": "a", "kind": "openai"}, {"id": "a", "kind": "ollama"}]}',
            "providers: two providers are called 'a'",
        ),
        (
            '{"providers": [{"id": "a", "kind": "ollama", "context_length": 3}]}',
            "providers.0.context_length: should be greater than or equal to 256",
        ),
    ],
)
def test_a_wrong_file_is_refused_with_the_line_and_the_field_that_is_wrong(
    text: str, message: str
) -> None:
    with pytest.raises(Invalid) as caught:
        read_settings(text)
    where, _, what = str(caught.value).partition(": ")
    assert where.startswith("line 1")
    assert what.startswith(message)


def test_the_name_of_a_model_may_hold_slashes() -> None:
    assert split_model("lab/qwen/qwen3:8b") == ("lab", "qwen/qwen3:8b")


@pytest.mark.parametrize("reference", ["", "/", "lab", "lab/", "/small"])
def test_what_names_no_model_is_refused(reference: str) -> None:
    with pytest.raises(Invalid, match="does not name a model"):
        split_model(reference)


@given(
    st.text(min_size=1).filter(lambda provider: "/" not in provider),
    st.text(min_size=1),
)
def test_a_reference_comes_apart_as_it_was_put_together(provider: str, model: str) -> None:
    assert split_model(f"{provider}/{model}") == (provider, model)


def test_of_an_embedder_only_what_was_said_is_written() -> None:
    plain = json.loads(write_settings(Settings()))
    assert plain["embedder"] == {"provider": "local", "model": "builtin"}
    marked = EmbedderSettings(provider="lab", model="own", query_prefix="", text_prefix=None)
    settings = Settings(embedder=marked)
    written = json.loads(write_settings(settings))
    assert written["embedder"] == {"provider": "lab", "model": "own", "query_prefix": ""}
    assert read_settings(write_settings(settings)) == settings


def test_the_key_that_sends_is_written_where_it_is_not_enter() -> None:
    assert "chat" not in json.loads(write_settings(with_chat(send_with="enter")(Settings())))
    written = write_settings(with_chat(send_with="ctrl_enter")(Settings()))
    assert json.loads(written)["chat"] == {"send_with": "ctrl_enter"}
    assert read_settings(written).chat.send_with == "ctrl_enter"
    with pytest.raises(Invalid, match="send_with"):
        read_settings('{"chat": {"send_with": "tab"}}')
