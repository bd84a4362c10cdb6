"""A day in few characters, for the edge of a row."""

from __future__ import annotations

import datetime as dt
import time

from PySide6.QtCore import QDate, QDateTime, QLocale

from chatty_desktop.ui.language import tr


def when(at: float, now: float | None = None) -> str:
    """The time of today, the day of this year, else the date; `at` in seconds since 1970 UTC."""
    moment, today = (
        dt.datetime.fromtimestamp(t, dt.UTC).astimezone()
        for t in (at, time.time() if now is None else now)
    )
    locale = QLocale()
    if moment.date() == today.date():
        return locale.toString(
            QDateTime.fromSecsSinceEpoch(int(at)).time(), QLocale.FormatType.ShortFormat
        )
    day = QDate(moment.year, moment.month, moment.day)
    if moment.year == today.year:
        return locale.toString(day, tr("d MMM"))
    return locale.toString(day, QLocale.FormatType.ShortFormat)
