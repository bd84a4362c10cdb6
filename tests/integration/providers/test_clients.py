"""Clients of httpx: made off the loop, which draws the window, and what they trust."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import httpx
import pytest

from chatty_desktop.domain.errors import Unreachable
from chatty_desktop.providers.discovery import Discovery
from chatty_desktop.providers.pages import WebPages
from tests.helpers.servers import OllamaServer, OpenAIServer
from tests.helpers.servers.http import CERTIFICATE
from tests.integration.providers.conftest import answered, provider_for

NOBODY = "http://127.0.0.1:9"


@pytest.fixture
def makers(monkeypatch: pytest.MonkeyPatch) -> list[threading.Thread]:
    """The threads that clients are made in."""
    made: list[threading.Thread] = []
    make = httpx.AsyncClient.__init__

    def noted(client: httpx.AsyncClient, **options: Any) -> None:
        made.append(threading.current_thread())
        make(client, **options)

    monkeypatch.setattr(httpx.AsyncClient, "__init__", noted)
    return made


async def test_an_ollama_is_looked_for_with_a_client_made_in_a_thread(
    tmp_path: Path, makers: list[threading.Thread]
) -> None:
    assert await Discovery(tmp_path).ollama(NOBODY) is None
    assert len(makers) == 1
    assert threading.current_thread() not in makers


async def test_a_page_is_fetched_with_a_client_made_in_a_thread(
    makers: list[threading.Thread],
) -> None:
    with pytest.raises(Unreachable):
        await WebPages(lambda: True).fetch(f"{NOBODY}/page")
    assert len(makers) == 1
    assert threading.current_thread() not in makers


async def test_an_authority_of_the_persons_own_counts_for_a_server_on_this_computer(
    server: OpenAIServer | OllamaServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    await server.close()
    server.tls = True
    async with server:
        stranger = provider_for(server)
        with pytest.raises(Unreachable, match="certificate is not one that is trusted"):
            await answered(stranger.chat_model("small"))
        monkeypatch.setenv("SSL_CERT_FILE", str(CERTIFICATE))
        known = provider_for(server)
        assert (await answered(known.chat_model("small"))).finish == "stop"
        for provider in (stranger, known):
            await provider.close()


async def test_a_file_of_certificates_that_is_gone_is_told_where_one_is_needed(
    server: OpenAIServer | OllamaServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "gone.pem"))
    plain = provider_for(server)
    assert (await answered(plain.chat_model("small"))).finish == "stop"
    secret = provider_for(server, base_url=server.base_url.replace("http:", "https:"))
    with pytest.raises(Unreachable, match=r"SSL_CERT_FILE names \(.*gone.pem\) cannot be read"):
        await answered(secret.chat_model("small"))
    for provider in (plain, secret):
        await provider.close()
