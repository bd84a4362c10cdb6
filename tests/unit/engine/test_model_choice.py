"""What is thought of a model's server before it is asked."""

from __future__ import annotations

import pytest

from chatty_desktop.domain.settings import Settings
from chatty_desktop.engine.models import ModelChooser
from tests.helpers.scripted import ScriptedModel, ScriptedModels


@pytest.mark.parametrize(("known", "thought"), [(None, True), (True, True), (False, False)])
def test_a_model_that_cannot_be_held_to_a_form_is_not_asked_to(
    known: bool | None, thought: bool
) -> None:
    model = ScriptedModel("lab/vendor/small:8b")
    provider = {
        "id": "lab",
        "kind": "openai",
        "model_options": {"vendor/small:8b": {"json_schema": known}},
    }
    settings = Settings.model_validate({"providers": [provider]})
    chooser = ModelChooser(ScriptedModels(model), lambda: settings)
    assert chooser.constrains(model) is thought


def test_what_a_server_has_refused_once_is_not_asked_of_it_again() -> None:
    model, other = ScriptedModel("lab/small"), ScriptedModel("gone/small")
    chooser = ModelChooser(ScriptedModels(model, other), Settings)
    assert chooser.constrains(model) and chooser.constrains(other)
    chooser.cannot_constrain(model)
    assert not chooser.constrains(model) and chooser.constrains(other)
