"""Where clients of httpx are made: off the loop, which draws the window."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import httpx
import pytest

from chatty_desktop.domain.errors import Unreachable
from chatty_desktop.providers.discovery import Discovery
from chatty_desktop.providers.pages import WebPages

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
