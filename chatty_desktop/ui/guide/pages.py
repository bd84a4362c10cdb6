"""The pages of `resources/guide`: read, drawn as HTML with their pictures, and searched."""

from __future__ import annotations

from collections.abc import MutableMapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import PurePosixPath
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token
from markdown_it.utils import OptionsDict
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage

from chatty_desktop.domain.matching import folded
from chatty_desktop.paths import resources_folder
from chatty_desktop.ui.chat.markdown import QtHtml, code_table
from chatty_desktop.ui.tokens import M, Tokens

CONTENTS = "index.md"
"""The page that lists the others, in the order in which they are read and searched."""

WIDEST = 620
"""Pixels of a picture at most; those with fewer are shown at half their size, for sharp screens."""


@dataclass(frozen=True, slots=True)
class Page:
    """A page as it is drawn: its HTML, the pictures in it by their name, its title."""

    html: str
    pictures: dict[str, QImage]
    title: str


def read_page(name: str, tokens: Tokens, ratio: float = 1.0) -> Page:
    """A page of the guide by its file, in a palette, for a screen with so many pixels to a point.
    Raises `OSError`."""
    text = (resources_folder() / "guide" / PurePosixPath(name).name).read_text("utf-8")
    parser = MarkdownIt("commonmark", {"html": False}, renderer_cls=_PageHtml).enable("table")
    pictures: dict[str, QImage] = {}
    env: dict[str, Any] = {
        "tokens": tokens,
        "ratio": ratio,
        "blocks": [],
        "link": [],
        "pictures": pictures,
        "title": name,
    }
    return Page(str(parser.render(text, env)), pictures, env["title"])


def page_with(words: str, here: str, *, backwards: bool = False) -> str | None:
    """The next page after `here`, round at the end, on which words stand as they are; None: none
    has them."""
    names = page_names()
    at = names.index(here) if here in names else 0
    order = [*names[at + 1 :], *names[: at + 1]]
    if backwards:
        order = [*names[:at][::-1], *names[at:][::-1]]
    return next((name for name in order if folded(words) in folded(_plain(name))), None)


def page_names() -> Sequence[str]:
    """Every page, the contents first, then as they are named there."""
    index = (resources_folder() / "guide" / CONTENTS).read_text("utf-8")
    links = [token for each in MarkdownIt().parse(index) for token in each.children or ()]
    named = [str(token.attrs["href"]) for token in links if token.type == "link_open"]
    return [CONTENTS, *dict.fromkeys(name.partition("#")[0] for name in named)]


def anchor_of(heading: str) -> str:
    """The name by which a link reaches a heading; as on GitHub."""
    kept = (c for c in heading.lower() if c.isalnum() or c in " -_")
    return "".join(kept).replace(" ", "-")


def _plain(name: str) -> str:
    """What stands on a page, without its marks."""
    text = (resources_folder() / "guide" / name).read_text("utf-8")
    parser = MarkdownIt("commonmark", {"html": False}).enable("table")
    return "\n".join(
        "".join(part.content or "\n" for part in token.children or [token] if part.type != "image")
        for token in parser.parse(text)
        if token.content
    )


class _PageHtml(QtHtml):
    """As a message, but with anchors at its headings, links between pages, and pictures."""

    def heading_open(
        self,
        tokens: Sequence[Token],
        idx: int,
        options: OptionsDict,
        env: MutableMapping[str, Any],
    ) -> str:
        words = "".join(each.content for each in tokens[idx + 1].children or ())
        if tokens[idx].tag == "h1":
            env["title"] = words
        return f'<{tokens[idx].tag}><a name="{anchor_of(words)}"></a>'

    def paragraph_open(
        self,
        tokens: Sequence[Token],
        idx: int,
        options: OptionsDict,
        env: MutableMapping[str, Any],
    ) -> str:
        # The height of a line is in proportion to what is in it.
        parts = tokens[idx + 1].children or ()
        pictured = any(part.type == "image" for part in parts)
        return '<p style="line-height:100%">' if pictured else "<p>"

    def link_open(
        self,
        tokens: Sequence[Token],
        idx: int,
        options: OptionsDict,
        env: MutableMapping[str, Any],
    ) -> str:
        env["link"].append(True)
        return f'<a href="{escape(str(tokens[idx].attrs["href"]))}">'

    def image(
        self,
        tokens: Sequence[Token],
        idx: int,
        options: OptionsDict,
        env: MutableMapping[str, Any],
    ) -> str:
        name = PurePosixPath(str(tokens[idx].attrs["src"])).name
        folder = resources_folder() / "pictures"
        dark = folder / name.replace("-light.", "-dark.")
        in_dark = env["tokens"].name == "dark" and dark.is_file()
        picture = QImage(str(dark if in_dark else folder / name))
        width = min(picture.width() // 2, WIDEST)
        # Made smaller here: drawn so, letters lose their edges.
        smooth = Qt.TransformationMode.SmoothTransformation
        picture = picture.scaledToWidth(round(width * env["ratio"]), smooth)
        env["pictures"][name] = picture
        height = round(picture.height() / env["ratio"])
        alt = escape(tokens[idx].content)
        return f'<img src="{escape(name)}" alt="{alt}" width="{width}" height="{height}">'

    def fence(
        self,
        tokens: Sequence[Token],
        idx: int,
        options: OptionsDict,
        env: MutableMapping[str, Any],
    ) -> str:
        return code_table(
            tokens[idx].content.rstrip("\n"),
            tokens[idx].info.strip(),
            env["tokens"],
            f'bgcolor="{env["tokens"].code_background}" style="padding:{M}px"',
        )

    code_block = fence
