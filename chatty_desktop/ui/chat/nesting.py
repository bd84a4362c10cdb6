"""Bounds on what stands within what: Qt lays out a table within a table twice, so that the time
doubles with each level, and the parser drops what lies too deep. Beyond the bounds a text is shown
as it was written."""

from __future__ import annotations

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.rules_core import StateCore
from markdown_it.token import Token

MOST_QUOTES = 4
"""Quotes within each other that are drawn with a line beside them."""

DEEPEST = 18
"""Levels of the parser, of which a quote takes one and a list two; it drops what is at 20."""


def add_bounds(parser: MarkdownIt) -> None:
    """Teach a parser to keep what is nested too deep, with its marks."""
    parser.block.ruler.before("table", "too_deep", _too_deep)
    parser.core.ruler.after("inline", "quote_marks", _quote_marks)


def _too_deep(state: StateBlock, start_line: int, end_line: int, silent: bool) -> bool:
    if state.level < DEEPEST:
        return False
    if silent:
        return True
    end = start_line + 1
    # What is indented less is no longer part of it.
    while end < end_line and (state.isEmpty(end) or state.sCount[end] >= state.blkIndent):
        end += 1
    state.line = end
    state.push("paragraph_open", "p", 1).map = [start_line, end]
    token = state.push("inline", "", 0)
    token.content = state.getLines(start_line, end, state.blkIndent, False).strip()
    token.map = [start_line, end]
    token.children = []
    state.push("paragraph_close", "p", -1)
    return True


def _quote_marks(state: StateCore) -> None:
    """Take away the quotes that lie too deep, and write their marks before their paragraphs."""
    kept: list[Token] = []
    depth = 0
    for token in state.tokens:
        if token.type == "blockquote_open":
            depth += 1
            if depth > MOST_QUOTES:
                continue
        elif token.type == "blockquote_close":
            depth -= 1
            if depth >= MOST_QUOTES:
                continue
        elif token.type == "inline" and depth > MOST_QUOTES:
            marks = Token("text", "", 0, content="> " * (depth - MOST_QUOTES))
            token.children = [marks, *(token.children or [])]
        kept.append(token)
    state.tokens = kept
