"""Where a link in a message leads, as it is told to the person."""

from __future__ import annotations

import re

from PySide6.QtCore import QUrl

_HOST = re.compile(
    r"(?:https?://|\b(?=www\.))([^\s/?#:]+)|\b((?:[\w-]+\.)+(?:com|org|net|gov|edu))\b"
)
"""A host in words: after a scheme, with `www.`, or with one of the ends that are no file's."""


def address(url: QUrl) -> str:
    """An address as it goes over the wire: a host in foreign letters as `xn--…`, so that it
    cannot look like another, and nothing in it invisible."""
    return url.toString(QUrl.ComponentFormattingOption.FullyEncoded)


def on_the_wire(text: str) -> str:
    """The same of an address as it was written; what is none stays."""
    url = QUrl(text)
    return text if text.isascii() or not url.isValid() or not url.host() else address(url)


def is_disguised(words: str, url: QUrl) -> bool:
    """Whether a link looks as if it led elsewhere: its words are an address on another host, its
    host is written in letters that can look like others, or a name stands before the host."""
    host = url.host(QUrl.ComponentFormattingOption.FullyEncoded).lower()
    if "xn--" in host or url.userInfo():
        return True
    return any(
        seen != host and not host.endswith(f".{seen}")
        for seen in (max(found).lower().removeprefix("www.") for found in _HOST.findall(words))
    )
