"""The line above a chat: its title, and buttons of the window beside it."""

from __future__ import annotations

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QHBoxLayout, QToolButton, QVBoxLayout, QWidget

from chatty_desktop.domain.titles import UNTITLED
from chatty_desktop.ui.elided import ElidedLabel
from chatty_desktop.ui.language import tr
from chatty_desktop.ui.lines import hairline
from chatty_desktop.ui.pieces import edge_to_edge
from chatty_desktop.ui.theme import Theme
from chatty_desktop.ui.tokens import M, S


class ChatHeader(QWidget):
    """The title on one line, with a hairline below."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._title = ElidedLabel()
        self._title.setFont(theme.heading())
        self._row = QHBoxLayout()
        self._row.setContentsMargins(M, S, M, S)
        self._row.setSpacing(S)
        self._row.addWidget(self._title, 1)
        column = edge_to_edge(QVBoxLayout(self))
        column.addLayout(self._row)
        column.addWidget(hairline())
        self.set_title("")

    @property
    def title(self) -> str:
        """What is on the screen."""
        return self._title.text()

    def set_title(self, title: str) -> None:
        """Show a title; "" is shown as that of a chat without one."""
        self._title.setText(title or tr(UNTITLED))

    def add_button(self, action: QAction, *, left: bool) -> None:
        """Put an action of the window beside the title."""
        button = QToolButton()
        button.setDefaultAction(action)
        button.setProperty("kind", "panel")
        button.setAccessibleName(action.text().replace("&", ""))
        self._row.insertWidget(0 if left else self._row.count(), button)
