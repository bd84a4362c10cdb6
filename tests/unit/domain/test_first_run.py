"""What a first run decides, as settings."""

from __future__ import annotations

import pytest

from chatty_desktop.domain.first_run import (
    STARTER,
    LocalModel,
    PresentModel,
    ServerModel,
    server_at,
    with_chat_model,
    with_embedder,
    with_server,
)
from chatty_desktop.domain.settings import EmbedderSettings, Settings, checked


@pytest.mark.parametrize(
    ("address", "provider_id", "kind"),
    [
        ("https://api.openai.com/v1", "openai", "openai"),
        ("https://openrouter.ai/api/v1", "openrouter", "openai"),
        ("192.168.1.20:8080", "server", "openai"),
        ("http://localhost:1234/v1", "server", "openai"),
        ("http://[::1]:8080", "server", "openai"),
        (" http://box:11434 ", "ollama", "ollama"),
        ("http://box:port", "server", "openai"),
        ("http://", "server", "openai"),
        ("h", "h", "openai"),
        ("[", "server", "openai"),
    ],
)
def test_an_address_names_its_server(address: str, provider_id: str, kind: str) -> None:
    server = server_at(address)
    assert (server.id, server.kind, server.base_url) == (provider_id, kind, address.strip())


def test_a_server_comes_first_and_its_model_is_the_default() -> None:
    chosen = ServerModel(server_at("http://box:8080/v1"), "big")
    settings, reference = with_chat_model(Settings(), chosen)
    assert reference == settings.default_model == "box/big"
    assert [entry.id for entry in checked(settings).providers] == ["box", "local"]
    assert settings.providers[0].models == ()


def test_a_model_that_is_not_listed_is_written_down_once() -> None:
    chosen = ServerModel(server_at("http://box:8080/v1"), "own", listed=False)
    settings, _reference = with_chat_model(Settings(), chosen)
    again, _reference = with_chat_model(settings, chosen)
    assert again.providers[0].models == ("own",)


def test_the_same_address_is_the_same_server_and_another_gets_another_name() -> None:
    settings, first = with_server(Settings(), server_at("http://10.0.0.1:8080/v1"))
    settings, same = with_server(settings, server_at("10.0.0.1:8080/"))
    settings, other = with_server(settings, server_at("http://10.0.0.2:8080"))
    assert (first, same, other) == ("server", "server", "server2")
    assert [entry.id for entry in checked(settings).providers] == ["local", "server", "server2"]


def test_the_starter_and_the_present_model_change_nothing_else() -> None:
    assert with_chat_model(Settings(), LocalModel(STARTER)) == (Settings(), "local/starter")
    present = PresentModel("local/starter")
    assert with_chat_model(Settings(), present) == (Settings(), "local/starter")


def test_an_embedder_of_a_server_brings_its_provider_along() -> None:
    chosen = ServerModel(server_at("http://box:11434"), "nomic-embed-text")
    settings = checked(with_embedder(Settings(), chosen))
    assert settings.embedder == EmbedderSettings(provider="ollama", model="nomic-embed-text")
    assert [entry.id for entry in settings.providers] == ["local", "ollama"]
    assert with_embedder(Settings(), None).embedder is None
