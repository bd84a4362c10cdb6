"""Amounts, speeds and times as people read them."""

from __future__ import annotations

from chatty_desktop.domain.downloads import Download
from chatty_desktop.ui.language import tr, trn
from chatty_desktop.ui.readable import size


def progress(download: Download) -> str:
    """How far a download is: its share, amount, speed and the time left, as far as known."""
    if download.state == "finished":
        return size(download.total)
    parts = []
    if download.total:
        parts.append(f"{min(100, 100 * download.done // download.total)} %")
        parts.append(tr("{done} of {total}", done=size(download.done), total=size(download.total)))
    elif download.done:
        parts.append(size(download.done))
    if download.state == "running" and download.speed > 0:
        parts.append(tr("{amount} a second", amount=size(int(download.speed))))
        if download.seconds_left is not None:
            parts.append(time_left(download.seconds_left))
    return " · ".join(parts)


def time_left(seconds: float) -> str:
    """A time in words, rounded as far as it can be relied on."""
    if seconds < 60:
        return tr("less than a minute left")
    if seconds < 3600:
        return trn("{count} minute left", "{count} minutes left", round(seconds / 60))
    return trn("{count} hour left", "{count} hours left", round(seconds / 3600))
