"""The status line: which model answers, whether it can, and what works in the background."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from chatty_desktop.domain.agents import AgentDefinition
from chatty_desktop.domain.downloads import Download
from chatty_desktop.domain.engines import EngineState, LoadedModel
from chatty_desktop.domain.events import (
    DownloadChanged,
    EmbeddingProgress,
    Event,
    ModelProgress,
    RunPhaseChanged,
)
from chatty_desktop.domain.settings import Appearance, ProviderSettings, Settings
from chatty_desktop.domain.standing import Standing
from chatty_desktop.ui.settings.dialog import SettingsDialog
from chatty_desktop.ui.status.line import StatusLine
from chatty_desktop.ui.status.words import said
from chatty_desktop.ui.theme import Theme
from tests.helpers.servers import Answer, OpenAIServer
from tests.ui.opened import Opened
from tests.ui.panels import until

Line = Callable[..., StatusLine]


@pytest.fixture
def line(open_window: Opened, theme: Theme) -> Line:
    """Makes a status line on the window's app that asks at once, and again as often as told."""

    def made(ask_again_ms: int = 60_000) -> StatusLine:
        app = open_window.app
        line = StatusLine(
            standing=app.standing,
            loaded=lambda: app.engines.loaded,
            events=app.events,
            theme=theme,
            tasks=open_window.tasks,
            first_ask_ms=0,
            ask_again_ms=ask_again_ms,
            parent=open_window.window,
        )
        line.resize(700, line.height())
        line.show()
        return line

    return made


def publish(opened: Opened, *events: Event) -> None:
    for event in events:
        opened.app.events.publish(event)


async def set_to(opened: Opened, **changed: object) -> None:
    await opened.app.settings.change(lambda now: now.model_copy(update=changed))


async def test_it_names_the_model_that_answers_and_why_and_that_its_server_is_up(
    open_window: Opened, line: Line
) -> None:
    status = line()
    agent = await open_window.app.agents.by_name("Small talk")
    status.set_agent(agent)
    await until(lambda: status.model.words == "small (lab) · ready")
    story = status.model.accessibleDescription()
    assert "lab/small" in story and "default model; Small talk names none" in story
    assert "server is up" in story
    assert status.model.accessibleName() == "Model: small (lab) · ready"
    assert not status.work.isVisible()


async def test_a_server_that_dies_is_seen_and_seen_again_when_it_is_back(
    open_window: Opened, line: Line, server: OpenAIServer
) -> None:
    status = line(ask_again_ms=30)
    await until(lambda: status.model.words == "small (lab) · ready")
    await server.close()
    await until(lambda: status.model.words == "small (lab) · cannot answer")
    assert server.base_url.removesuffix("/v1") in status.model.accessibleDescription()
    async with OpenAIServer(models=("small",), port=server.port):
        await until(lambda: status.model.words == "small (lab) · ready")


async def test_another_default_model_and_another_agent_are_told_at_once(
    open_window: Opened, line: Line
) -> None:
    status = line()
    await until(lambda: status.model.words == "small (lab) · ready")
    await set_to(open_window, default_model="lab/large")
    await until(lambda: status.model.words == "large (lab) · not listed")
    own = AgentDefinition(name="Ada", model="gone/tiny")
    status.set_agent(await open_window.app.agents.save(own))
    await until(lambda: status.model.words == "tiny (gone) · cannot answer")
    story = status.model.accessibleDescription()
    assert "It is the model of Ada." in story and "no provider 'gone'" in story


async def test_without_a_default_the_first_available_answers_or_none(
    open_window: Opened, line: Line, server: OpenAIServer
) -> None:
    await set_to(open_window, default_model=None)
    status = line()
    await until(lambda: status.model.words == "small (lab) · ready")
    assert "first model available" in status.model.accessibleDescription()
    await set_to(open_window, providers=())
    await until(lambda: status.model.words == "No model answers")


async def test_a_local_model_is_told_as_not_loaded_and_its_missing_file_by_its_path(
    open_window: Opened, line: Line
) -> None:
    app = open_window.app
    file = app.paths.models / "mine.gguf"
    file.write_bytes(b"GGUF" + bytes(100))
    local = ProviderSettings(id="here", kind="llama_cpp", models=("mine.gguf",))

    def change(now: Settings) -> Settings:
        return now.model_copy(
            update={"providers": (*now.providers, local), "default_model": "here/mine.gguf"}
        )

    await app.settings.change(change)
    status = line(ask_again_ms=30)
    await until(lambda: status.model.words == "mine (here) · not loaded")
    pages: list[str] = []
    status.page_wanted.connect(pages.append)
    status.model.click()
    assert pages == ["engine"]
    file.unlink()
    await until(lambda: status.model.words == "mine (here) · cannot answer")
    assert str(file) in status.model.accessibleDescription()
    assert app.engines.loaded == []


def engine(state: EngineState) -> LoadedModel:
    return LoadedModel("here/mine.gguf", "chat", state, 0.0, 1, 8192, 2, None)


@pytest.mark.parametrize(
    ("loaded", "answering", "words"),
    [
        (None, False, "not loaded"),
        (engine("loading"), True, "loading …"),
        (engine("busy"), True, "answering"),
        (engine("busy"), False, "at work"),
        (engine("ready"), False, "ready"),
    ],
)
def test_the_local_engine_is_told_apart_in_each_of_its_states(
    loaded: LoadedModel | None, answering: bool, words: str
) -> None:
    standing = Standing("here/mine.gguf", "default", "llama_cpp")
    assert said(standing, "Ada", loaded, answering).words == f"mine (here) · {words}"


async def test_it_tells_when_the_open_chat_is_answered(
    open_window: Opened, server: OpenAIServer
) -> None:
    held = asyncio.Event()
    server.script(Answer(text=["one ", "two"], held=held, held_after=1))
    await open_window.new_chat()
    status = open_window.window.status
    open_window.write("Hello")
    await until(lambda: status.model.words == "small (lab) · answering")
    held.set()
    await until(lambda: status.model.words == "small (lab) · ready")


async def test_what_works_in_the_background_is_told_until_it_ends(
    open_window: Opened, line: Line
) -> None:
    status = line()
    publish(open_window, EmbeddingProgress(12, 40))
    await until(lambda: status.work.words == "Embedding again: 12 of 40")
    download = Download("1", "Qwen 7B", "http://x/q.gguf", "running", 500, 1000)
    publish(open_window, DownloadChanged(download), RunPhaseChanged("s", "a", "settling"))
    await until(lambda: status.work.words == "Updating memory · 2 more")
    story = status.work.accessibleDescription()
    assert "Downloading Qwen 7B · 50 %" in story and "Embedding again: 12 of 40" in story
    publish(open_window, RunPhaseChanged("s", "a", "idle"), EmbeddingProgress(0, 0))
    await until(lambda: status.work.words == "Downloading Qwen 7B · 50 %")
    publish(open_window, DownloadChanged(Download("1", "Qwen 7B", "http://x", "finished")))
    await until(lambda: not status.work.isVisible())


async def test_numbers_that_count_do_not_make_a_part_narrower(
    open_window: Opened, line: Line
) -> None:
    status = line()
    publish(open_window, ModelProgress("local/starter", "Putting it together", 99, 100))
    await until(lambda: status.work.words.endswith("99 %"))
    width = status.work.sizeHint().width()
    publish(open_window, ModelProgress("local/starter", "Putting it together", 1, 100))
    await until(lambda: status.work.words.endswith("· 1 %"))
    assert status.work.sizeHint().width() == width


async def test_a_long_name_leaves_the_state_in_sight(open_window: Opened, line: Line) -> None:
    await set_to(open_window, default_model="lab/" + "very-long-name-" * 20)
    status = line()
    await until(lambda: status.model.words.endswith("not listed"))
    await until(lambda: status.model.text().endswith("not listed"))
    assert "…" in status.model.text()
    assert status.model.width() <= status.width()


@pytest.mark.parametrize(
    ("event", "page"),
    [
        (DownloadChanged(Download("1", "Qwen", "http://x", "running")), "downloads"),
        (EmbeddingProgress(1, 2), "embedder"),
        (ModelProgress("local/other", "Loading other"), "engine"),
    ],
)
async def test_a_pressed_part_opens_the_page_of_the_settings_that_has_to_do_with_it(
    open_window: Opened, event: Event, page: str
) -> None:
    status = open_window.window.status
    publish(open_window, event)
    await until(status.work.isVisible)
    status.work.click()
    dialog = open_window.window.findChild(SettingsDialog)
    assert dialog is not None and dialog.isVisible() and dialog.current == page


async def test_larger_letters_make_the_line_higher(
    open_window: Opened, line: Line, theme: Theme
) -> None:
    status = line()
    await until(lambda: status.model.words.endswith("ready"))
    usual = status.height()
    theme.show(Appearance(theme="light", font_size=24))
    try:
        await until(lambda: status.height() > usual)
        assert status.height() >= status.model.sizeHint().height()
    finally:
        theme.show(Appearance(theme="light"))
    await until(lambda: status.height() == usual)


async def test_a_start_asks_the_servers_of_the_settings_for_their_models_alone(
    open_window: Opened,
) -> None:
    await until(lambda: open_window.server.requests)
    await open_window.tasks.idle()
    for request in open_window.server.requests:
        assert (request.method, request.body) == ("GET", None)
