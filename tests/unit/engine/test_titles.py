"""Titles that a model gives to new chats."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from chatty_desktop.domain.errors import Unreachable
from chatty_desktop.domain.requests import Delta
from chatty_desktop.engine.models import ModelChooser
from chatty_desktop.engine.titles import Titles
from chatty_desktop.paths import resources_folder
from tests.helpers.desk import Desk
from tests.helpers.scripted import ScriptedModel, ScriptedModels
from tests.helpers.waiting import until


class Naming:
    """A desk whose chats are named; `wanted` is what the settings say."""

    def __init__(self, desk: Desk, models: ScriptedModels) -> None:
        self.desk = desk
        self.wanted = True
        prompt = (resources_folder() / "prompts" / "title.md").read_text("utf-8")
        self.titles = Titles(
            sessions=desk.sessions,
            messages=desk.messages,
            runs=desk.runs,
            models=ModelChooser(models, lambda: desk.settings),
            prompts={"title": prompt},
            running=desk.chat.running,
            wanted=lambda: self.wanted,
            publish=desk.bus.publish,
            quiet_seconds=0.01,
        )
        desk.bus.subscribe(self.titles.heard)

    async def title(self) -> str:
        session = await self.desk.sessions.get(self.desk.session.id)
        assert session is not None
        return session.title

    async def is_titled(self, title: str) -> None:
        while await self.title() != title:  # noqa: ASYNC110  # the test's time limit ends it
            await asyncio.sleep(0.005)

    async def is_logged(self, part: str) -> None:
        while not any(part in line for line in await self.desk.log_lines()):  # noqa: ASYNC110
            await asyncio.sleep(0.005)


@pytest.fixture
async def naming(desk: Desk, models: ScriptedModels) -> AsyncIterator[Naming]:
    await desk.use({"kind": "none"})
    await desk.sessions.rename(desk.session.id, "the first words", by="words")
    made = Naming(desk, models)
    yield made
    await made.titles.close()


async def test_a_chat_gets_a_title_after_its_first_exchange_and_the_log_counts_the_call(
    naming: Naming, model: ScriptedModel
) -> None:
    model.folds.append('<think>what could it be</think>\nTitle: "Night trains"')
    await naming.desk.say("which night trains go to Vienna?")
    await naming.is_titled("Night trains")
    (asked,) = model.fold_requests
    assert asked.temperature == 0.0
    assert asked.messages[-1].content.startswith("Person: which night trains go to Vienna?")
    await naming.is_logged("1 extra call, 11 + 7 tokens")


async def test_it_is_asked_for_once_in_a_chat(naming: Naming, model: ScriptedModel) -> None:
    model.folds.append("Night trains")
    await naming.desk.say("one")
    await naming.is_titled("Night trains")
    await naming.desk.say("two")
    await naming.desk.chat.retry(naming.desk.session.id)
    await naming.desk.chat.wait(naming.desk.session.id)
    await asyncio.sleep(0.1)
    assert len(model.fold_requests) == 1


@pytest.mark.parametrize(
    "answer", ["", "<think>it goes on and on", '"…"', Unreachable("nobody there")]
)
async def test_without_a_title_in_the_answer_the_first_words_stay(
    naming: Naming, model: ScriptedModel, answer: str | Exception
) -> None:
    model.folds.append(answer)
    await naming.desk.say("one")
    await naming.is_logged("title")
    assert await naming.title() == "the first words"


async def test_a_model_that_was_away_is_asked_for_a_title_again_after_the_next_reply(
    naming: Naming, model: ScriptedModel
) -> None:
    model.folds.extend([Unreachable("nobody there"), "Night trains"])
    await naming.desk.say("one")
    await naming.is_logged("No title was made: nobody there")
    await naming.desk.say("two")
    await naming.is_titled("Night trains")


async def test_a_title_that_never_ends_is_left_after_a_while(
    naming: Naming, model: ScriptedModel
) -> None:
    model.folds.append([Delta(reasoning="hm " * 1000) for _ in range(1000)])
    await naming.desk.say("one")
    await naming.is_logged("gave none that can be used")
    assert model.passed_on < 20


async def test_a_title_of_the_persons_own_is_never_overwritten(
    naming: Naming, model: ScriptedModel
) -> None:
    model.fold_gate.clear()
    model.folds.append("Night trains")
    await naming.desk.say("one")
    await until(lambda: model.fold_requests)
    await naming.desk.sessions.rename(naming.desk.session.id, "Mine")
    model.fold_gate.set()
    await naming.is_logged("title")
    assert await naming.title() == "Mine"


async def test_nothing_is_asked_where_the_person_named_the_chat_or_wants_no_titles(
    naming: Naming, model: ScriptedModel
) -> None:
    naming.wanted = False
    await naming.desk.say("one")
    await asyncio.sleep(0.1)
    assert model.fold_requests == []


async def test_a_reply_does_not_wait_for_a_title(naming: Naming, model: ScriptedModel) -> None:
    model.fold_gate.clear()
    await naming.desk.say("one")
    await until(lambda: model.fold_requests)
    await naming.desk.say("two")
    assert len(model.chats) == 2
    # It was given up for the reply, and is asked for again after it.
    model.folds.append("Night trains")
    model.fold_gate.set()
    await naming.is_titled("Night trains")


async def test_closing_gives_up_what_is_being_asked(naming: Naming, model: ScriptedModel) -> None:
    model.fold_gate.clear()
    await naming.desk.say("one")
    await until(lambda: model.fold_requests)
    await naming.titles.close()
    assert await naming.title() == "the first words"


async def test_no_more_than_the_first_line_of_an_answer_is_waited_for(
    naming: Naming, model: ScriptedModel
) -> None:
    model.folds.append("Night trains\n" + "and on " * 50)
    await naming.desk.say("one")
    await naming.is_titled("Night trains")
    assert model.closed == 2
