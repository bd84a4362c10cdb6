"""An agent as JSON, to read and to edit."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QPlainTextEdit, QVBoxLayout, QWidget

from chatty_desktop.domain.agents import AgentDefinition, read_agent
from chatty_desktop.domain.errors import Invalid
from chatty_desktop.ui.language import tr
from chatty_desktop.ui.pieces import Problem, TextButton
from chatty_desktop.ui.theme import Theme
from chatty_desktop.ui.throttle import Throttle
from chatty_desktop.ui.tokens import L, S

CHECK_MS = 300


class JsonView(QWidget):
    """The text of an agent file, checked while it is typed.

    changed: the person edited the text.
    """

    changed = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._shown = ""
        self.text = QPlainTextEdit()
        self.text.setFont(theme.monospace())
        self.text.setAccessibleName(tr("Agent as JSON"))
        self.text.setLineWrapMode(QPlainTextEdit.LineWrapMode.WidgetWidth)
        self.text.setTabChangesFocus(True)
        self.problem = Problem(theme, "danger", "warning-circle")
        self._discard = TextButton(tr("Discard what was edited here"))
        self._discard.clicked.connect(self.discard)
        self._check = Throttle(CHECK_MS, self._check_quietly, self)
        below = QHBoxLayout()
        below.setSpacing(S)
        below.addWidget(self._discard)
        below.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(L, L, L, L)
        column.setSpacing(S)
        column.addWidget(self.text, 1)
        column.addWidget(self.problem)
        column.addLayout(below)
        self.text.textChanged.connect(self._typed)
        self._discard.hide()

    @property
    def edited(self) -> bool:
        """Whether the text is not what was shown last."""
        return self.text.toPlainText() != self._shown

    def show_value(self, definition: Mapping[str, Any]) -> None:
        """Show a definition as it stands in the form, valid or not."""
        # As in an agent's file, where these stand only with something in them.
        spare = [
            name
            for name in ("tool_policies", "folders", "approve_memory")
            if not definition.get(name)
        ]
        value = {name: each for name, each in definition.items() if name not in spare}
        self._shown = json.dumps(value, indent=2, ensure_ascii=False)
        self.text.setPlainText(self._shown)
        self._check.drop()
        self.problem.say("")

    def discard(self) -> None:
        """Go back to what was shown last."""
        self.text.setPlainText(self._shown)
        self._check.drop()
        self.problem.say("")

    def definition(self) -> AgentDefinition:
        """The agent that the text describes. Raises `Invalid`."""
        return read_agent(self.text.toPlainText())

    def check(self) -> bool:
        """Say what is wrong with the text, if anything is. Whether it is right."""
        try:
            self.definition()
        except Invalid as error:
            self.problem.say(str(error))
            return False
        self.problem.say("")
        return True

    def _check_quietly(self) -> None:
        self.check()

    def _typed(self) -> None:
        self._discard.setVisible(self.edited)
        if self.edited:
            self._check.request()
        self.changed.emit()
