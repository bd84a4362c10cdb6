"""The page that gets models: over real folders, its servers on loopback."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import cast

import pytest
from PySide6.QtTest import QTest

from chatty_desktop.domain.downloads import CatalogueModel, Download, read_catalogue
from chatty_desktop.domain.model_files import ModelFile
from chatty_desktop.domain.settings import Settings
from chatty_desktop.paths import resources_folder
from chatty_desktop.ui.settings.downloads.amounts import progress, time_left
from chatty_desktop.ui.settings.downloads.ollama import OllamaModels
from chatty_desktop.ui.settings.downloads.suggested import SuggestedModels
from chatty_desktop.ui.settings.page_downloads import SettingsPage
from chatty_desktop.ui.theme import Theme
from tests.helpers.gguf import CHAT, EMBEDDER, header, write_model
from tests.helpers.servers import FileServer, OllamaServer, OpenAIServer
from tests.ui.opened import Opened, opened
from tests.ui.panels import answer, button, says, until

MODEL = header(CHAT) + bytes(1_000_000)
PATH = "/m/fresh.gguf"


class OnPage:
    """The page in the open window, and what stands behind it."""

    def __init__(self, at: Opened) -> None:
        self.at = at
        self.dialog = at.window.others.open_settings("downloads")
        self.page = cast(SettingsPage, self.dialog.page("downloads"))

    @property
    def settings(self) -> Settings:
        return self.at.app.settings.current

    async def found(self, name: str) -> None:
        await until(lambda: says(self.page.found, name), f"{name} is found")

    def get(self, url: str, checksum: str = "") -> None:
        """Fill in an address and press the button."""
        QTest.keyClicks(self.page.form.address, url)
        QTest.keyClicks(self.page.form.checksum, checksum)
        self.page.form.button.click()


@pytest.fixture
async def files() -> AsyncIterator[FileServer]:
    async with FileServer({PATH: MODEL}) as started:
        yield started


@pytest.fixture
async def ollama() -> AsyncIterator[OllamaServer]:
    async with OllamaServer(models=("small:latest", "other:1b")) as started:
        started.library = {"fresh:4b": (4_000_000,)}
        yield started


@pytest.fixture
async def on_page(
    data_dir: Path, theme: Theme, server: OpenAIServer, ollama: OllamaServer
) -> AsyncIterator[OnPage]:
    """The app's folder holds a model that chats and one that embeds; one Ollama is there."""
    write_model(data_dir / "models/mine.gguf", CHAT)
    write_model(data_dir / "models/finds.gguf", EMBEDDER)
    providers = [
        {"id": "lab", "kind": "openai", "base_url": server.base_url, "models": ["small"]},
        {"id": "box", "kind": "ollama", "base_url": ollama.base_url},
    ]
    value = {"providers": providers, "default_model": "lab/small", "embedder": None}
    (data_dir / "settings.json").write_text(json.dumps(value))
    async with opened(data_dir, theme, server) as at:
        yield OnPage(at)


# --- what is there -----------------------------------------------------------------------------


async def test_a_file_that_is_there_is_used_with_one_press(on_page: OnPage, data_dir: Path) -> None:
    await on_page.found("mine")
    button(on_page.page.found, "Use mine").click()
    await until(lambda: says(on_page.page.found, "Used for new chats"))
    assert on_page.settings.default_model == "local/mine.gguf"
    written = json.loads((data_dir / "settings.json").read_text("utf-8"))
    assert {"id": "local", "kind": "llama_cpp", "models": ["mine.gguf"]} in written["providers"]


async def test_a_file_can_be_added_and_new_chats_stay_as_they_are(on_page: OnPage) -> None:
    await on_page.found("mine")
    button(on_page.page.found, "Add mine to the list").click()
    await until(lambda: says(on_page.page.found, "In the list"))
    assert on_page.settings.default_model == "lab/small"


async def test_a_model_that_embeds_leads_to_where_a_change_is_weighed(on_page: OnPage) -> None:
    await on_page.found("finds")
    button(on_page.page.found, "Use finds").click()
    await until(lambda: on_page.settings.provider("local") is not None)
    local = on_page.settings.provider("local")
    assert local is not None and local.options_of("finds.gguf").embeds is True
    assert on_page.settings.embedder is None
    assert on_page.dialog.current == "embedder"


async def test_deleting_the_model_of_new_chats_asks_and_leaves_nothing_behind(
    on_page: OnPage, data_dir: Path
) -> None:
    await on_page.found("mine")
    button(on_page.page.found, "Use mine").click()
    await until(lambda: says(on_page.page.found, "Used for new chats"))
    button(on_page.page.found, "Delete mine").click()
    await answer(on_page.page, "Cancel")
    button(on_page.page.found, "Delete mine").click()
    await answer(on_page.page, "Delete")
    await until(lambda: not says(on_page.page.found, "mine"))
    assert [f.name for f in (data_dir / "models").glob("*.gguf")] == ["finds.gguf"]
    assert on_page.settings.default_model is None
    local = on_page.settings.provider("local")
    assert local is not None and local.models == ()


# --- from an address ---------------------------------------------------------------------------


async def test_a_download_is_paused_gone_on_with_and_used(
    on_page: OnPage, files: FileServer
) -> None:
    files.held, files.held_after = asyncio.Event(), 200_000
    on_page.get(files.url(PATH))
    others = on_page.page.others
    await until(lambda: says(others, "of 1 MB"), "how far it is")
    assert on_page.page.form.address.text() == ""
    button(others, "Pause").click()
    await until(lambda: says(others, "Paused"))
    files.held.set()
    button(others, "Go on").click()
    await on_page.found("fresh")
    await until(lambda: not others.isVisible())
    button(on_page.page.found, "Use fresh").click()
    await until(lambda: on_page.settings.default_model == "local/fresh.gguf")


async def test_cancel_takes_it_away(on_page: OnPage, files: FileServer, data_dir: Path) -> None:
    files.held, files.held_after = asyncio.Event(), 200_000
    on_page.get(files.url(PATH))
    await until(lambda: says(on_page.page.others, "of 1 MB"))
    button(on_page.page.others, "Cancel").click()
    await until(lambda: not on_page.page.others.isVisible())
    assert list((data_dir / "models").glob("fresh*")) == []


async def test_what_is_wrong_stands_beside_the_field(on_page: OnPage, files: FileServer) -> None:
    form = on_page.page.form
    assert not form.button.isEnabled()
    on_page.get("no address")
    await until(lambda: "is not an address" in form.field.problem)
    form.address.clear()
    on_page.get(files.url(PATH), "12 34")
    await until(lambda: "64" in form.checksum_field.problem)
    assert form.field.problem == ""
    assert files.requests == []


async def test_a_download_that_is_no_model_says_so_and_can_be_put_away(
    on_page: OnPage, files: FileServer
) -> None:
    files.files[PATH] = b"<html>Sign in</html>"
    on_page.get(files.url(PATH))
    others = on_page.page.others
    await until(lambda: says(others, "may be a web page"))
    button(others, "Try again")
    button(others, "Put away").click()
    await until(lambda: not others.isVisible())


# --- suggested ---------------------------------------------------------------------------------


@pytest.fixture
def models() -> tuple[CatalogueModel, ...]:
    return read_catalogue((resources_folder() / "catalogue.json").read_text("utf-8"))[:2]


@pytest.fixture
def suggested(theme: Theme, models: tuple[CatalogueModel, ...]) -> SuggestedModels:
    made = SuggestedModels(theme, lambda file: file.path)
    made.show_models(models, 5_000_000_000)
    made.show()
    return made


def test_a_suggestion_tells_what_it_is_for_and_what_it_takes(
    suggested: SuggestedModels, models: tuple[CatalogueModel, ...]
) -> None:
    small, large = (suggested.cards[model.id] for model in models)
    assert says(small, "2.5 GB to download · takes 4.0 GB of memory")
    assert says(small, "licence Apache-2.0")
    assert not says(small, "too little")
    assert says(large, "This computer has 5.0 GB of memory, too little for it.")
    asked: list[CatalogueModel] = []
    suggested.get_wanted.connect(asked.append)
    button(small, f"Download {models[0].name}").click()
    assert asked == [models[0]]


def test_a_suggestion_shows_its_download_and_then_its_use(
    suggested: SuggestedModels, models: tuple[CatalogueModel, ...]
) -> None:
    model, card = models[0], suggested.cards[models[0].id]
    running = Download("1", "n", model.url, "running", model.size // 4, model.size, 1e6, 90.0)
    suggested.show_downloads({model.url: running})
    assert says(card, "25 %") and says(card, "1 MB a second · 2 minutes left")
    assert not card.get.isVisible()
    suggested.show_downloads({model.url: Download("1", "n", model.url, "finished")})
    file = ModelFile(f"/models/{model.file_name}", "n", model.size, "chatty")
    suggested.show_files([file])
    used: list[ModelFile] = []
    suggested.use_wanted.connect(used.append)
    button(card, f"Use {model.name}").click()
    assert used == [file]
    assert card.delete.isVisible() and not card.transfer.isVisible()


def test_amounts_are_told_as_far_as_they_are_known() -> None:
    assert progress(Download("1", "n", "u", "running", done=5_000_000)) == "5 MB"
    assert progress(Download("1", "n", "u", "waiting")) == ""
    assert time_left(20) == "less than a minute left"
    assert [time_left(60), time_left(7200)] == ["1 minute left", "2 hours left"]


# --- Ollama ------------------------------------------------------------------------------------


async def box(on_page: OnPage) -> OllamaModels:
    part = on_page.page.ollamas.parts["box"]
    await until(lambda: says(part, "small:latest"))
    return part


async def test_a_model_of_ollama_is_pulled_and_used(on_page: OnPage, ollama: OllamaServer) -> None:
    part = await box(on_page)
    ollama.pull_held = asyncio.Event()
    QTest.keyClicks(part.name, "fresh:4b")
    part.button.click()
    await until(lambda: says(part.pulls, "of 4 MB"))
    ollama.pull_held.set()
    await until(lambda: "fresh:4b" in part.cards)
    button(part, "Use fresh:4b").click()
    await until(lambda: says(part, "Used for new chats"))
    assert on_page.settings.default_model == "box/fresh:4b"


async def test_a_model_of_ollama_is_deleted_after_a_question(
    on_page: OnPage, ollama: OllamaServer
) -> None:
    part = await box(on_page)
    button(part, "Delete other:1b").click()
    await answer(on_page.page.ollamas, "Delete")
    await until(lambda: "other:1b" not in part.cards)
    assert ollama.models == ("small:latest",)


async def test_an_ollama_that_does_not_answer_says_why_and_can_be_asked_again(
    on_page: OnPage, ollama: OllamaServer
) -> None:
    part = await box(on_page)
    await ollama.close()
    on_page.page.entered()
    await until(lambda: says(part, "Is Ollama running"))
    await ollama.__aenter__()
    button(part, "Try again").click()
    await until(lambda: "small:latest" in part.cards)
