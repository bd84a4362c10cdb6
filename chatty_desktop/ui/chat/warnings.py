"""What befell the run of a reply, or the memory of it: quietly, where the reply stands."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from chatty_desktop.domain.events import LogEntry
from chatty_desktop.ui.chat.asked import ShowRecord
from chatty_desktop.ui.language import tr, translated
from chatty_desktop.ui.pieces import IconLabel, TextButton, Words
from chatty_desktop.ui.theme import Theme
from chatty_desktop.ui.tokens import XS, S

MOST = 4
"""Remarks at one reply; there are more in the run log."""

LONGEST = 600
"""Characters of a remark; all of it stands in the run log."""


class Warnings(QWidget):
    """Each remark on a line of its own, and the way to where it is kept with all that belongs to
    it.

    asked: the person wants to see that (a `ShowRecord`). resized: there are more, or fewer.
    """

    asked = Signal(object)
    resized = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._entries: list[LogEntry] = []
        self._lines: list[QWidget] = []
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, XS, 0, 0)
        self._column.setSpacing(XS)

    def show_entries(self, entries: Sequence[LogEntry]) -> bool:
        """Show lines of the run log; whether they are others than before."""
        shown = list(entries)[:MOST]
        if shown == self._entries:
            return False
        self._entries = shown
        for line in self._lines:
            self._column.removeWidget(line)
            line.hide()
            line.deleteLater()
        self._lines = [self._line(entry) for entry in shown]
        for line in self._lines:
            self._column.addWidget(line)
            line.show()
        self.setVisible(bool(shown))
        return True

    def _line(self, entry: LogEntry) -> QWidget:
        line = QWidget()
        row = QHBoxLayout(line)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(S)
        icon = IconLabel(self._theme, "warning", "warning")
        text = translated(entry.text)
        text = text if len(text) <= LONGEST else f"{text[:LONGEST]} …"
        words = Words(text, tone="muted")
        words.setFont(self._theme.small())
        more = TextButton(tr("Details"))
        more.setFont(self._theme.small())
        more.setAccessibleName(tr("Show what is kept of this run"))
        more.clicked.connect(lambda: self.asked.emit(ShowRecord()))
        row.addWidget(icon, 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(words, 1)
        row.addWidget(more, 0, Qt.AlignmentFlag.AlignTop)
        return line
