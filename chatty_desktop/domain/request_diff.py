"""What is in a request and was not in the one before it, part by part."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher, unified_diff
from typing import Literal

from chatty_desktop.domain.runs import SentSection

Change = Literal["same", "new", "changed", "gone"]


@dataclass(frozen=True, slots=True)
class ComparedSection:
    """A section, or one of the request before that is gone; `was` is what stood in its place."""

    section: SentSection
    change: Change = "same"
    was: str = ""

    def diff(self) -> str:
        """What changed, line by line: "+" is new, "-" is gone."""
        lines = unified_diff(
            self.was.splitlines(), self.section.content.splitlines(), lineterm="", n=2
        )
        return "\n".join(list(lines)[2:])


def compared(
    before: Sequence[SentSection], now: Sequence[SentSection]
) -> tuple[ComparedSection, ...]:
    """The sections of `now` in their order, those that are gone where they stood. Of an origin that
    has one text in both, such as Σ, the text counts as changed."""
    found: list[ComparedSection] = []
    matcher = SequenceMatcher(None, _keys(before), _keys(now), autojunk=False)
    for _tag, i, i_end, j, j_end in matcher.get_opcodes():
        if _tag == "equal":
            found += [ComparedSection(section) for section in now[j:j_end]]
            continue
        old = {s.origin: s for s in before[i:i_end] if s.role == "system"}
        replaced = {s.origin for s in now[j:j_end] if s.origin in old and s.role == "system"}
        found += [
            ComparedSection(s, "gone")
            for s in before[i:i_end]
            if not (s.role == "system" and s.origin in replaced)
        ]
        for section in now[j:j_end]:
            if section.role == "system" and section.origin in old:
                found.append(ComparedSection(section, "changed", old[section.origin].content))
            else:
                found.append(ComparedSection(section, "new"))
    return tuple(found)


def _keys(sections: Sequence[SentSection]) -> list[tuple[str, str, str]]:
    # A message is the same one whichever layer shows it: the new one is in the window next time.
    return [(s.role, s.origin if s.role == "system" else "", s.content) for s in sections]
