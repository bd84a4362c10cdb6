"""A rough count of tokens, for budgets and the prompt view; the server's own count stands beside
it wherever there is one."""

from __future__ import annotations

_PER_MESSAGE = 4  # the marks chat templates put around a message


def estimate(text: str) -> int:
    """Estimated tokens of `text` as one message: four characters a token in ASCII text, one and a
    half in any other, as the tokenizers of current models average."""
    length = len(text)
    if text.isascii():
        return length // 4 + _PER_MESSAGE
    other = length - len(text.encode("ascii", "ignore"))
    return (length - other) // 4 + other * 2 // 3 + _PER_MESSAGE
