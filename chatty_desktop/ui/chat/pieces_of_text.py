"""Long texts in parts that are drawn one by one, none of which takes long."""

from __future__ import annotations

import re
from itertools import pairwise

_FENCE_LINE = re.compile(r"^ {0,3}(`{3,}|~{3,})([^`]*)$")
_TABLE_RULE = re.compile(r" {0,3}\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*")

_COSTLY = re.compile(
    r"(?P<run>\b[^\W\u3000-\U0010ffff]{200,})"
    r"|(?P<hidden>[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069])"
    r"|(?P<block>^[ \t>]*(?:```|~~~|\$\$|\\\[)|(?<=\n)\n(?: {4}|\t))"
    r"|(?P<cell>\|)|(?P<entry>&)|(?P<line>[\n\r\u2028\u2029]|[$]|^ {0,3}>)"
    r"|(?P<mark>[*_`\[\]!<~\\{:])"
    r"|(?P<sign>[^\w\s])|(?P<wide>[\u3000-\U0010ffff])",
    re.M,
)
_COSTS = {
    "hidden": 12,
    "block": 160,
    "cell": 40,
    "entry": 20,
    "line": 12,
    "mark": 4,
    "sign": 3,
    "wide": 1,
}
"""What Qt, the parser and the colouring of code take for a character shown by its number, a block
of code or a formula set off, a cell of a table or of a matrix, a line or a formula within one, a
mark of Markdown, another sign and a letter beyond the alphabets: in characters of plain words that
take as long. Measured with texts that consist of nothing else."""

_RUN = 3
"""The same for each letter of a word of hundreds of letters, in which Qt looks for a place to break
at every one."""
_SPACE = re.compile(r"\s*")


class Pieces:
    """A text cut into parts that can be rendered one by one, each when it is asked for.

    A part weighs at most `size`: its characters, and what drawing its lines, marks and cells adds.
    Cut between paragraphs where there are any, else between lines, else anywhere. With `fences`, a
    fence that is open at a cut is closed there and opened again in the next part; with `tables`, a
    table has its head there once more. A whole part of nothing but space is left out.
    """

    def __init__(self, text: str, size: int, *, fences: bool = True, tables: bool = True) -> None:
        self._text = text
        self._size = size
        self._fences = fences
        self._tables = tables
        self._at = 0
        # What the next part begins with, so that it is read as the end of the last one was.
        self._opened = ""

    @property
    def left(self) -> int:
        """Characters not taken yet."""
        return len(self._text) - self._at

    def take(self) -> str:
        """The next part; "" when nothing is left."""
        if self._text[self._at : self._at + self._size].isspace():
            # Nothing of it would be seen, and a table ends there.
            self._at = self._next_words()
            if not _FENCE_LINE.match(self._opened.rstrip("\n")):
                self._opened = ""
        window = self._text[self._at : self._at + self._size - len(self._opened)]
        end = _fitting(window, self._size - _weight(self._opened))
        if end == self.left:
            self._at += end
            return self._opened + window if end else ""
        end = _cut(window, end)
        self._at += end
        part = self._opened + window[:end]
        fence, marks = _open_fence(part) if self._fences else ("", "")
        if marks:
            self._opened = fence
            return f"{part.rstrip()}\n{marks}"
        self._opened = self._open_table(part) if self._tables else ""
        return part

    def _open_table(self, part: str) -> str:
        """The head of the table that goes on after a part, or ""; when the head leaves little room,
        the rest is no table."""
        following = self._text[self._at : self._at + 1]
        if not part.endswith("\n") or following.isspace():
            return ""
        head = _head_of_table(part)
        return head if _weight(head) <= self._size // 4 else ""

    def _next_words(self) -> int:
        """Where the line begins in which there is something again, or the end."""
        found = _SPACE.match(self._text, self._at)
        end = found.end() if found else self._at
        if end == len(self._text):
            return end
        return max(self._at, self._text.rfind("\n", self._at, end) + 1, end - self._size // 2)


def _weight(text: str) -> int:
    return len(text) + sum(map(_cost, _COSTLY.finditer(text)))


def _cost(found: re.Match[str]) -> int:
    kind = found.lastgroup or ""
    return _RUN * len(found[0]) if kind == "run" else _COSTS[kind]


def _fitting(text: str, room: int) -> int:
    """How many characters from the beginning weigh no more than that; one at least, if any."""
    added = 0
    for found in _COSTLY.finditer(text):
        cost = _cost(found)
        if found.end() + added + cost > room:
            if found.lastgroup == "run":
                return max(1, found.start() + (room - added - found.start()) // (1 + _RUN))
            return max(1, min(found.end() - 1, room - added))
        added += cost
    return min(len(text), max(1, room - added))


def _cut(text: str, size: int) -> int:
    """Where to cut: after the last good place in the second half of the first `size`."""
    for mark in ("\n\n", "\n", " "):
        at = text.rfind(mark, size // 2, size)
        if at > 0:
            return at + len(mark)
    return size


def _open_fence(text: str) -> tuple[str, str]:
    """The opening line and the marks of the fence that is open at the end, or two ""."""
    opened = marks = ""
    for line in text.splitlines():
        fence = _FENCE_LINE.match(line)
        if fence is None:
            continue
        if not marks:
            opened, marks = f"{line[:80]}\n", fence[1]
        elif fence[1].startswith(marks) and not fence[2].strip():
            opened = marks = ""
    return opened, marks


def _head_of_table(text: str) -> str:
    """The two lines that begin the table in which a text ends, none of its fences open; or ""."""
    lines: list[str] = []
    for line in reversed(text.splitlines()):
        if not line.strip() or _FENCE_LINE.match(line):
            break
        lines.append(line)
    lines.reverse()
    for head, rule in pairwise(lines):
        if "|" in head and "|" in rule and _TABLE_RULE.fullmatch(rule):
            return f"{head}\n{rule}\n"
    return ""
