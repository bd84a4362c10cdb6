"""Every form in which people write a server's address comes down to the same server."""

from __future__ import annotations

import pytest

from chatty_desktop.domain.errors import Invalid
from chatty_desktop.providers.addresses import (
    is_loopback,
    ollama_root,
    openai_roots,
    server_root,
)


@pytest.mark.parametrize(
    "written",
    [
        "http://127.0.0.1:8080",
        "http://127.0.0.1:8080/",
        "127.0.0.1:8080",
        " http://127.0.0.1:8080/v1 ",
        "http://127.0.0.1:8080/v1/",
        "http://127.0.0.1:8080/v1/chat/completions",
        "http://127.0.0.1:8080/v1/models/",
    ],
)
def test_with_and_without_v1_and_slashes_the_same_places_are_tried(written: str) -> None:
    assert openai_roots(written) == ("http://127.0.0.1:8080/v1", "http://127.0.0.1:8080")
    assert server_root(written) == "http://127.0.0.1:8080"


def test_a_path_before_the_version_is_kept() -> None:
    assert openai_roots("https://x.org/api")[0] == "https://x.org/api/v1"
    assert openai_roots("https://x.org/v1beta/openai/")[1] == "https://x.org/v1beta/openai"


@pytest.mark.parametrize(
    "written", ["localhost:11434", "http://localhost:11434/v1/", "http://localhost:11434/api"]
)
def test_ollama_is_found_from_the_address_of_any_of_its_sides(written: str) -> None:
    assert ollama_root(written) == "http://localhost:11434"


@pytest.mark.parametrize("written", ["", "ftp://x", "http://", "http://x:port/"])
def test_what_is_no_address_is_refused_with_an_example(written: str) -> None:
    with pytest.raises(Invalid, match="write http://"):
        openai_roots(written)


def test_only_this_computer_is_loopback() -> None:
    assert is_loopback("http://localhost:1") and is_loopback("http://[::1]:1/v1")
    assert is_loopback("127.0.0.9") and not is_loopback("https://api.openai.com/v1")


@pytest.mark.parametrize("written", ["https://me:secret@x.org/v1", "sk-secret@x.org"])
def test_an_address_with_a_password_in_it_is_refused_without_repeating_it(written: str) -> None:
    with pytest.raises(Invalid, match=r"before the @") as refused:
        openai_roots(written)
    assert "secret" not in str(refused.value)
