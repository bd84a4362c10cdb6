"""Where a link in a message leads, as it is told to the person."""

from __future__ import annotations

from PySide6.QtCore import QUrl


def address(url: QUrl) -> str:
    """An address as it goes over the wire: a host in foreign letters as `xn--…`, so that it
    cannot look like another, and nothing in it invisible."""
    return url.toString(QUrl.ComponentFormattingOption.FullyEncoded)
