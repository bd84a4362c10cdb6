"""Text that no file, database or request takes, mended.

JSON may write a character as two halves (a surrogate pair), and programs that cut texts cut between
them; names of files may hold bytes that are no text at all. Python keeps such halves in a `str`
until something has to write it, which then fails far from where it came in.
"""

from __future__ import annotations

UNREADABLE = "\ufffd"
"""What stands for what cannot be read."""


def whole_text(text: str) -> str:
    """The text with halves that belong together joined, and lone ones `UNREADABLE`."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def ends_in_half(text: str) -> bool:
    """Whether the other half of the last character may still come."""
    return text[-1:] >= "\ud800" and text[-1:] <= "\udbff"
