"""The tools that come with the app, a line each."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QWidget

from chatty_desktop.ui.language import N_, tr
from chatty_desktop.ui.pieces import IconLabel, Words
from chatty_desktop.ui.theme import Theme
from chatty_desktop.ui.tokens import M, S
from chatty_desktop.ui.tool_words import tool_icon, tool_title

_LINES = {
    "clock": N_("tells the date and the time"),
    "calculator": N_("works out sums"),
    "search_memory": N_("looks for earlier messages of the chat"),
    "read_state": N_("reads what is remembered of the chat"),
    "read_file": N_("reads a file in the folders given to the agent"),
    "list_files": N_("sees what is in these folders"),
    "search_files": N_("looks for words in the files there"),
    "write_file": N_("makes and replaces files there"),
    "fetch_page": N_("reads a page of the internet as text"),
}


class BuiltIn(QWidget):
    """Nothing to do here: an agent's own form says which of them it may use."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(S)
        grid.setVerticalSpacing(S)
        grid.setColumnStretch(2, 1)
        for row, (name, line) in enumerate(_LINES.items()):
            title = Words(tool_title(name))
            title.setWordWrap(False)
            title.setSizePolicy(title.sizePolicy().Policy.Minimum, title.sizePolicy().Policy.Fixed)
            title.setContentsMargins(0, 0, M, 0)
            top = Qt.AlignmentFlag.AlignTop
            grid.addWidget(IconLabel(theme, tool_icon(name)), row, 0, top)
            grid.addWidget(title, row, 1, top)
            grid.addWidget(Words(tr(line), "muted"), row, 2, top)
