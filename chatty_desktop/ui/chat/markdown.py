"""Messages as the HTML that Qt draws: nothing in a message can load, run or reach a file."""

from __future__ import annotations

import re
from collections.abc import MutableMapping, Sequence
from dataclasses import dataclass
from functools import cache
from html import escape
from itertools import takewhile
from typing import Any, Literal
from urllib.parse import urlsplit

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import OptionsDict

from chatty_desktop.domain.hidden import all_revealed, revealed
from chatty_desktop.ui.chat.formula_rules import add_formulas
from chatty_desktop.ui.chat.highlight import highlight
from chatty_desktop.ui.chat.nesting import add_bounds
from chatty_desktop.ui.chat.task_lists import add_task_lists
from chatty_desktop.ui.tokens import Tokens

_BARE_LINK = re.compile(r"https?://[^\s<>\"'`]+[^\s<>\"'`.,;:!?)\]}*_]")
_FENCE = re.compile(r"^(`{3,}|~{3,})[ \t]*([^\s`]*)[^\n`]*\n(.*?)(?:^\1[ \t]*$|\Z)", re.M | re.S)
_LISTS = ("bullet_list_open", "bullet_list_close", "ordered_list_open", "ordered_list_close")

LIST_INDENT = 26
"""Pixels by which each list is indented."""

CODE_TOP = 34
"""Pixels above the text of a code block: its language and its copy button stand there."""

CODE_SIDE = 12
"""Pixels left of, right of and below it."""


WORD_CHARS = 24
"""Of a single word in a table that is not broken; a longer one is."""

MANY_COLUMNS, MANY_CHARS = 6, 24
"""In a table of so many columns, so many characters stay on a line."""


@dataclass(frozen=True, slots=True)
class Block:
    """A part of the document that is a frame of its own, in document order."""

    kind: Literal["code", "quote", "table", "formula"]
    text: str = ""
    language: str = ""


@dataclass(frozen=True, slots=True)
class Rendered:
    """HTML for `QTextDocument.setHtml`, and the frames it makes."""

    html: str
    blocks: tuple[Block, ...]


def is_outside_link(url: str) -> bool:
    """Whether a link may be opened: http or https with a host, nothing else."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    return parts.scheme.lower() in ("http", "https") and bool(parts.netloc)


def render(text: str, tokens: Tokens) -> Rendered:
    """A model's Markdown. HTML in it is shown as text, images become links."""
    blocks: list[Block] = []
    html = str(_parser().render(text, {"blocks": blocks, "tokens": tokens, "link": []}))
    # What follows the last tag would be drawn as a space of its own.
    return Rendered(html.rstrip(), tuple(blocks))


def render_typed(text: str, tokens: Tokens) -> Rendered:
    """What a person typed: as it stands, but for fenced code and links."""
    blocks: list[Block] = []
    parts: list[str] = []
    end = 0
    for fence in _FENCE.finditer(text):
        parts.append(_typed(text[end : fence.start()]))
        parts.append(_code(fence[3].rstrip("\n"), fence[2], tokens, blocks))
        end = fence.end()
    parts.append(_typed(text[end:]))
    return Rendered("".join(parts), tuple(blocks))


def css(tokens: Tokens, monospace: str) -> str:
    """The default style sheet of a message's document."""
    return f"""
p, li, td, th {{ color: {tokens.text}; line-height: 135%; }}
p {{ margin-top: 0; margin-bottom: 8px; }}
ul, ol {{ margin-top: 0; margin-bottom: 8px; }}
li {{ margin-bottom: 2px; }}
.tasks {{ list-style-type: none; }}
.bullets {{ list-style-type: disc; }}
li ul, li ol {{ margin-bottom: 0; }}
h1 {{ font-size: x-large; }}
h2 {{ font-size: large; }}
h3, h4, h5, h6 {{ font-size: medium; }}
h1, h2, h3, h4, h5, h6 {{ font-weight: 600; margin-top: 10px; margin-bottom: 6px; }}
a {{ color: {tokens.accent}; text-decoration: underline; }}
code {{ font-family: {monospace}; background-color: {tokens.code_background}; }}
.pre {{ font-family: {monospace}; white-space: pre-wrap; line-height: 125%; }}
.typed {{ white-space: pre-wrap; }}
.quote {{ border-left: 3px solid {tokens.control}; padding-left: 12px; }}
.grid td {{ border: 1px solid {tokens.control}; padding: 4px 8px 4px 8px; }}
.grid th {{
    border: 1px solid {tokens.control}; padding: 4px 8px 4px 8px;
    background-color: {tokens.raised}; font-weight: 600;
}}
.whole {{ white-space: nowrap; }}
.formula {{ font-size: large; margin-left: 16px; }}
.beside, .over, .bare, .cell, .limit, .sign, .bracket {{ line-height: 100%; }}
.over {{ border-bottom: 1px solid {tokens.text}; padding: 0 3px 1px 3px; }}
.bare {{ padding: 1px 3px 0 3px; }}
.cell {{ padding: 1px 6px 1px 2px; }}
.limit {{ font-size: small; padding: 0 2px 0 2px; }}
.sign {{ font-size: x-large; padding: 0 2px 0 2px; }}
.lined {{ text-decoration: overline; }}
.underlined {{ text-decoration: underline; }}
"""


def _typed(text: str) -> str:
    text = text.strip("\n")
    return f'<p class="typed">{_linked(text)}</p>' if text.strip() else ""


def _linked(text: str) -> str:
    text = revealed(text)
    parts: list[str] = []
    end = 0
    for link in _BARE_LINK.finditer(text):
        url = escape(link[0])
        parts += [escape(text[end : link.start()]), f'<a href="{url}">{url}</a>']
        end = link.end()
    parts.append(escape(text[end:]))
    return "".join(parts)


def _code(code: str, language: str, tokens: Tokens, blocks: list[Block], lists: int = 0) -> str:
    """A code block; `lists` is in how many lists it stands.

    Qt takes 100 % for the width of the page wherever the table begins, so within lists the text
    keeps off the right border by as much as they are indented.
    """
    blocks.append(Block("code", code, language))
    right = CODE_SIDE + lists * LIST_INDENT
    padding = f"{CODE_TOP}px {right}px {CODE_SIDE}px {CODE_SIDE}px"
    return code_table(code, language, tokens, f'style="padding:{padding}"')


def code_table(code: str, language: str, tokens: Tokens, cell: str) -> str:
    """Code as Qt draws it, as wide as the page; `cell` are the attributes of what it stands in."""
    coloured = highlight(all_revealed(code), language, tokens)
    return (
        '<table width="100%" cellspacing="0" style="margin-top:4px;margin-bottom:12px"><tr>'
        f'<td {cell}><div class="pre">{coloured}</div></td></tr></table>'
    )


def _as_written(token: Token) -> str:
    """A formula that cannot be read: its source, with the marks around it."""
    closing = {"\\(": "\\)", "\\[": "\\]"}.get(token.markup, token.markup)
    return f"<code>{escape(token.markup + token.content + closing)}</code>"


@cache
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False}, renderer_cls=QtHtml)
    add_formulas(parser)
    add_task_lists(parser)
    add_bounds(parser)
    return parser.enable(["table", "strikethrough"])


class QtHtml(RendererHTML):
    """The subset of HTML that QTextDocument understands."""

    def fence(
        self,
        tokens: Sequence[Token],
        idx: int,
        options: OptionsDict,
        env: MutableMapping[str, Any],
    ) -> str:
        token = tokens[idx]
        language = token.info.strip().split(maxsplit=1)[0] if token.info.strip() else ""
        lists = sum(t.nesting for t in tokens[:idx] if t.type in _LISTS)
        code = token.content.rstrip("\n")
        return _code(code, language, env["tokens"], env["blocks"], lists)

    code_block = fence

    def formula(
        self,
        tokens: Sequence[Token],
        idx: int,
        options: OptionsDict,
        env: MutableMapping[str, Any],
    ) -> str:
        # Imported here: no formula, none of this, and the window shows sooner.
        from chatty_desktop.ui.chat import formula

        token = tokens[idx]
        return formula.on_a_line(token.content) or _as_written(token)

    def formula_block(
        self,
        tokens: Sequence[Token],
        idx: int,
        options: OptionsDict,
        env: MutableMapping[str, Any],
    ) -> str:
        from chatty_desktop.ui.chat import formula

        token = tokens[idx]
        drawn = formula.set_off(token.content)
        if drawn is None:
            return f'<p class="typed">{_as_written(token)}</p>'
        env["blocks"].extend([Block("formula")] * drawn.tables)
        return drawn.html

    def text(
        self,
        tokens: Sequence[Token],
        idx: int,
        options: OptionsDict,
        env: MutableMapping[str, Any],
    ) -> str:
        content = tokens[idx].content
        return escape(revealed(content)) if env["link"] else _linked(content)

    def code_inline(
        self,
        tokens: Sequence[Token],
        idx: int,
        options: OptionsDict,
        env: MutableMapping[str, Any],
    ) -> str:
        return f"<code>{escape(all_revealed(tokens[idx].content))}</code>"

    def link_open(
        self,
        tokens: Sequence[Token],
        idx: int,
        options: OptionsDict,
        env: MutableMapping[str, Any],
    ) -> str:
        url = str(tokens[idx].attrs.get("href", ""))
        env["link"].append(is_outside_link(url))
        return f'<a href="{escape(url)}">' if env["link"][-1] else ""

    def link_close(
        self,
        tokens: Sequence[Token],
        idx: int,
        options: OptionsDict,
        env: MutableMapping[str, Any],
    ) -> str:
        return "</a>" if env["link"].pop() else ""

    def image(
        self,
        tokens: Sequence[Token],
        idx: int,
        options: OptionsDict,
        env: MutableMapping[str, Any],
    ) -> str:
        url = str(tokens[idx].attrs.get("src", ""))
        name = escape(revealed(f"[image: {tokens[idx].content or url}]"))
        if env["link"] or not is_outside_link(url):
            return name
        return f'<a href="{escape(url)}">{name}</a>'

    def bullet_list_open(
        self,
        tokens: Sequence[Token],
        idx: int,
        options: OptionsDict,
        env: MutableMapping[str, Any],
    ) -> str:
        # The boxes stand in the place of the bullets.
        kind = "tasks" if tokens[idx].attrs.get("tasks") else "bullets"
        return f'<ul class="{kind}">'

    def blockquote_open(
        self,
        tokens: Sequence[Token],
        idx: int,
        options: OptionsDict,
        env: MutableMapping[str, Any],
    ) -> str:
        env["blocks"].append(Block("quote"))
        return (
            '<table width="100%" cellspacing="0" style="margin-top:4px;margin-bottom:8px">'
            '<tr><td class="quote">'
        )

    def blockquote_close(
        self,
        tokens: Sequence[Token],
        idx: int,
        options: OptionsDict,
        env: MutableMapping[str, Any],
    ) -> str:
        return "</td></tr></table>"

    def table_open(
        self,
        tokens: Sequence[Token],
        idx: int,
        options: OptionsDict,
        env: MutableMapping[str, Any],
    ) -> str:
        env["blocks"].append(Block("table"))
        row = takewhile(lambda token: token.type != "tr_close", tokens[idx:])
        env["columns"] = sum(token.type == "th_open" for token in row)
        return (
            '<table class="grid" cellspacing="0" '
            'style="border-collapse:collapse;margin-top:4px;margin-bottom:12px">'
        )

    def th_open(
        self,
        tokens: Sequence[Token],
        idx: int,
        options: OptionsDict,
        env: MutableMapping[str, Any],
    ) -> str:
        # An inline style would replace the borders of the class.
        align = str(tokens[idx].attrs.get("style", "")).removeprefix("text-align:") or "left"
        content = tokens[idx + 1].content
        # Else Qt breaks single words and numbers anywhere, before the table is scrolled.
        short = len(content) <= (MANY_CHARS if env["columns"] >= MANY_COLUMNS else 0)
        whole = short or (len(content) <= WORD_CHARS and len(content.split()) == 1)
        kind = ' class="whole"' if whole else ""
        return f'<{tokens[idx].tag} align="{escape(align)}"{kind}>'

    td_open = th_open
