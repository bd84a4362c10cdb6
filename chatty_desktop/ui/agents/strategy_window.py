"""Window, in the editor."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from PySide6.QtWidgets import QWidget

from chatty_desktop.domain.strategies import Window
from chatty_desktop.ui.agents.strategy_form import About, FormParts, StrategyForm
from chatty_desktop.ui.controls import Field, Number
from chatty_desktop.ui.language import N_, tr, trn


def _short(config: Window) -> str:
    return trn("Sees the last message", "Sees the last {count} messages", config.max_messages)


def _sentence(config: Window) -> str:
    return trn(
        "This agent sees the last message; what is older is forgotten.",
        "This agent sees the last {count} messages; what is older is forgotten.",
        config.max_messages,
    )


ABOUT = About(
    N_("Window"),
    N_(
        "For short tasks that run tools, and light chats: the model sees the last messages, and"
        " forgets what lies further back."
    ),
    _short,
    _sentence,
)


class Form(StrategyForm):
    """How many messages the window holds."""

    def __init__(self, parts: FormParts, parent: QWidget | None = None) -> None:
        super().__init__(parts, parent)
        self._most = Number(1, 100_000)
        self.set({})
        self._most.valueChanged.connect(self.changed)
        self.add_field("max_messages", Field(tr("Messages in the window"), self._most, parts.theme))

    def set(self, config: Mapping[str, Any]) -> None:
        self._most.setValue(config.get("max_messages", Window().max_messages))

    def value(self) -> dict[str, Any]:
        return {"kind": "window", "max_messages": self._most.value()}
