"""What can be found in the palette, and in which order it is shown."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from PySide6.QtGui import QAction, QIcon, QKeySequence
from PySide6.QtWidgets import QMenu, QMenuBar

from chatty_desktop.domain.matching import distance, folded
from chatty_desktop.ui.menus import ENGLISH

MOST = 80
"""Rows that are ever shown: who looks for more types another letter."""

_RECENT_IS_NEARER = 0.5


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing to do or to go to.

    key: the same from start to start. words: what it is called; place: where it belongs, such as
    its menu. keys: its shortcut as it is labelled here, "" without one. english, place_in_english:
    the same in English, by which it is found too. possible: whether it can be done now.
    """

    key: str
    words: str
    place: str
    do: Callable[[], object]
    icon: QIcon
    keys: str = ""
    english: str = ""
    place_in_english: str = ""
    possible: bool = True


@dataclass(frozen=True, slots=True)
class Findable:
    """An entry with the texts it is found by, folded once, each with how much farther than its
    name that is."""

    entry: Entry
    texts: tuple[tuple[str, float], ...]

    @classmethod
    def of(cls, entry: Entry) -> Findable:
        texts = [(entry.words, 0.0), (f"{entry.words} {entry.place}", 1.0)]
        if entry.english and entry.english != entry.words:
            texts.append((entry.english, 0.0))
            texts.append((f"{entry.english} {entry.place_in_english}", 1.0))
        return cls(entry, tuple((folded(text), more) for text, more in texts))

    def distance(self, words: Sequence[str]) -> float | None:
        """How far it is from what was typed, by the nearest of its texts; None: not meant."""
        found = [
            far + more for text, more in self.texts if (far := distance(words, text)) is not None
        ]
        return min(found) if found else None


def ranked(entries: Iterable[Findable], typed: str, recent: Sequence[str]) -> list[Entry]:
    """The entries that are meant, the nearest first; of equals, those used last come first and
    what is not possible now comes last.

    `recent` holds the keys of what was used, the last one first.
    """
    words = folded(typed).split()
    place = {key: at for at, key in enumerate(recent)}
    never = len(recent)
    found = []
    for number, each in enumerate(entries):
        far = each.distance(words)
        if far is None:
            continue
        used = place.get(each.entry.key, never)
        far -= _RECENT_IS_NEARER if used < never else 0
        found.append((far, used, not each.entry.possible, number, each.entry))
    found.sort(key=lambda it: it[:4])
    return [entry for *_rank, entry in found[:MOST]]


def entries_of(bar: QMenuBar) -> list[Entry]:
    """Every action of the menus, in their order."""
    return [_entry(action, place, english) for action, place, english in _actions(bar.actions())]


def _actions(
    actions: Iterable[QAction], place: str = "", english: str = ""
) -> Iterator[tuple[QAction, str, str]]:
    for action in actions:
        menu = action.menu()
        if isinstance(menu, QMenu):
            outer = f"{place} · " if place else ""
            inner = f"{english} {_plain(str(action.property(ENGLISH) or ''))}".strip()
            yield from _actions(menu.actions(), outer + _plain(action.text()), inner)
        elif not action.isSeparator() and action.isVisible():
            yield action, place, english


def _entry(action: QAction, place: str, place_in_english: str) -> Entry:
    english = _plain(str(action.property(ENGLISH) or ""))
    return Entry(
        key=f"action:{english or _plain(action.text())}",
        words=_plain(action.text()),
        place=place,
        do=action.trigger,
        icon=action.icon(),
        keys=", ".join(
            keys.toString(QKeySequence.SequenceFormat.NativeText) for keys in action.shortcuts()
        ),
        english=english,
        place_in_english=place_in_english,
        possible=action.isEnabled(),
    )


def _plain(text: str) -> str:
    return text.replace("&&", "\0").replace("&", "").replace("\0", "&").removesuffix(" …")
