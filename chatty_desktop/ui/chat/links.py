"""Where a link in a message leads, told to the person, and going there."""

from __future__ import annotations

import re

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices, QTextDocument
from PySide6.QtWidgets import QTextEdit

from chatty_desktop.ui.chat.markdown import is_outside_link
from chatty_desktop.ui.language import tr
from chatty_desktop.ui.questions import confirm
from chatty_desktop.ui.readable import shortened

_ENDS = (
    "com|org|net|gov|edu|info|biz|bank|app|dev|io|eu|de|at|ch|fr|it|es|pt|nl|be|lu|uk|ie|dk|se|no"
    "|fi|cz|sk|hu|ro|gr|ru|ua|tr|cn|jp|kr|tw|br|mx|ar|ca|us|nz|za"
)
_HOST = re.compile(
    rf"(?:https?://|\b(?=www\.))([^\s/?#:]+)|\b((?:[\w-]+\.)+(?:{_ENDS}))\b(?!\.\w)", re.IGNORECASE
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


def follow(view: QTextEdit, url: QUrl) -> None:
    """Open a link of the text that a view shows, outside; one that is not what it looks like only
    once the person has seen its address."""
    if not is_outside_link(url.toString()):
        return
    if not is_disguised(_words(view.document(), url), url):
        QDesktopServices.openUrl(url)
        return
    confirm(
        view,
        tr("Open this address?"),
        tr(
            "The link leads to {address}, which is not what it seems to be.",
            address=shortened(address(url), 600, 1),
        ),
        tr("Open"),
        lambda: QDesktopServices.openUrl(url),
    )


def _words(document: QTextDocument, url: QUrl) -> str:
    """The words of the links that lead there."""
    words = ""
    block = document.begin()
    while block.isValid():
        place = block.begin()
        while not place.atEnd():
            fragment = place.fragment()
            if QUrl(fragment.charFormat().anchorHref()) == url:
                words += fragment.text()
            place += 1
        block = block.next()
    return words
