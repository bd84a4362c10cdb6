"""Long texts in parts that are drawn one by one."""

from __future__ import annotations

import re

_FENCE_LINE = re.compile(r"^ {0,3}(`{3,}|~{3,})([^`]*)$")


def pieces(text: str, size: int) -> list[str]:
    """A long text cut into parts of at most `size` characters that can be rendered one by one.

    Cut between paragraphs where there are any, else between lines, else anywhere. A fence that
    is open at a cut is closed there and opened again in the next part.
    """
    parts: list[str] = []
    opened = ""
    while len(opened) + len(text) > size:
        end = _cut(text, max(1, size - len(opened)))
        part, text = opened + text[:end], text[end:]
        opened, closing = _open_fence(part)
        parts.append(f"{part.rstrip()}\n{closing}" if closing else part)
    parts.append(opened + text)
    return parts


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
