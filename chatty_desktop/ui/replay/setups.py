"""Which kinds of memory a chat is replayed under, and with which settings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QLineEdit, QVBoxLayout, QWidget

from chatty_desktop.domain.agents import Agent
from chatty_desktop.domain.replaying import ReplaySetup
from chatty_desktop.domain.strategies import State, Strategy, parse_strategy
from chatty_desktop.ui.controls import Field, GrowingText, ModelChoices, ModelPicker
from chatty_desktop.ui.language import N_, tr
from chatty_desktop.ui.pieces import Words, caption
from chatty_desktop.ui.theme import Theme
from chatty_desktop.ui.tokens import XS, L, M

MOST_OF_A_KIND = 5
"""Settings of one kind of memory side by side: more lines cannot be told apart."""


class Kind(NamedTuple):
    """A kind that can be tried; `setting` is the field of which several values are tried."""

    name: str
    value: Mapping[str, Any]
    setting: str = ""
    setting_name: str = ""
    usual: str = ""


KINDS: Final = (
    Kind(N_("No memory"), {"kind": "none"}),
    Kind(N_("Last messages"), {"kind": "window"}, "max_messages", N_("How many"), "10, 20"),
    Kind(N_("Whole chat"), {"kind": "full_transcript"}),
    Kind(N_("Episodic"), {"kind": "episodic"}, "top_k", N_("How many are recalled"), "6"),
    Kind(N_("Summarized"), {"kind": "summarized"}, "every", N_("Summary every"), "20"),
    Kind(N_("Semantic"), {"kind": "semantic"}),
)


class SetupsForm(QWidget):
    """edited: something was chosen or typed.

    own: whether the agent's own memory is replayed. boxes: whether each of `KINDS` is.
    """

    edited = Signal()

    def __init__(
        self, agent: Agent, choices: ModelChoices, theme: Theme, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._agent = agent
        column = QVBoxLayout(self)
        column.setContentsMargins(L, L, L, L)
        column.setSpacing(M)
        column.addWidget(
            Words(
                tr(
                    "Each turn of the chat is built again as it would be sent with another memory."
                    " Nothing is sent to answer it, and nothing of yours is changed."
                ),
                "muted",
            )
        )
        own = _kind_name(agent.definition.memory_strategy)
        self.own = self._box(tr("As it remembers now ({kind})", kind=own), True)
        column.addWidget(self.own)
        self.boxes: dict[str, QCheckBox] = {}
        self.settings: dict[str, QLineEdit] = {}
        for kind in KINDS:
            name = kind.value["kind"]
            shown = name in ("none", "window", "full_transcript")
            box = self.boxes[name] = self._box(tr(kind.name), shown)
            column.addWidget(box)
            if kind.setting:
                column.addWidget(self._setting(kind, theme))
        if isinstance(agent.definition.memory_strategy, State):
            self.boxes["state"] = self._box(tr("Half the room for Σ"), False)
            column.addWidget(self.boxes["state"])
        self.model = ModelPicker(choices, tr("No model"))
        self.model.setMinimumContentsLength(10)
        self.model.edited.connect(self.edited)
        column.addWidget(
            Field(
                tr("Model that makes memory"),
                self.model,
                theme,
                hint=tr("Asked by Summarized, Semantic and State alone."),
            )
        )
        self.marks = GrowingText(2, 6)
        self.marks.textChanged.connect(self.edited)
        column.addWidget(
            Field(
                tr("Facts to watch"),
                self.marks,
                theme,
                hint=tr("A word or a sentence a line, as it stands in the chat."),
            )
        )
        column.addStretch(1)

    def setups(self) -> list[ReplaySetup]:
        """What is chosen, in order. Raises `Invalid` for settings that cannot be."""
        found: list[ReplaySetup] = []
        own = self._agent.definition.memory_strategy
        if self.own.isChecked():
            found.append(ReplaySetup(_kind_name(own), own))
        for kind in KINDS:
            name = str(kind.value["kind"])
            if not self.boxes[name].isChecked():
                continue
            for value in self._values(kind):
                setting = {kind.setting: value} if kind.setting else {}
                shown = f"{tr(kind.name)} {value}" if kind.setting else tr(kind.name)
                found.append(ReplaySetup(shown, parse_strategy({**kind.value, **setting})))
        if "state" in self.boxes and self.boxes["state"].isChecked() and isinstance(own, State):
            half = own.model_copy(update={"max_chars": max(own.max_chars // 2, 1)})
            found.append(ReplaySetup(tr("Half the room for Σ"), half))
        return found

    def watched(self) -> list[str]:
        """The facts to watch."""
        return [line for line in self.marks.toPlainText().splitlines() if line.strip()]

    def _box(self, text: str, checked: bool) -> QCheckBox:
        box = QCheckBox(text.replace("&", "&&"))
        box.setChecked(checked)
        box.toggled.connect(self.edited)
        return box

    def _setting(self, kind: Kind, theme: Theme) -> QWidget:
        line = self.settings[kind.value["kind"]] = QLineEdit(kind.usual)
        line.setAccessibleName(f"{tr(kind.name)}: {tr(kind.setting_name)}")
        line.setToolTip(tr("Several numbers, parted by commas, are tried side by side."))
        line.textChanged.connect(self.edited)
        holder = QWidget()
        column = QVBoxLayout(holder)
        column.setContentsMargins(L + XS, 0, 0, 0)
        column.setSpacing(2)
        column.addWidget(caption(theme, tr(kind.setting_name)))
        column.addWidget(line)
        box = self.boxes[kind.value["kind"]]
        holder.setVisible(box.isChecked())
        box.toggled.connect(holder.setVisible)
        return holder

    def _values(self, kind: Kind) -> list[int]:
        if not kind.setting:
            return [0]
        line = self.settings[kind.value["kind"]]
        words = line.text().replace(";", ",").split(",")
        numbers = [int(word) for word in words if word.strip().isdigit()]
        return list(dict.fromkeys(numbers))[:MOST_OF_A_KIND] or [int(kind.usual.split(",")[0])]


def _kind_name(strategy: Strategy) -> str:
    return strategy.kind.replace("_", " ").capitalize()
