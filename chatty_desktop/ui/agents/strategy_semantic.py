"""Semantic, in the editor: which facts are noted, by whom, and how many are sent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from PySide6.QtWidgets import QWidget

from chatty_desktop.domain.strategies import Semantic
from chatty_desktop.ui.agents.strategy_form import About, FormParts, StrategyForm
from chatty_desktop.ui.controls import Field, GrowingText, ModelPicker, Number
from chatty_desktop.ui.language import N_, tr


def _short(config: Semantic) -> str:
    return tr("Knows the facts noted from this chat, not its words")


def _sentence(config: Semantic) -> str:
    return tr(
        "This agent notes the facts you tell it after each answer and goes on from them, not from"
        " the whole chat. Watch them gather on the right."
    )


ABOUT = About(
    N_("Semantic"),
    N_(
        "For knowledge recalled by what it is about: facts are drawn from each reply and kept in a"
        " list."
    ),
    _short,
    _sentence,
)


class Form(StrategyForm):
    """The fields of a Semantic strategy."""

    def __init__(self, parts: FormParts, parent: QWidget | None = None) -> None:
        super().__init__(parts, parent)
        theme = parts.theme
        self._prompt = GrowingText(2, 10)
        self._prompt.setPlaceholderText(
            tr(
                "Built in: who the user is, what they have, want, like, decided; names, numbers,"
                " dates"
            )
        )
        self._model = ModelPicker(parts.choices, tr("Chosen by the settings"))
        self._max_chars = Number(100, 1_000_000)
        self._max_chars.setSingleStep(500)
        self.add_field(
            "extractor_prompt",
            Field(
                tr("Which facts to note"),
                self._prompt,
                theme,
                tr(
                    "Your own instruction takes the place of the built-in one. The new messages and"
                    " the form of the answer are added to it."
                ),
            ),
        )
        self.add_field(
            "max_chars",
            Field(
                tr("Most characters sent"),
                self._max_chars,
                theme,
                tr("When the facts are longer, the newest are sent. All are kept."),
            ),
        )
        self.add_field(
            "model",
            Field(
                tr("Model that notes facts"),
                self._model,
                theme,
                tr("It is asked once after each reply. A small, quick one will do."),
            ),
        )
        self.set({})
        self._prompt.textChanged.connect(self.changed)
        self._max_chars.valueChanged.connect(self.changed)
        self._model.edited.connect(self.changed)

    def set(self, config: Mapping[str, Any]) -> None:
        self._prompt.setPlainText(config.get("extractor_prompt") or "")
        self._max_chars.setValue(config.get("max_chars", Semantic().max_chars))
        self._model.set(config.get("model"))

    def value(self) -> dict[str, Any]:
        return {
            "kind": "semantic",
            "extractor_prompt": self._prompt.toPlainText() or None,
            "model": self._model.value(),
            "max_chars": self._max_chars.value(),
        }
