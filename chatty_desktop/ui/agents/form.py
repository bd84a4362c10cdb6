"""The form of an agent: name, system prompt, model, memory, tools, steps."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QLineEdit, QVBoxLayout, QWidget

from chatty_desktop.ui.agents.strategy_form import FormParts, Problems
from chatty_desktop.ui.agents.strategy_picker import StrategyPicker
from chatty_desktop.ui.agents.tools.section import ToolsSection
from chatty_desktop.ui.controls import Field, GrowingText, ModelChoices, ModelPicker, Number
from chatty_desktop.ui.language import tr
from chatty_desktop.ui.theme import Theme
from chatty_desktop.ui.tokens import L, S

_STRATEGY = "memory_strategy"


class AgentForm(QWidget):
    """Shows an agent's definition as fields, and gives back what they hold.

    changed: the person changed something.
    """

    changed = Signal()

    def __init__(self, theme: Theme, choices: ModelChoices, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._choices = choices
        self.name = QLineEdit()
        self.name.setPlaceholderText(tr("What the agent is called in chats"))
        self.name.setMaxLength(200)
        self.system_prompt = GrowingText(4, 14)
        self.system_prompt.setPlaceholderText(tr("Who the agent is and how it answers"))
        self.model = ModelPicker(choices, tr("Default model"), names_default=True)
        self.strategy = StrategyPicker(FormParts(theme, choices))
        self.approve = QCheckBox(tr("Ask me before what was folded changes memory"))
        self.approve.setToolTip(
            tr(
                "Each change waits in the memory inspector until you accept, change or refuse it."
                " Until then its messages stay in the queue and are still sent."
            )
        )
        self.tools = ToolsSection(theme)
        self.max_steps = Number(1, 1000)
        self.fields = {
            "name": Field(tr("Name"), self.name, theme),
            "system_prompt": Field(tr("System prompt"), self.system_prompt, theme),
            "model": Field(tr("Model"), self.model, theme),
            "max_steps": Field(
                tr("Most steps in one answer"),
                self.max_steps,
                theme,
                tr(
                    "Model calls and tool calls, before an answer that goes round in circles is"
                    " ended."
                ),
            ),
        }
        column = QVBoxLayout(self)
        column.setContentsMargins(L, L, L, L)
        column.setSpacing(L)
        for path in ("name", "system_prompt", "model"):
            column.addWidget(self.fields[path])
        column.addWidget(self.strategy)
        column.addWidget(self.approve)
        column.addSpacing(S)
        column.addWidget(self.tools)
        column.addWidget(self.fields["max_steps"])
        column.addStretch(1)
        choices.changed.connect(self._say_which_models)
        self.strategy.changed.connect(self._offer_approval)
        for signal in (
            self.name.textChanged,
            self.system_prompt.textChanged,
            self.model.edited,
            self.strategy.changed,
            self.approve.toggled,
            self.tools.changed,
            self.max_steps.valueChanged,
        ):
            signal.connect(self.changed)

    def set(self, definition: Mapping[str, Any], *, stored: bool) -> None:
        """Show a definition; `stored`: it is that of an agent that may have chats already."""
        self.name.setText(definition["name"])
        self.system_prompt.setPlainText(definition["system_prompt"])
        self.model.set(definition["model"])
        self.strategy.set(definition[_STRATEGY], stored=stored)
        self.approve.setChecked(definition.get("approve_memory", False))
        self._offer_approval()
        self.tools.set(definition)
        self.max_steps.setValue(definition["max_steps"])
        self.show_problems(())

    def value(self) -> dict[str, Any]:
        """The definition as it stands; it need not be valid."""
        return {
            "name": self.name.text(),
            "system_prompt": self.system_prompt.toPlainText(),
            "model": self.model.value(),
            _STRATEGY: self.strategy.value(),
            **self.tools.value(),
            "max_steps": self.max_steps.value(),
            "approve_memory": self.approve.isChecked(),
        }

    def show_problems(self, problems: Problems) -> list[tuple[str, str]]:
        """Show each problem beside its field. Returns those that no field is for."""
        inner = [
            (path.removeprefix(_STRATEGY).removeprefix("."), reason)
            for path, reason in problems
            if path.split(".")[0] == _STRATEGY
        ]
        said = dict(problems)
        for path, field in self.fields.items():
            field.say(said.get(path, ""))
        left = [(f"{_STRATEGY}.{path}", why) for path, why in self.strategy.show_problems(inner)]
        return left + [
            (path, reason)
            for path, reason in problems
            if path not in self.fields and path.split(".")[0] != _STRATEGY
        ]

    def _offer_approval(self) -> None:
        """Only State folds; a switch that is on is shown wherever it is."""
        strategy = self.strategy.value()
        layers = strategy.get("layers") or [strategy]
        folds = any(layer.get("kind") == "state" for layer in layers)
        self.approve.setVisible(folds or self.approve.isChecked())

    def _say_which_models(self) -> None:
        self.fields["model"].hint("\n".join(self._choices.problems))
