"""Where in Markdown a formula stands: $…$, $$…$$, \\(…\\) and \\[…\\].

Each rule looks only as far as a formula may be long, and finds where one could end in a list that
is made once: whatever a message holds, it is read in a time that grows with its length.
"""

from __future__ import annotations

import re
from bisect import bisect_left

from markdown_it import MarkdownIt
from markdown_it.ruler import RuleOptionsType
from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline

LONGEST = 2_000
"""Characters of a formula that is read; a longer one is shown as it was written."""

MOST_LINES = 60
"""Lines of a formula that is set off."""

_ENDS = {"$$": "$$", "\\[": "\\]"}
_PRICE = re.compile(r"\d[\d.,]*(?:\s+[^\W\d_]{2,}|\s*[-–]\s*$)")
_DOLLAR_END = re.compile(r"(?<![\s\\$])\$(?![\d$])")
_DOUBLE_END = re.compile(r"(?<!\\)\$\$")
_ROUND_END = re.compile(r"\\\)")
_SQUARE_END = re.compile(r"\\\]")
_SAYS_SOMETHING = re.compile(r"[\\=^_+<>]")


def add_formulas(parser: MarkdownIt) -> None:
    """Teach a parser formulas: tokens `formula` (within a line) and `formula_block`."""
    parser.inline.ruler.before("escape", "formula", _inline)
    ends: RuleOptionsType = {"alt": ["paragraph", "reference", "blockquote", "list"]}
    parser.block.ruler.before("fence", "formula_block", _block, ends)


def _inline(state: StateInline, silent: bool) -> bool:
    source, start = state.src, state.pos
    two = source[start : start + 2]
    if two == "$$":
        opening, ends = 2, _DOUBLE_END
    elif two[:1] == "$":
        opening, ends = 1, _DOLLAR_END
        before = source[start - 1] if start else " "
        if two[1:].isspace() or before.isalnum() or before == "\\":
            return False
    elif two == "\\(":
        opening, ends = 2, _ROUND_END
    elif two == "\\[":
        opening, ends = 2, _SQUARE_END
    else:
        return False
    begin = start + opening
    end = _next_end(state, ends, begin + 1)
    if end is None or end - begin > LONGEST or end + opening > state.posMax:
        return False
    content = source[begin:end]
    if not content.strip() or "`" in content or "\n\n" in content:
        return False
    if opening == 1 and _PRICE.match(content):
        return False
    if two == "\\[" and not _SAYS_SOMETHING.search(content):
        return False
    if not silent:
        token = state.push("formula", "", 0)
        token.content = content.strip()
        token.markup = two if opening == 2 else "$"
    state.pos = end + opening
    return True


def _next_end(state: StateInline, ends: re.Pattern[str], begin: int) -> int | None:
    """Where the next mark that ends a formula stands, from `begin` on."""
    known = state.env.get("formula_ends")
    if known is None or known[0] is not state.src:
        known = state.env["formula_ends"] = (state.src, {})
    places: dict[re.Pattern[str], list[int]] = known[1]
    if ends not in places:
        places[ends] = [match.start() for match in ends.finditer(state.src)]
    found = places[ends]
    at = bisect_left(found, begin)
    return found[at] if at < len(found) else None


def _block(state: StateBlock, start_line: int, end_line: int, silent: bool) -> bool:
    if state.is_code_block(start_line):
        return False
    first = _text(state, start_line)
    opening = first[:2]
    closing = _ENDS.get(opening)
    if closing is None:
        return False
    lines = [first[2:]]
    line = start_line
    room = LONGEST
    while True:
        last = lines[-1].rstrip()
        if last.endswith(closing) and not last.endswith("\\\\]"):
            lines[-1] = last[:-2]
            break
        if closing in last:
            return False  # words follow: a formula within a line
        line += 1
        room -= len(last)
        if line >= end_line or line - start_line > MOST_LINES or room < 0:
            return False
        if state.sCount[line] < state.blkIndent:
            return False
        text = _text(state, line)
        if not text.strip() or (text.startswith(opening) and text.strip() != closing):
            return False
        lines.append(text)
    content = "\n".join(lines).strip()
    if not content or len(content) > LONGEST or closing in content:
        return False
    if silent:
        return True
    state.line = line + 1
    token = state.push("formula_block", "", 0)
    token.block = True
    token.content = content
    token.markup = opening
    token.map = [start_line, state.line]
    return True


def _text(state: StateBlock, line: int) -> str:
    return state.src[state.bMarks[line] + state.tShift[line] : state.eMarks[line]]
