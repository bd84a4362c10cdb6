"""Under which heading a chat stands in the list."""

from __future__ import annotations

import datetime as dt

from PySide6.QtCore import QLocale

from chatty_desktop.ui.language import tr


def group(at: float, now: float) -> str:
    """The heading for a moment; both in seconds since 1970 UTC, the days are local ones."""
    day, today = (dt.datetime.fromtimestamp(t, dt.UTC).astimezone().date() for t in (at, now))
    days = (today - day).days
    if days <= 0:
        return tr("Today")
    if days == 1:
        return tr("Yesterday")
    if days < 7:
        return tr("Last 7 days")
    if days < 30:
        return tr("Last 30 days")
    if day.year == today.year:
        return QLocale().standaloneMonthName(day.month)
    return str(day.year)
