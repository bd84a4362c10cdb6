"""What is thought of a model's server before it is asked, and whole answers of it."""

from __future__ import annotations

import pytest

from chatty_desktop.domain.requests import ChatMessage, ChatRequest, Delta
from chatty_desktop.domain.settings import Settings
from chatty_desktop.engine.models import ModelChooser, complete
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


@pytest.mark.parametrize("endless", [Delta("word " * 100), Delta(reasoning="hm " * 100)])
async def test_an_answer_far_longer_than_asked_for_ends_for_its_length(endless: Delta) -> None:
    model = ScriptedModel()
    model.answers.append([Delta("First. "), *[endless] * 1000, Delta(finish="stop")])
    request = ChatRequest((ChatMessage("user", "fold"),), max_tokens=50)
    answer = await complete(model, request)
    assert answer.finish == "length"
    assert answer.text.startswith("First. ")
    assert model.passed_on < 10
    assert model.closed == 1


async def test_an_answer_of_no_set_length_is_taken_whole() -> None:
    model = ScriptedModel()
    model.answers.append("word " * 10_000)
    answer = await complete(model, ChatRequest((ChatMessage("user", "speak"),)))
    assert (answer.finish, len(answer.text)) == ("stop", 50_000)
