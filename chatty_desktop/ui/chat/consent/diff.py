"""The colours of a diff."""

from __future__ import annotations

from PySide6.QtGui import QColor, QSyntaxHighlighter, QTextCharFormat, QTextDocument

from chatty_desktop.ui.theme import Theme
from chatty_desktop.ui.tokens import Tone

_TONES: dict[str, Tone] = {"+": "success", "-": "danger", "@": "muted"}


class DiffColours(QSyntaxHighlighter):
    """Colours each line by its first letter, while it is on."""

    def __init__(self, document: QTextDocument, theme: Theme) -> None:
        super().__init__(document)
        self._theme = theme
        self._on = False
        theme.changed.connect(self.rehighlight)

    def set_on(self, on: bool) -> None:
        """Whether the text is a diff; said before it is put in."""
        self._on = on

    def highlightBlock(self, text: str) -> None:
        tone = _TONES.get(text[:1])
        if self._on and tone:
            form = QTextCharFormat()
            form.setForeground(QColor(self._theme.tokens.colour(tone)))
            self.setFormat(0, len(text), form)
