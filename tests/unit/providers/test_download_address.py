"""Addresses of files, as people copy them."""

from __future__ import annotations

import pytest

from chatty_desktop.domain.errors import Invalid
from chatty_desktop.providers.download_address import file_address, file_name

FILE = "https://huggingface.co/maker/Tiny-GGUF/resolve/main/sub/tiny.gguf"


@pytest.mark.parametrize(
    "text",
    [
        FILE,
        f" {FILE}?download=true ",
        "https://huggingface.co/maker/Tiny-GGUF/blob/main/sub/tiny.gguf",
        "huggingface.co/maker/Tiny-GGUF/blob/main/sub/tiny.gguf#L1",
        "https://hf.co/maker/Tiny-GGUF/raw/main/sub/tiny.gguf",
    ],
)
def test_the_page_of_a_file_leads_to_the_file(text: str) -> None:
    assert file_address(text) == FILE


def test_other_addresses_stay_as_they_are() -> None:
    assert (
        file_address("http://10.0.0.1:8000/m.gguf?key=1#x") == "http://10.0.0.1:8000/m.gguf?key=1"
    )


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "not an address"),
        ("tiny model", "not an address"),
        ("ftp://host/m.gguf", "not an address"),
        ("https://host:99999/m.gguf", "not an address"),
        ("https://me:secret@host/m.gguf", "password"),
        ("https://huggingface.co/maker/Tiny-GGUF", "ends in .gguf"),
        ("https://huggingface.co/maker/Tiny-GGUF/tree/main", "ends in .gguf"),
    ],
)
def test_what_is_no_file_says_what_to_give(text: str, words: str) -> None:
    with pytest.raises(Invalid, match=words):
        file_address(text)


@pytest.mark.parametrize(
    ("url", "name"),
    [
        (FILE, "tiny.gguf"),
        ("https://host/a%20b.GGUF?x=y.gguf", "a b.gguf"),
        ("https://host/download", "download.gguf"),
        ("https://host/", "model.gguf"),
        ("https://host/..%2F..%2Fetc%2Fpasswd", "etc-passwd.gguf"),
        ("https://host/con.gguf", "model-con.gguf"),
        ("https://host/" + "x" * 500 + ".gguf", "x" * 180 + ".gguf"),
    ],
)
def test_a_name_is_one_that_every_system_takes(url: str, name: str) -> None:
    assert file_name(url) == name
