"""The catalogue that comes with the app, and checksums as people paste them."""

from __future__ import annotations

import json

import pytest

from chatty_desktop.domain.downloads import checked_sha256, read_catalogue
from chatty_desktop.domain.errors import Invalid
from chatty_desktop.paths import resources_folder
from chatty_desktop.providers.download_address import file_address, file_name


def test_the_catalogue_is_sound() -> None:
    models = read_catalogue((resources_folder() / "catalogue.json").read_text("utf-8"))
    assert {model.kind for model in models} == {"chat", "embedding"}
    for field in ("id", "name", "url", "sha256", "size"):
        assert len({getattr(model, field) for model in models}) == len(models), field
    for model in models:
        assert file_address(model.url) == model.url
        assert file_name(model.url) == model.file_name
        assert model.memory > model.size
        assert model.licence in ("Apache-2.0", "MIT")
        assert "/main/" not in model.url, "a file that may change under its checksum"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"url": "http://host/m.gguf"}, "url"),
        ({"sha256": "abc"}, "sha256"),
        ({"size": "big"}, "size"),
        ({"kind": "image"}, "kind"),
        ({"extra": 1}, "extra"),
    ],
)
def test_a_wrong_entry_is_named(change: dict[str, object], words: str) -> None:
    text = (resources_folder() / "catalogue.json").read_text("utf-8")
    entry = json.loads(text)["models"][0] | change
    with pytest.raises(Invalid, match=words):
        read_catalogue(json.dumps({"models": [entry]}))
    with pytest.raises(Invalid):
        read_catalogue("{")


def test_a_checksum_is_taken_in_every_form_it_is_shown_in() -> None:
    plain = "0123456789abcdef" * 4
    assert checked_sha256(f" sha256:{plain.upper()}\n") == plain
    with pytest.raises(Invalid, match="64"):
        checked_sha256(plain[:-1])
