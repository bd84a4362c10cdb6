"""The form of Episodic in the editor."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QComboBox, QDoubleSpinBox, QSpinBox

from chatty_desktop.domain.episodes import SeenScores
from chatty_desktop.domain.settings import EmbedderSettings
from chatty_desktop.domain.strategies import parse_strategy
from chatty_desktop.ui.agents.strategy_episodic import Form
from chatty_desktop.ui.agents.strategy_form import FormParts
from chatty_desktop.ui.controls import ModelChoices
from chatty_desktop.ui.theme import Theme
from tests.helpers.scripted import ScriptedModel, ScriptedModels
from tests.ui.panels import says


@pytest.fixture
def choices() -> ModelChoices:
    return ModelChoices(ScriptedModels(ScriptedModel()))


@pytest.fixture
def form(theme: Theme, choices: ModelChoices) -> Form:
    return Form(FormParts(theme, choices))


def test_it_begins_with_the_defaults_and_gives_back_what_it_was_given(form: Form) -> None:
    assert form.value() == {
        "kind": "episodic",
        "top_k": 6,
        "threshold": 0.3,
        "ranking": "vector",
    }
    given = {"kind": "episodic", "top_k": 9, "threshold": -0.25, "ranking": "hybrid"}
    form.set(given)
    assert form.value() == given
    parse_strategy(form.value())


def test_what_a_person_changes_is_told_and_the_ranking_is_explained(form: Form) -> None:
    told: list[bool] = []
    form.changed.connect(lambda: told.append(True))
    form.findChildren(QSpinBox)[0].setValue(3)
    form.findChildren(QDoubleSpinBox)[0].setValue(0.5)
    assert says(form, "however it is put")
    ranking = form.findChildren(QComboBox)[0]
    ranking.setCurrentIndex(ranking.findData("hybrid"))
    assert says(form, "rare words count too")
    assert len(told) == 3
    assert form.value()["ranking"] == "hybrid"


async def test_the_threshold_known_for_the_embedder_is_offered_and_taken(
    form: Form, choices: ModelChoices
) -> None:
    assert not form.suggestion.isVisibleTo(form)
    await choices.load(None, EmbedderSettings(provider="local", model="builtin"))
    assert form.suggestion.isVisibleTo(form)
    assert "which suits local/builtin" in form.suggestion.text()
    assert not says(form, "In this agent's chats")
    form.suggestion.click()
    assert form.value()["threshold"] == choices.suggested_threshold
    assert not form.suggestion.isVisibleTo(form)
    seen = SeenScores(recalled=(0.91, 0.85), left_out=(0.8, 0.712))
    await choices.load(None, EmbedderSettings(provider="lab", model="something-new"), seen)
    assert says(form, "what was recalled scored 0.85 to 0.91, what was not scored 0.71 to 0.80.")
    form.set({})
    assert not form.suggestion.isVisibleTo(form)
