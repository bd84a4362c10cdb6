"""What of memory is not the same at two points."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget

from chatty_desktop.domain.history import LayerDifference
from chatty_desktop.ui.language import tr
from chatty_desktop.ui.pieces import Empty, LongWords, caption, clear, emphasise, scrolled
from chatty_desktop.ui.plain import Label
from chatty_desktop.ui.readable import readable
from chatty_desktop.ui.theme import Theme, set_tone
from chatty_desktop.ui.tokens import XL, XS, L, M, S


class DifferenceView(QStackedWidget):
    """Each key, fact and summary that differs, as it was and as it is at the later point."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._empty = Empty(theme, "equals")
        self._empty.say(
            tr("Nothing is different"), tr("Between the two points memory did not change.")
        )
        content = QWidget()
        self._column = QVBoxLayout(content)
        self._column.setContentsMargins(L, M, L, L)
        self._column.setSpacing(L)
        self.addWidget(self._empty)
        self.addWidget(scrolled(content, tr("Differences")))

    def show_differences(self, layers: Sequence[LayerDifference]) -> None:
        """Draw what differs, layer by layer."""
        clear(self._column)
        changed = [layer for layer in layers if layer.changes]
        for layer in changed:
            title = Label(layer.kind.replace("_", " ").capitalize())
            title.setFont(self._theme.heading())
            self._column.addWidget(title)
            for change in layer.changes:
                self._column.addWidget(self._change(change.key, change.before, change.after))
            self._column.addSpacing(XL - L)
        self._column.addStretch(1)
        self.setCurrentIndex(1 if changed else 0)

    def _change(self, key: str, before: Any, after: Any) -> QWidget:
        holder = QWidget()
        column = QVBoxLayout(holder)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(XS)
        if key:
            name = Label(key)
            emphasise(name)
            set_tone(name, "memory")
            column.addWidget(name)
        for words, value, tone in (
            (tr("− before"), before, "muted"),
            (tr("+ after"), after, "text"),
        ):
            if value is None and not (key and words == tr("+ after")):
                continue
            column.addWidget(caption(self._theme, words))
            text = LongWords("muted" if tone == "muted" else "text")
            text.show_text(tr("nothing") if value is None else readable(value))
            text.setContentsMargins(S, 0, 0, 0)
            column.addWidget(text)
        return holder
