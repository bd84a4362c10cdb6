"""The page of models: which are there, which one answers, how each is asked, what it can do."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget

from chatty_desktop.domain.settings import ModelOptions, Settings, read_settings
from chatty_desktop.ui.settings.models.rows import Heading, ModelRow
from chatty_desktop.ui.settings.page_models import SettingsPage
from tests.helpers.gguf import CHAT, write_model
from tests.helpers.servers import Answer, Call, OllamaServer, OpenAIServer, Received
from tests.helpers.servers.http import Reply
from tests.ui.opened import Opened
from tests.ui.panels import button, says, until

WEATHER = Call("get_weather", '{"city": "Paris"}')
MARK = '{"mark": "violet"}'


async def page_of(opened: Opened) -> SettingsPage:
    """The page, in front, once every provider has answered or failed."""
    page = opened.window.others.open_settings("models").page("models")
    assert isinstance(page, SettingsPage)
    await answered(page)
    return page


async def answered(page: SettingsPage) -> None:
    await until(lambda: not page.offers.asking, "every provider has answered")


def models(page: SettingsPage) -> list[ModelRow]:
    return page.rows.models()


def marks(page: SettingsPage) -> str:
    """What is said of the model "small"."""
    return row(page, "lab/small").marks()


def row(page: SettingsPage, reference: str) -> ModelRow:
    found = [row for row in models(page) if row.reference == reference]
    assert len(found) == 1, f"{reference}: {len(found)} rows"
    return found[0]


async def choose(page: SettingsPage, reference: str) -> None:
    """Choose a model in the list."""
    await until(lambda: page.rows.index_of(reference).isValid(), f"{reference} is in the list")
    page.list.setCurrentIndex(page.rows.index_of(reference))


def write(page: SettingsPage, option: str, text: str) -> None:
    """Write a number into the field of an option and leave it."""
    line = page.form.fields[option].line
    line.setFocus()
    line.selectAll()
    if text:
        QTest.keyClicks(line, text)
    else:
        QTest.keyClick(line, Qt.Key.Key_Delete)
    QTest.keyClick(line, Qt.Key.Key_Return)


def saved(data_dir: Path) -> Settings:
    """What settings.json says."""
    return read_settings((data_dir / "settings.json").read_text("utf-8"))


def options(settings: Settings, model: str = "small", provider: str = "lab") -> ModelOptions:
    found = settings.provider(provider)
    assert found is not None
    return found.options_of(model)


async def add_provider(opened: Opened, **entry: Any) -> None:
    """One more provider, as its own page would add it."""

    def change(settings: Settings) -> Settings:
        dumped = settings.model_dump()
        dumped["providers"] = [*dumped["providers"], entry]
        return Settings.model_validate(dumped)

    await opened.app.settings.change(change)


# --- what is there ---------------------------------------------------------------------------


async def test_models_stand_under_their_provider_with_what_is_known(
    open_window: Opened, server: OpenAIServer
) -> None:
    server.models = ("small", "vendor/large:8b")
    server.card = {"meta": {"n_params": 494_032_768, "size": 485_000_000, "n_ctx": 4096}}
    page = await page_of(open_window)
    assert page.rows.row(page.rows.index(0)) == Heading("lab")
    await until(lambda: len(models(page)) == 2)
    small = row(page, "lab/small")
    assert small.default and small.by_hand and small.there
    assert "0.5B" in small.marks() and "485 MB" in small.marks()
    assert row(page, "lab/vendor/large:8b").card.context_length == 4096


async def test_the_default_model_is_chosen_first_and_its_form_is_open(open_window: Opened) -> None:
    page = await page_of(open_window)
    assert page.form.isVisible()
    assert says(page.form, "lab/small")
    assert says(page.form, "Answers new chats")
    assert not page.form.default.isVisible()


async def test_two_thousand_models_make_no_widgets_and_are_searched(
    open_window: Opened, server: OpenAIServer
) -> None:
    page = await page_of(open_window)
    before = len(page.findChildren(QWidget))
    server.models = tuple(f"vendor/model-{number}" for number in range(2000))
    page.offers.ask("lab")
    await until(lambda: len(models(page)) == 2001)
    assert len(page.findChildren(QWidget)) <= before + 5
    assert page.search.isVisible()
    page.search.setText("MODEL-1999 vendor")
    assert [found.name for found in models(page)] == ["vendor/model-1999"]
    page.search.setText("nothing like it")
    assert models(page) == []
    page.search.clear()
    assert len(models(page)) == 2001


async def test_a_provider_that_is_down_says_why_once_and_can_be_asked_again(
    open_window: Opened, server: OpenAIServer
) -> None:
    await server.close()
    page = await page_of(open_window)
    await until(lambda: "lab" in page.down)
    assert [label for label in page.down if says(page.down[label], "cannot be reached")] == ["lab"]
    assert row(page, "lab/small").there is None, "named by hand, it can be chosen all the same"
    async with server:
        button(page, "Ask lab again").click()
        await until(lambda: not page.down)
        assert row(page, "lab/small").there is True


class Silent(OpenAIServer):
    """A server that takes requests and answers none before it may."""

    def __init__(self) -> None:
        super().__init__()
        self.may = asyncio.Event()

    async def respond(self, received: Received, reply: Reply) -> None:
        await self.may.wait()
        await super().respond(received, reply)


async def test_a_slow_provider_does_not_hold_up_the_others(open_window: Opened) -> None:
    async with Silent() as silent:
        silent.models = ("late",)
        await add_provider(open_window, id="silent", kind="openai", base_url=silent.base_url)
        page = open_window.window.others.open_settings("models").page("models")
        assert isinstance(page, SettingsPage)
        await until(lambda: models(page) and row(page, "lab/small").there is True)
        assert "silent/late" not in [each.reference for each in models(page)]
        silent.may.set()
        await answered(page)


async def test_a_provider_that_is_added_meanwhile_is_asked(open_window: Opened) -> None:
    page = await page_of(open_window)
    async with OllamaServer(models=("tiny:latest",)) as ollama:
        await add_provider(open_window, id="ollama", kind="ollama", base_url=ollama.base_url)
        await until(lambda: "ollama/tiny:latest" in [each.reference for each in models(page)])
        page.add.added.emit("ollama/tiny")
        await until(lambda: "ollama/tiny" in [each.reference for each in models(page)])
        assert row(page, "ollama/tiny").there is True, "Ollama takes it for tiny:latest"
        await choose(page, "ollama/tiny:latest")
        hint = page.form.fields["context_length"]
        await until(lambda: says(hint, "32768") or says(hint, "32,768"))
        assert row(page, "ollama/tiny:latest").tools is True, "its server says so"


# --- which one answers -----------------------------------------------------------------------


async def test_a_star_makes_a_model_the_default_with_one_click(
    open_window: Opened, server: OpenAIServer, data_dir: Path
) -> None:
    server.models = ("small", "large")
    page = await page_of(open_window)
    await until(lambda: len(models(page)) == 2)
    where = page.list.visualRect(page.rows.index_of("lab/large"))
    QTest.mouseClick(
        page.list.viewport(),
        Qt.MouseButton.LeftButton,
        pos=QPoint(where.left() + 18, where.center().y()),
    )
    await until(lambda: row(page, "lab/large").default)
    assert page.chosen.default.value() == "lab/large"
    assert saved(data_dir).default_model == "lab/large"


async def test_the_form_makes_its_model_the_default(
    open_window: Opened, server: OpenAIServer, data_dir: Path
) -> None:
    server.models = ("small", "large")
    page = await page_of(open_window)
    await choose(page, "lab/large")
    page.form.default.click()
    await until(lambda: saved(data_dir).default_model == "lab/large")
    await until(lambda: not page.form.default.isVisible())


async def test_the_models_for_chats_and_for_memory_are_picked_and_left_open_again(
    open_window: Opened, server: OpenAIServer, data_dir: Path
) -> None:
    server.models = ("small", "large")
    page = await page_of(open_window)
    picker = page.chosen.memory
    await until(lambda: picker.findText("lab/large") >= 0)
    picker.setCurrentIndex(picker.findText("lab/large"))
    picker.activated.emit(picker.currentIndex())
    await until(lambda: saved(data_dir).memory_extractor_model == "lab/large")
    await until(lambda: "for memory" in row(page, "lab/large").marks())
    page.chosen.default.setCurrentIndex(0)
    page.chosen.default.activated.emit(0)
    await until(lambda: saved(data_dir).default_model is None)


async def test_a_name_that_is_no_model_is_told_beside_its_field_and_not_saved(
    open_window: Opened, data_dir: Path
) -> None:
    page = await page_of(open_window)
    field = page.chosen.fields["default_model"]
    line = page.chosen.default.lineEdit()
    assert line is not None
    for text, told in (("nonsense", "provider/model"), ("gone/small", "no provider gone")):
        line.setText(text)
        line.editingFinished.emit()
        assert told in field.problem
    line.setText("lab/other")
    line.editingFinished.emit()
    assert field.problem == ""
    await until(lambda: saved(data_dir).default_model == "lab/other")


# --- by hand ---------------------------------------------------------------------------------


async def test_a_model_is_named_by_hand_set_up_and_taken_out_again(
    open_window: Opened, data_dir: Path
) -> None:
    page = await page_of(open_window)
    button(page.add, "Add").click()
    assert says(page.add, "Write the name")
    page.add.name.setText("  vendor/new:7b ")
    QTest.keyClick(page.add.name, Qt.Key.Key_Return)
    await until(lambda: says(page.form, "lab/vendor/new:7b"))
    assert row(page, "lab/vendor/new:7b").there is False
    write(page, "temperature", "0,3")
    await until(lambda: options(saved(data_dir), "vendor/new:7b").temperature == 0.3)
    page.form.remove.click()
    await until(lambda: len(models(page)) == 1)
    provider = saved(data_dir).provider("lab")
    assert provider is not None
    assert (provider.models, dict(provider.model_options)) == (("small",), {})
    assert says(page.form, "lab/small"), "another model is in the form now"


# --- how it is asked -------------------------------------------------------------------------


async def test_an_option_is_saved_and_goes_out_with_the_next_chat(
    open_window: Opened, server: OpenAIServer, data_dir: Path
) -> None:
    page = await page_of(open_window)
    write(page, "temperature", "0.7")
    write(page, "max_tokens", "50")
    await until(lambda: options(saved(data_dir)).max_tokens == 50)
    assert options(saved(data_dir)) == ModelOptions(temperature=0.7, max_tokens=50)
    await open_window.new_chat()
    open_window.write("Hello?")
    await server.received(1)
    assert (server.chats[0].body["temperature"], server.chats[0].body["max_tokens"]) == (0.7, 50)
    await until(lambda: len(open_window.said()) == 2)


async def test_an_emptied_field_leaves_the_option_to_the_server(
    open_window: Opened, data_dir: Path
) -> None:
    page = await page_of(open_window)
    write(page, "temperature", "0.7")
    await until(lambda: options(saved(data_dir)).temperature == 0.7)
    write(page, "temperature", "")
    await until(lambda: options(saved(data_dir)) == ModelOptions())


async def test_all_options_are_left_to_the_server_at_once(
    open_window: Opened, data_dir: Path
) -> None:
    page = await page_of(open_window)
    assert not page.form.reset_all.isVisible(), "there is nothing to leave"
    write(page, "context_length", "2048")
    await until(lambda: options(saved(data_dir)).context_length == 2048)
    write(page, "top_p", "0.5")
    await until(lambda: options(saved(data_dir)).top_p == 0.5)
    await until(page.form.reset_all.isVisible)
    page.form.reset_all.click()
    await until(lambda: options(saved(data_dir)) == ModelOptions())
    await until(lambda: page.form.fields["top_p"].line.text() == "")


async def test_what_cannot_be_taken_is_told_beside_the_field_and_stays_there(
    open_window: Opened, data_dir: Path
) -> None:
    page = await page_of(open_window)
    field = page.form.fields["top_p"]
    for text, told in (("7", "from 0 to 1"), ("much", "a number"), ("nan", "a number")):
        write(page, "top_p", text)
        assert told in field.problem
    await open_window.app.settings.change(
        lambda settings: settings.model_copy(update={"memory_extractor_model": "lab/small"})
    )
    await until(lambda: row(page, "lab/small").memory)
    assert field.line.text() == "nan" and field.problem
    assert options(saved(data_dir)) == ModelOptions()
    write(page, "top_p", "0.9")
    assert field.problem == ""
    await until(lambda: options(saved(data_dir)).top_p == 0.9)


async def test_what_is_being_typed_outlives_a_change_from_elsewhere(open_window: Opened) -> None:
    page = await page_of(open_window)
    line = page.form.fields["seed"].line
    page.form.more.setChecked(True)
    line.window().activateWindow()
    line.setFocus()
    QTest.keyClicks(line, "12")
    await open_window.app.settings.change(
        lambda settings: settings.model_copy(update={"memory_extractor_model": "lab/small"})
    )
    await until(lambda: row(page, "lab/small").memory)
    assert line.text() == "12"


async def test_options_that_are_set_are_not_folded_away(
    open_window: Opened, server: OpenAIServer
) -> None:
    server.models = ("small", "large")
    page = await page_of(open_window)
    assert not page.form.fields["seed"].isVisible()
    page.form.more.setChecked(True)
    write(page, "seed", "7")
    await until(lambda: row(page, "lab/small").options.seed == 7)
    await choose(page, "lab/large")
    assert not page.form.fields["seed"].isVisible()
    await choose(page, "lab/small")
    assert page.form.fields["seed"].isVisible()
    assert page.form.fields["seed"].line.text() == "7"


async def test_a_search_over_the_settings_unfolds_the_option_it_means(open_window: Opened) -> None:
    page = await page_of(open_window)
    dialog = open_window.window.others.open_settings("models")
    dialog.search.setText("frequency penalty")
    assert dialog.current == "models"
    assert page.form.fields["frequency_penalty"].isVisible()


async def test_a_new_context_is_what_the_form_tells_of(
    open_window: Opened, server: OpenAIServer, data_dir: Path
) -> None:
    server.card = {"meta": {"n_ctx": 4096}}
    page = await page_of(open_window)
    field = page.form.fields["context_length"]
    await until(lambda: says(field, "Now 4"))
    write(page, "context_length", "2048")
    await until(lambda: "2,048 tokens" in marks(page) or "2048 tokens" in marks(page))
    assert not says(field, "Now")
    write(page, "context_length", "")
    await until(lambda: says(field, "Now 4"))


async def test_a_model_file_tells_its_longest_context_and_what_it_takes_of_memory(
    open_window: Opened, tmp_path: Path
) -> None:
    pytest.importorskip("xllamacpp")
    file = write_model(tmp_path / "tiny.gguf", CHAT)
    gone = tmp_path / "gone.gguf"
    await add_provider(open_window, id="local", kind="llama_cpp", models=[str(file), str(gone)])
    page = await page_of(open_window)
    await choose(page, f"local/{file}")
    hint = page.form.fields["context_length"]
    await until(lambda: says(hint, "of memory in all"))
    assert says(hint, "32768") or says(hint, "32,768")
    await until(lambda: row(page, f"local/{gone}").there is False)
    await choose(page, f"local/{gone}")
    assert "file not found" in row(page, f"local/{gone}").marks()
    assert not says(hint, "of memory in all")


# --- what it can do --------------------------------------------------------------------------


def capable(server: OpenAIServer) -> None:
    """Let a server call tools and hold its answers to a form."""

    def answer(received: Received) -> Answer:
        return Answer(tool_calls=(WEATHER,)) if received.body.get("tools") else Answer(text=MARK)

    server.default = server.default_fold = answer


async def test_what_a_model_can_do_is_found_out_shown_and_saved(
    open_window: Opened, server: OpenAIServer, data_dir: Path
) -> None:
    capable(server)
    server.script_embeddings(Answer.fail(501, "no embeddings here"))
    page = await page_of(open_window)
    assert says(page.form.abilities, "not known")
    page.form.abilities.find_out.click()
    await until(page.form.abilities.stop.isVisible, "it is being found out")
    await until(lambda: options(saved(data_dir)).embeds is not None)
    assert options(saved(data_dir)) == ModelOptions(tools=True, json_schema=True, embeds=False)
    await until(lambda: says(page.form.abilities, "called a tool"))
    assert says(page.form.abilities, "no embeddings here")
    await until(page.form.abilities.find_out.isVisible)
    assert "calls tools" in row(page, "lab/small").marks()


async def test_finding_out_can_be_stopped_and_saves_nothing(
    open_window: Opened, server: OpenAIServer, data_dir: Path
) -> None:
    server.script(Answer(text="never", held=asyncio.Event()))
    page = await page_of(open_window)
    page.form.abilities.find_out.click()
    await server.received(1)
    page.form.abilities.stop.click()
    await server.chats[0].left.wait()
    await until(page.form.abilities.find_out.isVisible)
    assert options(saved(data_dir)) == ModelOptions()


async def test_a_server_that_is_gone_is_told_where_it_was_asked(
    open_window: Opened, server: OpenAIServer
) -> None:
    page = await page_of(open_window)
    await server.close()
    page.form.abilities.find_out.click()
    await until(lambda: says(page.form.abilities, "cannot be reached"))
    await until(page.form.abilities.find_out.isVisible)


async def test_one_model_is_found_out_while_another_is_looked_at(
    open_window: Opened, server: OpenAIServer, data_dir: Path
) -> None:
    server.models = ("small", "large")
    capable(server)
    held = asyncio.Event()
    server.script(Answer(tool_calls=(WEATHER,), held=held))
    page = await page_of(open_window)
    page.form.abilities.find_out.click()
    await server.received(1)
    await choose(page, "lab/large")
    assert not page.form.abilities.stop.isVisible()
    held.set()
    await until(lambda: options(saved(data_dir)).tools is True)
    assert options(saved(data_dir), "large") == ModelOptions()


async def test_names_for_chats_are_turned_on_and_off_here(
    open_window: Opened, data_dir: Path
) -> None:
    page = await page_of(open_window)
    assert not page.chosen.titles.isChecked()
    page.chosen.titles.click()
    await until(lambda: saved(data_dir).automatic_titles and page.settings.automatic_titles)
    page.chosen.titles.click()
    await until(lambda: not saved(data_dir).automatic_titles)


async def test_how_many_agents_of_a_graph_work_at_once_is_set_here(
    open_window: Opened, data_dir: Path
) -> None:
    page = await page_of(open_window)
    assert page.chosen.at_once.value() == 4
    page.chosen.at_once.setFocus()
    QTest.keyClick(page.chosen.at_once, Qt.Key.Key_Down)
    await until(lambda: saved(data_dir).graph_nodes_at_once == 3)
    page.chosen.at_once.clearFocus()
    settings = open_window.app.settings
    await settings.change(lambda s: s.model_copy(update={"graph_nodes_at_once": 9}))
    await until(lambda: page.chosen.at_once.value() == 9)


async def test_whether_a_model_sees_images_is_said_by_the_person(
    open_window: Opened, data_dir: Path
) -> None:
    page = await page_of(open_window)
    vision = page.form.abilities.vision
    assert vision.currentText() == "as its server says"
    vision.setFocus()
    QTest.keyClick(vision, Qt.Key.Key_Down)
    await until(lambda: options(saved(data_dir)).vision is True)
    await until(lambda: "sees images" in row(page, "lab/small").marks())
    QTest.keyClick(vision, Qt.Key.Key_Down)
    await until(lambda: options(saved(data_dir)).vision is False)
