"""The readable text of a web page: its words without menus, scripts and decoration."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from chatty_desktop.providers.apart import read_apart, serve

SECONDS = 10.0
"""For reading a page that has come; one that is no trap takes a fraction of one."""

_DROPPED = (
    "script, style, noscript, template, svg, iframe, object, form, nav, button, dialog,"
    " [hidden], [aria-hidden=true], [role=navigation], [role=banner], [role=contentinfo],"
    " [role=dialog], body > header, body > footer"
)
_MAIN = ("main", "[role=main]", "article")
_BLOCKS = frozenset(
    (
        *("address", "article", "aside", "blockquote", "dd", "div", "dl", "dt", "fieldset"),
        *("figcaption", "figure", "footer", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr"),
        *("li", "main", "ol", "p", "section", "summary", "table", "tr", "ul"),
    )
)
_APART = frozenset(("p", "ul", "ol", "table", "h1", "h2", "h3", "h4", "h5", "h6"))
_HEADINGS = {f"h{level}": f"{'#' * level} " for level in range(1, 7)}

ENOUGH = 0.3
"""The part of a page's words that its main part has to have, to be taken for the whole."""


async def page_text(
    content: bytes, kind: str, encoding: str | None, seconds: float = SECONDS
) -> tuple[str, str]:
    """(title, text) of a page; headings, lists and paragraphs on lines of their own. `kind` is its
    media type, `encoding` what the server says of it. Raises as `read_apart` does: tags within tags
    without end cost a parser of HTML the square of their number, and formats many times that."""
    if "html" not in kind:
        return "", _decoded(content, encoding).strip()
    title, text = await read_apart(__name__, content, seconds, encoding=encoding)
    return title, text


def html_text(content: bytes, encoding: str | None) -> tuple[str, str]:
    """(title, text) of a page in HTML, in the process that was made for it."""
    # Late: a start does without it.
    from selectolax.lexbor import LexborHTMLParser

    tree = LexborHTMLParser(_decoded(content, encoding or _declared(content)))
    title = tree.css_first("title")
    name = _tidy(title.text()) if title else ""
    if tree.body is None:
        return name, ""
    for node in tree.css(_DROPPED):
        node.decompose()
    whole = _text_of(tree.body)
    for selector in _MAIN:
        main = tree.css(selector)
        text = "\n\n".join(filter(None, map(_text_of, main)))
        if text and len(text) >= ENOUGH * len(whole):
            return name, text
    return name, whole


def _text_of(node: Any) -> str:
    lines = [line.strip() for line in "".join(_pieces(node)).splitlines()]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()


def _pieces(start: Any) -> Iterator[str]:
    """The text below a node; without recursion, since pages nest as deep as they like."""
    waiting: list[Any] = [start]
    while waiting:
        node = waiting.pop()
        if isinstance(node, str):
            yield node
        elif node.tag == "-text":
            yield re.sub(r"\s+", " ", node.text_content or "")
        elif node.tag == "br":
            yield "\n"
        elif node.tag == "pre":
            yield f"\n{node.text()}\n"
        elif node.tag[0].isalpha():  # no comment, no declaration
            before, after = _around(node.tag)
            yield before
            waiting.append(after)
            waiting.extend(list(node.iter(include_text=True))[::-1])


def _around(tag: str) -> tuple[str, str]:
    """What stands before and after the text of an element."""
    if tag in ("td", "th"):
        return "", " | "
    if tag not in _BLOCKS:
        return "", ""
    gap = "\n\n" if tag in _APART else "\n"
    return gap + _HEADINGS.get(tag, "- " if tag == "li" else ""), gap


def _decoded(content: bytes, encoding: str | None) -> str:
    try:
        return content.decode(encoding or "utf-8", "replace")
    except LookupError:
        return content.decode("utf-8", "replace")


def _declared(content: bytes) -> str | None:
    found = re.search(rb"<meta[^>]+charset\s*=\s*[\"']?([\w-]+)", content[:2048], re.IGNORECASE)
    return found.group(1).decode("ascii") if found else None


def _tidy(text: str) -> str:
    return " ".join(text.split())


if __name__ == "__main__":
    serve(lambda content, about: html_text(content, about["encoding"]))
