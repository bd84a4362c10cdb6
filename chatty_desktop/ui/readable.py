"""JSON values, amounts and times as people read them."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterable, Mapping
from typing import Any

from PySide6.QtCore import QDate, QLocale, QTime

from chatty_desktop.ui.language import tr

_NEAR = 120
"""Characters; a word that begins further on would be cut off where the beginning is shown."""

_BEFORE = 60
"""Characters before a word that say what it is about."""

_DEEPEST = 6
"""Levels of nesting drawn as lines; what lies deeper is shown as JSON."""


def size(count: int) -> str:
    """A number of bytes: "491 MB", "2.5 GB"."""
    return QLocale().formattedDataSize(
        count, 1 if count >= 1_000_000_000 else 0, QLocale.DataSizeFormat.DataSizeSIFormat
    )


def readable(value: Any) -> str:
    """A value of Σ as plain lines: strings as they are, lists as bullets, objects as
    `key: value`, what is nested two spaces further in."""
    return "\n".join(_lines(value, 0))


def readable_patch(patch: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Each key of a patch with its new value in plain lines, or the word that it is forgotten."""
    return [
        (key, tr("forgotten") if value is None else readable(value)) for key, value in patch.items()
    ]


def readable_drop(change: Mapping[str, Any]) -> tuple[str, str, str]:
    """(key, value, reason) of a change that was left out of a patch."""
    value = tr("forget") if change.get("forget") else readable(change.get("value"))
    return str(change.get("key", "")), value, str(change.get("reason", ""))


def when(at: float, now: float) -> str:
    """A moment, in seconds since 1970 UTC, as local time; with the day when it is not today."""
    moment, today = (dt.datetime.fromtimestamp(t, dt.UTC).astimezone() for t in (at, now))
    clock = QLocale().toString(QTime(moment.hour, moment.minute), QLocale.FormatType.ShortFormat)
    if moment.date() == today.date():
        return clock
    # "d" with the month before or after it, with or without a full stop: as the language has it.
    form = tr("d MMM") if moment.year == today.year else tr("d MMM yyyy")
    day = QLocale().toString(QDate(moment.year, moment.month, moment.day), form)
    return f"{day}, {clock}"


def shortened(text: str, characters: int, lines: int) -> str:
    """The beginning of a text, with an ellipsis where something was cut off."""
    parts = text.split("\n", lines)
    kept = "\n".join(parts[:lines])
    cut = len(parts) > lines or len(kept) > characters
    return kept[:characters].rstrip() + " …" if cut else kept


def around(text: str, words: Iterable[str]) -> str:
    """A text from its beginning, or from a little before the first of the folded `words` where
    none stands near the beginning."""
    folded = text.casefold()
    places = [place for word in words if (place := folded.find(word)) >= 0]
    first = min(places, default=0)
    if first < _NEAR:
        return text
    begin = text.rfind(" ", first - _BEFORE, first - _BEFORE // 2)
    return "… " + text[max(begin, first - _BEFORE) :].lstrip()


def _lines(value: Any, depth: int) -> list[str]:
    if isinstance(value, list) and value and depth < _DEEPEST:
        return [line for item in value for line in _bullet(item, depth)]
    if isinstance(value, Mapping) and value and depth < _DEEPEST:
        return [line for key, item in value.items() for line in _entry(str(key), item, depth)]
    return _scalar(value).split("\n")


def _bullet(item: Any, depth: int) -> list[str]:
    first, *rest = _lines(item, depth + 1)
    return [f"• {first}", *(f"  {line}" for line in rest)]


def _entry(key: str, item: Any, depth: int) -> list[str]:
    lines = _lines(item, depth + 1)
    if len(lines) == 1 and not isinstance(item, list):
        return [f"{key}: {lines[0]}"]
    return [f"{key}:", *(f"  {line}" for line in lines)]


def _scalar(value: Any) -> str:
    if isinstance(value, str):
        return value
    if value is None:
        return tr("nothing")
    if isinstance(value, bool):
        return tr("yes") if value else tr("no")
    if value in ([], {}):
        return tr("none")
    return json.dumps(value, ensure_ascii=False)
