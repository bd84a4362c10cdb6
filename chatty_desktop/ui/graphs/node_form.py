"""The form of one node: its name, its agent, its prompt, and its memory."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLineEdit, QVBoxLayout, QWidget

from chatty_desktop.domain.agents import Agent
from chatty_desktop.domain.graph_prompts import names_for
from chatty_desktop.domain.graphs import Graph, Node
from chatty_desktop.ui.agents.strategy_form import FormParts, about
from chatty_desktop.ui.agents.strategy_picker import StrategyPicker
from chatty_desktop.ui.controls import Choice, Field, GrowingText
from chatty_desktop.ui.language import tr
from chatty_desktop.ui.pieces import TextButton, caption, clear
from chatty_desktop.ui.tokens import XS, L

_OVERRIDE = "memory_override"


class NodeForm(QWidget):
    """Shows a node, and says what the person changes in it.

    renamed: another name was given. changed: the field of `Node`, and its new value.
    """

    renamed = Signal(str)
    changed = Signal(str, object)

    def __init__(self, parts: FormParts, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        theme = parts.theme
        self._filling = False
        self.node: Node | None = None
        self._own: Mapping[str, Any] = {"kind": "none"}
        self.name = QLineEdit()
        self.name.setMaxLength(64)
        self.agent = Choice()
        self.prompt = GrowingText(4, 14)
        self.names = QWidget()
        self._names = QVBoxLayout(self.names)
        self._names.setContentsMargins(0, 0, 0, 0)
        self._names.setSpacing(XS)
        self._names_hint = caption(theme, tr("Put into the prompt:"))
        self.memory = Choice()
        self.memory.addItem("")
        self.memory.addItem(tr("Another memory for this node"))
        self.strategy = StrategyPicker(parts)
        self.fields = {
            "id": Field(tr("Name"), self.name, theme),
            "agent": Field(tr("Agent"), self.agent, theme),
            "prompt": Field(
                tr("Prompt"),
                self.prompt,
                theme,
                tr("Left empty, the texts that lead here are passed on."),
            ),
            _OVERRIDE: Field(tr("Memory of the node"), self.memory, theme),
        }
        column = QVBoxLayout(self)
        column.setContentsMargins(L, L, L, L)
        column.setSpacing(L)
        for path in ("id", "agent", "prompt"):
            column.addWidget(self.fields[path])
        column.addWidget(self._names_hint)
        column.addWidget(self.names)
        column.addWidget(self.fields[_OVERRIDE])
        column.addWidget(self.strategy)
        column.addStretch(1)
        self.name.editingFinished.connect(self._rename)
        self.agent.activated.connect(lambda _at: self._say("agent", self.agent.currentData()))
        self.prompt.textChanged.connect(lambda: self._say("prompt", self.prompt.toPlainText()))
        self.memory.activated.connect(self._choose_memory)
        self.strategy.changed.connect(lambda: self._say(_OVERRIDE, self.strategy.value()))

    def show_node(
        self, graph: Graph, node: Node, agents: Mapping[str, Agent], *, strategy: bool = True
    ) -> None:
        """Fill the form. `agents` by name and by id; without `strategy` the fields of the memory
        stay as they are: they hold what is not finished."""
        self._filling = True
        other = self.node is None or self.node.id != node.id
        before, self.node = self.node, node
        self.name.setText(node.id)
        self._fill_agents(node, agents)
        if self.prompt.toPlainText() != node.prompt:
            self.prompt.setPlainText(node.prompt)
        agent = agents.get(node.agent or "")
        if agent is not None:
            self._own = agent.definition.memory_strategy.model_dump(mode="json")
            word = about(self._own["kind"]).title
            self.memory.setItemText(0, tr("The agent's own ({kind})", kind=word))
        else:
            self._own = {"kind": "none"}
            self.memory.setItemText(0, tr("The agent's own"))
        is_agent = node.kind == "agent"
        override = node.memory_override
        if strategy:
            self.memory.setCurrentIndex(0 if override is None else 1)
            shown = None if override is None else override.model_dump(mode="json")
            if shown is not None and (other or before is None or shown != self.strategy.value()):
                self.strategy.set(shown, stored=False)
            self.strategy.show_problems(())
        for path in ("agent", _OVERRIDE):
            self.fields[path].setVisible(is_agent)
        self.strategy.setVisible(is_agent and self.memory.currentIndex() == 1)
        self.fields["prompt"].setVisible(node.kind != "input")
        self._show_names(names_for(graph, node) if node.kind != "input" else ())
        self._filling = False

    def say(self, problems: Mapping[str, str]) -> None:
        """Show what is wrong beside its field."""
        for path, field in self.fields.items():
            field.say(problems.get(path, ""))

    def say_memory(self, problems: list[tuple[str, str]]) -> None:
        """Show what is wrong with the node's memory, by the paths within it."""
        self.strategy.show_problems(problems)

    def _fill_agents(self, node: Node, agents: Mapping[str, Agent]) -> None:
        self.agent.blockSignals(True)
        self.agent.clear()
        self.agent.addItem(tr("Choose an agent"), None)
        for agent in {agent.id: agent for agent in agents.values()}.values():
            self.agent.addItem(agent.name, agent.name)
        chosen = agents.get(node.agent or "")
        if node.agent and chosen is None:
            self.agent.addItem(node.agent, node.agent)
        name = chosen.name if chosen else node.agent
        self.agent.setCurrentIndex(max(self.agent.findData(name), 0))
        self.agent.blockSignals(False)

    def _show_names(self, names: tuple[str, ...]) -> None:
        clear(self._names)
        self._names_hint.setVisible(bool(names))
        for name in names:
            button = TextButton(f"{{{name}}}".replace("&", "&&"))
            button.clicked.connect(lambda _on=False, name=name: self._insert(name))
            self._names.addWidget(button)

    def _insert(self, name: str) -> None:
        self.prompt.insertPlainText(f"{{{name}}}")
        self.prompt.setFocus()

    def _rename(self) -> None:
        if self.node is not None and self.name.text().strip() != self.node.id:
            self.renamed.emit(self.name.text().strip())

    def _choose_memory(self, at: int) -> None:
        if at == 1:
            begin = self._own if self._own["kind"] != "none" else {"kind": "window"}
            self.strategy.set(begin, stored=False)
        self.strategy.setVisible(at == 1)
        self._say(_OVERRIDE, self.strategy.value() if at == 1 else None)

    def _say(self, field: str, value: object) -> None:
        if not self._filling:
            self.changed.emit(field, value)
