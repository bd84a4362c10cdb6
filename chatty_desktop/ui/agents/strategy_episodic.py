"""Episodic, in the editor: how many messages come back, how near they must be, and how that is
found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from PySide6.QtWidgets import QWidget

from chatty_desktop.domain.episodes import SeenScores
from chatty_desktop.domain.strategies import Episodic
from chatty_desktop.ui.agents.strategy_form import About, FormParts, StrategyForm
from chatty_desktop.ui.controls import Choice, Cosine, Field, Number
from chatty_desktop.ui.language import N_, tr
from chatty_desktop.ui.pieces import TextButton

ABOUT = About(
    N_("Episodic"),
    N_(
        "For chats that come back to old things: past messages that resemble the new one are"
        " recalled, with date and speaker."
    ),
)
RANKINGS = {
    "vector": N_("By meaning"),
    "hybrid": N_("By meaning and by words"),
}
_RANKING_HINTS = {
    "vector": N_("What means something similar comes back, however it is put."),
    "hybrid": N_(
        "Names, numbers and rare words count too, and so does the message before each."
        " Finds more in most chats."
    ),
}

_COSINE = N_("A cosine: 1 is the same text. Scores differ by embedding model.")


class Form(StrategyForm):
    """The fields of an Episodic strategy."""

    def __init__(self, parts: FormParts, parent: QWidget | None = None) -> None:
        super().__init__(parts, parent)
        theme = parts.theme
        self._top_k = Number(1, 1_000)
        self._threshold = Cosine()
        self._ranking = Choice()
        for ranking, words in RANKINGS.items():
            self._ranking.addItem(tr(words), ranking)
        self._ranking_field = Field(tr("How messages are found"), self._ranking, theme)
        self.suggestion = TextButton("")
        self.suggestion.clicked.connect(self._take_suggestion)
        self.add_field("top_k", Field(tr("Messages recalled at most"), self._top_k, theme))
        self._threshold_field = Field(tr("How near they must be"), self._threshold, theme)
        self.add_field("threshold", self._threshold_field)
        self.column.addWidget(self.suggestion)
        self.add_field("ranking", self._ranking_field)
        self.set({})
        parts.choices.changed.connect(self._suggest)
        self._top_k.valueChanged.connect(self.changed)
        self._threshold.valueChanged.connect(self._changed)
        self._ranking.currentIndexChanged.connect(self._changed)

    def set(self, config: Mapping[str, Any]) -> None:
        defaults = Episodic()
        self._top_k.setValue(config.get("top_k", defaults.top_k))
        self._threshold.setValue(config.get("threshold", defaults.threshold))
        ranking = config.get("ranking", defaults.ranking)
        self._ranking.setCurrentIndex(max(0, self._ranking.findData(ranking)))
        self._draw()

    def value(self) -> dict[str, Any]:
        return {
            "kind": "episodic",
            "top_k": self._top_k.value(),
            "threshold": self._threshold.value(),
            "ranking": self._ranking.currentData(),
        }

    def _changed(self) -> None:
        self._draw()
        self.changed.emit()

    def _draw(self) -> None:
        self._ranking_field.hint(tr(_RANKING_HINTS[self._ranking.currentData()]))
        self._suggest()

    def _suggest(self) -> None:
        """Say which scores are usual here, and offer the threshold known for the embedder, unless
        it is the one that stands."""
        choices = self.parts.choices
        self._threshold_field.hint(f"{tr(_COSINE)} {seen_words(choices.seen)}".strip())
        suggested = choices.suggested_threshold
        there = suggested is not None and abs(suggested - self._threshold.value()) > 0.001
        self.suggestion.setVisible(there)
        if there:
            self.suggestion.setText(
                tr(
                    "Use {value}, which suits {embedder}",
                    value=f"{suggested:g}",
                    embedder=choices.embedder,
                )
            )

    def _take_suggestion(self) -> None:
        suggested = self.parts.choices.suggested_threshold
        if suggested is not None:
            self._threshold.setValue(suggested)


def seen_words(seen: SeenScores) -> str:
    """Which scores the agent's last messages got, as a sentence; "" when there are none yet."""
    parts = []
    if seen.recalled:
        parts.append(tr("what was recalled scored {scores}", scores=_span(seen.recalled)))
    if seen.left_out:
        parts.append(tr("what was not scored {scores}", scores=_span(seen.left_out)))
    return tr("In this agent's chats {what}.", what=", ".join(parts)) if parts else ""


def _span(scores: Sequence[float]) -> str:
    return tr("{least} to {most}", least=f"{min(scores):.2f}", most=f"{max(scores):.2f}")
