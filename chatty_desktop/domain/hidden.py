"""Characters that are not seen and yet change what is: they are shown by their numbers.

Terminal codes (C0 and C1), and marks that turn the direction of what follows, let a text look like
another one: "Trojan Source", CVE-2021-42574. Marks without an effect on others, such as those of
Hebrew, of Persian and of emoji, stay, unless every letter counts: then whatever is invisible is
shown, also the tag characters in which whole sentences can be hidden.
"""

from __future__ import annotations

import re

TURNING = "\u202a-\u202e\u2066-\u2069"
"""Embeddings, overrides and isolates of direction, for a class of a pattern."""

_CONTROLS = "\x00-\x08\x0b-\x1f\x7f-\x9f"
_SURROGATES = "\ud800-\udfff"

_MISLEADING = re.compile(f"[{_CONTROLS}{TURNING}{_SURROGATES}]")

_JOINER = "(?<![^\x00-\x7f])[\u200c\u200d]|[\u200c\u200d](?![^\x00-\x7f])"
"""A joiner that joins nothing: between letters of other scripts, and emoji, it is at home."""

_INVISIBLE = re.compile(
    f"[{_CONTROLS}{TURNING}{_SURROGATES}"
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b\u200e\u200f\u2028\u2029"
    "\u2060-\u2065\u206a-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb"
    f"\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]|{_JOINER}"
)

_WIDE_SPACE = re.compile(r"[^\S\n]{200,}")


def revealed(text: str) -> str:
    """A text with the characters in it that mislead shown, as `<U+202E>`; line breaks and tabs
    stay, Windows' line breaks become plain ones."""
    return _MISLEADING.sub(_number, _unix(text))


def all_revealed(text: str) -> str:
    """A text of which every letter counts, such as code or what a tool is to run: with all in it
    shown that cannot be seen, also how much space pushes what follows it out of sight."""
    return _WIDE_SPACE.sub(_amount, _INVISIBLE.sub(_number, _unix(text)))


def hides(text: str) -> bool:
    """Whether there is anything in a text that misleads."""
    return _MISLEADING.search(_unix(text)) is not None


def _unix(text: str) -> str:
    return text.replace("\r\n", "\n") if "\r" in text else text


def _amount(found: re.Match[str]) -> str:
    return f" <{len(found[0])} spaces> "


def _number(found: re.Match[str]) -> str:
    return f"<U+{ord(found[0]):04X}>"
