"""Summarized, in the editor: when the summary is renewed, by whom, and how it is asked for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from PySide6.QtWidgets import QWidget

from chatty_desktop.domain.strategies import Summarized
from chatty_desktop.ui.agents.strategy_form import About, FormParts, StrategyForm
from chatty_desktop.ui.controls import Field, GrowingText, ModelPicker, Number
from chatty_desktop.ui.language import N_, tr


def _short(config: Summarized) -> str:
    return tr(
        "Sees a summary, renewed every {every} messages, and the newest as they are",
        every=config.every,
    )


def _sentence(config: Summarized) -> str:
    return tr(
        "This agent goes on from a summary, renewed every {every} messages, and reads what"
        " was said since word for word.",
        every=config.every,
    )


ABOUT = About(
    N_("Summarized"),
    N_(
        "For long advisory chats: a rolling summary of what lies back, and the newest messages word"
        " for word."
    ),
    _short,
    _sentence,
)


class Form(StrategyForm):
    """The fields of a Summarized strategy."""

    def __init__(self, parts: FormParts, parent: QWidget | None = None) -> None:
        super().__init__(parts, parent)
        theme = parts.theme
        self._every = Number(2, 10_000)
        self._model = ModelPicker(parts.choices, tr("Chosen by the settings"))
        self._prompt = GrowingText(2, 10)
        self._prompt.setPlaceholderText(
            tr("Built in: keep wishes, decisions, names, numbers, dates")
        )
        self.add_field(
            "every",
            Field(
                tr("New messages until the summary is renewed"),
                self._every,
                theme,
                tr("Until then they are sent word for word. Each renewal asks the model once."),
            ),
        )
        self.add_field("model", Field(tr("Model that summarizes"), self._model, theme))
        self.add_field(
            "summary_prompt",
            Field(
                tr("How to summarize"),
                self._prompt,
                theme,
                tr(
                    "Your own instruction takes the place of the built-in one. The summary so far"
                    " and the new messages are added to it."
                ),
            ),
        )
        self.set({})
        self._every.valueChanged.connect(self.changed)
        self._model.edited.connect(self.changed)
        self._prompt.textChanged.connect(self.changed)

    def set(self, config: Mapping[str, Any]) -> None:
        self._every.setValue(config.get("every", Summarized().every))
        self._model.set(config.get("model"))
        self._prompt.setPlainText(config.get("summary_prompt") or "")

    def value(self) -> dict[str, Any]:
        return {
            "kind": "summarized",
            "every": self._every.value(),
            "model": self._model.value(),
            "summary_prompt": self._prompt.toPlainText() or None,
        }
