"""The two views of an agent's definition, as a form and as JSON, kept in agreement."""

from __future__ import annotations

from typing import Any

from pydantic import ValidationError
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QTabWidget, QWidget

from chatty_desktop.domain.agents import AgentDefinition
from chatty_desktop.domain.strategies import problems
from chatty_desktop.ui.agents.form import AgentForm
from chatty_desktop.ui.agents.json_view import JsonView
from chatty_desktop.ui.controls import ModelChoices
from chatty_desktop.ui.language import tr
from chatty_desktop.ui.pieces import scrolled
from chatty_desktop.ui.theme import Theme
from chatty_desktop.ui.tokens import L

FORM, JSON = 0, 1


class DefinitionViews(QTabWidget):
    """What is written in one view is carried over to the other; JSON that is wrong stays to be
    mended.

    stored: the definition is that of an agent that may have chats already.
    edited: the person changed something in either. told: what is wrong that no field is for, ""
    for nothing.
    """

    edited = Signal()
    told = Signal(str)

    def __init__(self, theme: Theme, choices: ModelChoices, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.form = AgentForm(theme, choices)
        self.json = JsonView(theme)
        self.stored = False
        self._checked = False
        self._filling = False
        self._scrolled = scrolled(self.form)
        self.addTab(self._scrolled, tr("Agent"))
        self.addTab(self.json, "JSON")
        self.form.changed.connect(self._edited)
        self.json.changed.connect(self._edited)
        self.currentChanged.connect(self._turned)

    def begin(self, definition: dict[str, Any], *, stored: bool) -> None:
        """Show the definition of an agent that is `stored`, or that of a new one."""
        self.stored = stored
        self._checked = False
        self._put(definition)

    def take(self, definition: AgentDefinition) -> None:
        """Show a definition that the person wrote elsewhere, as an edit of theirs."""
        self._put(definition.model_dump(mode="json"))
        self._edited()

    def differs(self, clean: dict[str, Any]) -> bool:
        """Whether there is anything in the views that `clean`, a value of the form, has not."""
        if self.currentIndex() == JSON and self.json.edited:
            return True
        return self.form.value() != clean

    def definition(self) -> AgentDefinition | None:
        """What is in the view that is shown, or None with the problems shown."""
        if not (self.currentIndex() == JSON and self.json.edited):
            return self._check_form()
        return self.json.definition() if self.json.check() else None

    def say_name_is_taken(self) -> None:
        """Another agent is called so."""
        self.setCurrentIndex(FORM)
        self.form.show_problems([("name", tr("Another agent has this name; choose another one."))])

    def go_to_tools(self) -> None:
        """Bring the tools into sight, with the keyboard."""
        self.setCurrentIndex(FORM)
        self.form.tools.focus()
        top = self.form.tools.mapTo(self.form, self.form.tools.rect().topLeft()).y()
        self._scrolled.verticalScrollBar().setValue(top - L)

    def let_go(self) -> dict[str, Any]:
        """Take what the form holds as it is, without asking about it any more; the same."""
        clean = self.form.value()
        self.json.show_value(clean)
        self.setCurrentIndex(FORM)
        return clean

    def _check_form(self) -> AgentDefinition | None:
        self._checked = True
        found: list[tuple[str, str]] = []
        definition: AgentDefinition | None = None
        try:
            definition = AgentDefinition.model_validate(self.form.value())
        except ValidationError as error:
            found = problems(error)
        left = self.form.show_problems(found)
        self.told.emit("\n".join(f"{path}: {reason}" if path else reason for path, reason in left))
        return None if found else definition

    def _edited(self) -> None:
        if self._filling:
            return
        self.edited.emit()
        if self._checked and self.currentIndex() == FORM:
            self._check_form()

    def _turned(self, tab: int) -> None:
        if tab == JSON:
            self._filling = True
            self.json.show_value(self.form.value())
            self._filling = False
        elif self.json.edited and not self.json.check():
            # Without signals: turning to JSON afresh would overwrite what is to be mended.
            self.blockSignals(True)
            self.setCurrentIndex(JSON)
            self.blockSignals(False)
        elif self.json.edited:
            self.take(self.json.definition())

    def _put(self, definition: dict[str, Any]) -> None:
        self._filling = True
        self.form.set(definition, stored=self.stored)
        self.json.show_value(self.form.value())
        self._filling = False
