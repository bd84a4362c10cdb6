"""The guide holds together: its links, its pictures, and what it quotes of the app."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import pytest
from babel.messages.pofile import read_po
from markdown_it import MarkdownIt
from markdown_it.token import Token

from chatty_desktop.domain.strategies import Strategy
from chatty_desktop.paths import Paths, resources_folder
from tests.unit.test_architecture import ROOT

GUIDE = resources_folder() / "guide"
PAGES = sorted(GUIDE.glob("*.md"))
README = ROOT / "README.md"
TEXTS = resources_folder() / "translations" / "de" / "LC_MESSAGES" / "chatty.po"
"""Every text of the code, which a test of its own holds it to."""


def parts(file: Path) -> list[Token]:
    """Everything in the lines of a page: texts, links, pictures."""
    tokens = MarkdownIt("commonmark").enable("table").parse(file.read_text("utf-8"))
    return [part for token in tokens for part in token.children or ()]


def emphasised(file: Path) -> list[str]:
    """What stands in italics on a page."""
    found: list[str] = []
    inside = False
    for part in parts(file):
        if part.type == "em_open":
            inside = True
            found.append("")
        elif part.type == "em_close":
            inside = False
        elif inside:
            found[-1] += " " if part.type == "softbreak" else part.content
    return found


def anchors(file: Path) -> set[str]:
    """The names of the headings, as GitHub gives them and the window does."""
    headings = re.findall(r"^#+ (.+)$", file.read_text("utf-8"), re.M)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("file", [*PAGES, README], ids=lambda file: file.name)
def test_every_link_of_a_page_leads_to_a_page_and_a_heading(file: Path) -> None:
    for part in parts(file):
        target = str(part.attrs.get("href", ""))
        if part.type != "link_open" or target.startswith("http"):
            continue
        name, _hash, heading = target.partition("#")
        page = file.parent / name if name else file
        assert page.is_file(), target
        assert not heading or heading in anchors(page), target


@pytest.mark.parametrize("file", [*PAGES, README], ids=lambda file: file.name)
def test_every_picture_of_a_page_is_there_and_says_what_is_on_it(file: Path) -> None:
    for part in parts(file):
        if part.type == "image":
            assert (file.parent / str(part.attrs["src"])).is_file(), part.attrs["src"]
            assert part.content


def test_no_picture_lies_there_unused() -> None:
    shown = {
        Path(str(part.attrs["src"])).name
        for file in [*PAGES, README]
        for part in parts(file)
        if part.type == "image"
    }
    shown |= {Path(each).name for each in re.findall(r'src="([^"]+)"', README.read_text("utf-8"))}
    for picture in (resources_folder() / "pictures").iterdir():
        assert picture.name.replace("-dark.", "-light.") in shown, picture.name


def test_the_contents_name_every_page() -> None:
    named = {str(part.attrs.get("href")) for part in parts(GUIDE / "index.md")}
    assert {page.name for page in PAGES} - {"index.md"} <= named


def test_every_kind_of_memory_has_its_heading_where_the_editor_looks_for_it() -> None:
    kinds = {each.model_fields["kind"].default for each in get_args(get_args(Strategy)[0])}
    assert len(kinds) == 8
    assert {kind.replace("_", "-") for kind in kinds} <= anchors(GUIDE / "strategies.md")


def test_privacy_names_every_file_of_the_data_folder() -> None:
    text = (GUIDE / "privacy.md").read_text("utf-8")
    named = [name for name, kind in vars(Paths).items() if isinstance(kind, property)]
    assert named
    for name in named:
        assert f"`{getattr(Paths(Path('data')), name).name}`" in text, name


def test_every_message_of_the_troubleshooting_is_one_that_the_app_gives() -> None:
    with TEXTS.open("rb") as file:
        given = "\n".join(str(message.id) for message in read_po(file))
    rows = re.findall(r"^\| `([^`]+)` \|", (GUIDE / "troubleshooting.md").read_text("utf-8"), re.M)
    assert len(rows) > 40
    missing = []
    for row in rows:
        parts = (re.escape(part.strip()) for part in row.split("…"))
        if not re.search(r"[^\n]*?".join(parts), given):
            missing.append(row)
    assert missing == []


@pytest.mark.parametrize("file", [*PAGES, README], ids=lambda file: file.name)
def test_every_way_through_the_menus_and_the_settings_is_there(file: Path) -> None:
    with TEXTS.open("rb") as texts:
        given = {_plain(str(message.id)) for message in read_po(texts)}
    for way in emphasised(file):
        for step in way.split(" › ") if " › " in way else ():
            assert _plain(step) in given, way


def _plain(text: str) -> str:
    """A name as it is written in a sentence."""
    return text.replace("&", "").removesuffix(" …")
