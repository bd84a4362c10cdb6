"""Tells what a model thinks aloud inside its answer apart from the answer."""

from __future__ import annotations

from dataclasses import dataclass

from chatty_desktop.domain.requests import Delta

TAGS = ("think", "thinking")
"""Names of the tags in which models write down what they think."""

_OPENING = tuple(f"<{tag}>" for tag in TAGS)


@dataclass(frozen=True, slots=True)
class _Code:
    """Whether code is open where a text ends: in a fenced block, or after an odd backtick.

    `head` is how the last line begins, `odd` whether its backticks are odd in number.
    """

    fenced: bool = False
    head: str = ""
    odd: bool = False

    @property
    def open(self) -> bool:
        return self.fenced or self.odd

    def after(self, text: str) -> _Code:
        first, *lines = text.split("\n")
        fenced, odd = self.fenced, self.odd ^ (first.count("`") % 2 == 1)
        head = (self.head + first).lstrip()[:3]
        for line in lines:
            fenced ^= head == "```"
            head, odd = line.lstrip()[:3], line.count("`") % 2 == 1
        return _Code(fenced, head, odd)


class ReasoningSplitter:
    """Takes an answer piece by piece and sorts `<think>…</think>` out, closed or not.

    A tag may be split over pieces, so an ending that could still become a tag is held back until
    it is decided or `finish` is called. A tag inside code (between backticks, or in a fenced
    block) is what the answer talks about and stays. Space before the answer's first word goes, but
    for one that `goes_on` where another broke off.
    """

    def __init__(self, *, goes_on: bool = False) -> None:
        self._held = ""
        self._closing = ""
        self._at_start = not goes_on
        self._code = _Code()

    def feed(self, piece: str) -> list[Delta]:
        """What is decided once `piece` has come, in order."""
        text, self._held = self._held + piece, ""
        parts: list[Delta] = []
        while text:
            before, tag, text = self._cut(text)
            self._emit(before, parts)
            if tag:
                self._closing = "" if self._closing else f"</{tag[1:]}"
            elif text:
                self._held, text = text, ""
        return parts

    def finish(self) -> list[Delta]:
        """What was held back, at the end of the answer."""
        parts: list[Delta] = []
        self._emit(self._held, parts)
        self._held = ""
        return parts

    def _cut(self, text: str) -> tuple[str, str, str]:
        """(what is decided, the tag after it, the rest); without a tag the rest is undecided."""
        wanted = (self._closing,) if self._closing else _OPENING
        at = text.find("<")
        while at >= 0:
            found = next((tag for tag in wanted if text.startswith(tag, at)), "")
            undecided = any(tag.startswith(text[at:]) for tag in wanted)
            if (found or undecided) and (self._closing or not self._code.after(text[:at]).open):
                return text[:at], found, text[at + len(found) :]
            at = text.find("<", at + 1)
        return text, "", ""

    def _emit(self, text: str, parts: list[Delta]) -> None:
        if self._closing:
            if text:
                parts.append(Delta(reasoning=text))
            return
        if self._at_start:
            text = text.lstrip()
        if text:
            self._at_start = False
            self._code = self._code.after(text)
            parts.append(Delta(text=text))
