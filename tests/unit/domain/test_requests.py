"""What a request carries of the options that a person set for a model."""

from __future__ import annotations

from chatty_desktop.domain.requests import SAMPLING, ChatMessage, ChatRequest
from chatty_desktop.domain.settings import ModelOptions

ASKED = (ChatMessage("user", "Hello?"),)
OPTIONS = ModelOptions(temperature=0.7, top_k=40, seed=3, max_tokens=200, context_length=4096)


def test_a_chat_is_asked_with_what_is_set_for_the_model_and_nothing_else() -> None:
    request = ChatRequest(ASKED, chat=True).as_set(OPTIONS)
    assert request.sampling() == {"temperature": 0.7, "top_k": 40, "seed": 3, "max_tokens": 200}


def test_a_question_of_memory_keeps_its_own_temperature_and_limit() -> None:
    request = ChatRequest(ASKED, temperature=0.0, max_tokens=512).as_set(OPTIONS)
    assert request.sampling() == {"temperature": 0.0, "max_tokens": 512}


def test_what_a_chat_says_itself_comes_before_what_is_set() -> None:
    request = ChatRequest(ASKED, temperature=0.1, chat=True).as_set(OPTIONS)
    assert request.sampling()["temperature"] == 0.1
    assert request.sampling()["top_k"] == 40


def test_zero_is_set_and_not_left_to_the_server() -> None:
    options = ModelOptions(temperature=0, top_k=0)
    assert ChatRequest(ASKED, chat=True).as_set(options).sampling() == {
        "temperature": 0,
        "top_k": 0,
    }


def test_every_sampling_option_of_the_settings_is_one_of_a_request() -> None:
    others = {"context_length", "tools", "json_schema", "embeds", "vision"}
    assert set(SAMPLING) == ModelOptions.model_fields.keys() - others
