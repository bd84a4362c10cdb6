"""Text as it is: what looks like markup in it is shown, not drawn.

Qt's labels and tooltips take for HTML whatever looks like it, and load the images it names. What
they show comes from models, servers and files, so here every label is plain, and every tooltip
that is not one of our own sentences goes through `tip`.
"""

from __future__ import annotations

import re
from html import escape

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QWidget

from chatty_desktop.domain.hidden import revealed
from chatty_desktop.ui.readable import shortened

_TIP_CHARS, _TIP_LINES = 1_200, 20
"""How much of a text a tooltip shows: one higher than the screen cannot be read."""

_LONG_WORD = re.compile(r"(\S{60})(?=\S)")
"""A tooltip is as wide as its longest word."""


class Label(QLabel):
    """A label of plain text, with the characters in it that mislead shown."""

    def __init__(self, text: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setTextFormat(Qt.TextFormat.PlainText)
        if text:
            self.setText(text)

    def setText(self, text: str) -> None:
        super().setText(revealed(text))


def tip(text: str) -> str:
    """A text as it is for a tooltip, of a long one the beginning."""
    if not text:
        return ""
    short = _LONG_WORD.sub("\\1\u200b", revealed(shortened(text, _TIP_CHARS, _TIP_LINES)))
    return f"<qt>{escape(short).replace(chr(10), '<br>')}</qt>"
