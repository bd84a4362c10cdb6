"""The catalogues hold every text of the window, whole, and what the app reads is made from them."""

from __future__ import annotations

import string
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import pytest
from babel.messages.catalog import Catalog

ROOT = Path(__file__).parents[2]
FILES = sorted((ROOT / "resources" / "translations").glob("*/LC_MESSAGES/chatty.po"))
AGAIN = "run `make translations`"


def _tool() -> ModuleType:
    spec = spec_from_file_location("translations", ROOT / "packaging" / "translations.py")
    assert spec is not None and spec.loader is not None
    made = module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


TOOL = _tool()


@pytest.fixture(scope="module")
def source() -> Catalog:
    found: Catalog = TOOL.source()
    return found


def _forms(text: str | tuple[str, ...] | list[str]) -> list[str]:
    """The text, or the forms of one that depends on a number; without those not there yet."""
    return [form for form in ([text] if isinstance(text, str) else text) if form]


def _placeholders(text: str) -> set[str]:
    return {name for _text, name, _format, _conversion in string.Formatter().parse(text) if name}


def test_there_are_texts_and_a_german_catalogue(source: Catalog) -> None:
    assert len(source) > 20
    assert "de" in [file.parts[-3] for file in FILES]


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.parts[-3])
def test_every_text_of_the_window_is_in_the_catalogue_and_no_other(
    file: Path, source: Catalog
) -> None:
    there = {entry.id for entry in TOOL.entries(TOOL.read(file))}
    wanted = {entry.id for entry in TOOL.entries(source)}
    assert wanted - there == set(), AGAIN
    assert there - wanted == set(), AGAIN


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.parts[-3])
def test_every_text_is_translated(file: Path) -> None:
    assert TOOL.untranslated(TOOL.read(file)) == []


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.parts[-3])
def test_a_translation_has_the_placeholders_of_its_text(file: Path) -> None:
    wrong = []
    for entry in TOOL.entries(TOOL.read(file)):
        ids = _forms(entry.id)
        wanted = set().union(*map(_placeholders, ids))
        for at, form in enumerate(_forms(entry.string)):
            # "one chat" for the singular may do without the number.
            optional = {"count"} if len(ids) > 1 and at == 0 else set()
            if not wanted - optional <= _placeholders(form) <= wanted:
                wrong.append(form)
    assert wrong == []


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.parts[-3])
def test_blanks_and_ellipses_at_the_ends_are_those_of_the_text(file: Path) -> None:
    """They are put together with other texts there, or promise a question."""

    def ends(text: str) -> tuple[bool, bool, bool]:
        return text.startswith(" "), text.endswith(" "), text.endswith("…")

    wrong = [
        form
        for entry in TOOL.entries(TOOL.read(file))
        for form in _forms(entry.string)
        if ends(form) != ends(_forms(entry.id)[0])
    ]
    assert wrong == []


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.parts[-3])
def test_what_the_app_reads_is_made_from_the_catalogue_as_it_is(file: Path) -> None:
    assert file.with_suffix(".mo").read_bytes() == TOOL.compiled(TOOL.read(file)), AGAIN
