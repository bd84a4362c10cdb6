"""The settings page of the local engine: how it runs, what it holds, what a change costs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from chatty_desktop.domain.engines import GpuDevice, LoadedModel, Memory
from chatty_desktop.domain.settings import ProviderSettings, Settings
from chatty_desktop.ui.settings.dialog import SettingsDialog
from chatty_desktop.ui.settings.engine.loaded import LoadedModels
from chatty_desktop.ui.settings.engine.options import EngineOptions
from chatty_desktop.ui.settings.page_engine import SettingsPage
from chatty_desktop.ui.theme import Theme
from tests.helpers.gguf import CHAT, header
from tests.ui.opened import Opened
from tests.ui.panels import button, says, texts, until

MODEL = {
    **CHAT,
    "qwen2.block_count": 24,
    "qwen2.embedding_length": 896,
    "qwen2.attention.head_count": 14,
    "qwen2.attention.head_count_kv": 2,
}
"""12,288 bytes for each token of context; made for 32,768."""


async def opened_page(opened: Opened, *entries: ProviderSettings) -> SettingsPage:
    """The page, in front, with these providers beside the window's server."""

    def change(now: Settings) -> Settings:
        return now.model_copy(update={"providers": (*now.providers, *entries)})

    await opened.app.settings.change(change)
    page = opened.window.others.open_settings("engine").page("engine")
    assert isinstance(page, SettingsPage)
    await until(lambda: list(page.options) == [entry.id for entry in entries])
    return page


def local(name: str = "here", **more: Any) -> ProviderSettings:
    return ProviderSettings.model_validate({"id": name, "kind": "llama_cpp", **more})


def written(data_dir: Path, name: str = "here") -> dict[str, Any]:
    """A provider's entry in settings.json."""
    stored = json.loads((data_dir / "settings.json").read_text("utf-8"))
    (entry,) = [entry for entry in stored["providers"] if entry["id"] == name]
    return dict(entry)


async def test_what_is_set_is_written_and_automatic_leaves_it_out(
    open_window: Opened, data_dir: Path
) -> None:
    page = await opened_page(open_window, local(threads=3))
    options = page.options["here"]
    assert (options.threads.text(), options.context.text()[:5]) == ("3", "Usual")
    options.threads.setValue(0)
    options.threads.editingFinished.emit()
    await until(lambda: "threads" not in written(data_dir))
    options.context.setValue(16384)
    options.context.editingFinished.emit()
    await until(lambda: written(data_dir).get("context_length") == 16384)
    options.stay.setCurrentIndex(options.stay.findData(0.0))
    options.stay.activated.emit(options.stay.currentIndex())
    await until(lambda: written(data_dir).get("keep_alive_minutes") == 0)


async def test_a_context_below_the_least_is_refused_beside_the_field(
    open_window: Opened, data_dir: Path
) -> None:
    page = await opened_page(open_window, local(context_length=4096))
    options = page.options["here"]
    options.context.setValue(100)
    options.context.editingFinished.emit()
    await until(lambda: options.context_field.problem)
    assert "256" in options.context_field.problem
    assert options.context.value() == 4096
    assert written(data_dir)["context_length"] == 4096


async def test_a_time_set_by_hand_is_offered_beside_the_others(open_window: Opened) -> None:
    page = await opened_page(open_window, local(keep_alive_minutes=7.5))
    stay = page.options["here"].stay
    assert "7.5 minutes" in stay.currentText()
    assert stay.findData(None) >= 0 and stay.findData(60.0) >= 0


async def test_what_is_being_typed_outlives_a_change_of_the_settings(open_window: Opened) -> None:
    page = await opened_page(open_window, local())
    threads = page.options["here"].threads
    page.window().activateWindow()
    threads.setFocus()
    await until(threads.hasFocus)
    threads.selectAll()
    QTest.keyClicks(threads, "7")
    settings = open_window.app.settings
    await settings.change(lambda now: now.model_copy(update={"default_model": None}))
    assert threads.lineEdit().text() == "7"
    QTest.keyClick(threads, Qt.Key.Key_Return)
    await until(lambda: (found := settings.current.provider("here")) and found.threads == 7)


async def test_it_says_what_a_model_takes_and_what_a_larger_context_would(
    open_window: Opened,
) -> None:
    file = open_window.app.paths.models / "tiny.gguf"
    file.write_bytes(header(MODEL) + bytes(1000))
    page = await opened_page(open_window, local(models=["tiny.gguf"]))
    options = page.options["here"]
    await until(lambda: says(options, "tiny takes about 401 MB of memory"))
    assert says(options, "would take about 101 MB more")
    assert not says(options, "at most")
    options.context.setValue(65536)
    await until(lambda: says(options, "tiny was made for"))
    assert says(options, "tiny takes about 1.1 GB of memory")


async def test_layers_are_offered_only_where_there_is_a_graphics_processor(
    open_window: Opened, data_dir: Path
) -> None:
    page = await opened_page(open_window, local())
    options = page.options["here"]
    await until(lambda: options.gpu_field.isVisible() or says(options, "no GPU support"))
    options.show_gpus([GpuDevice("Radeon", 6_000_000_000, 8_000_000_000)])
    assert options.gpu_field.isVisible() and not options.no_gpu.isVisible()
    assert says(options, "Radeon (6.0 GB of 8.0 GB free)")
    assert options.gpu_layers.text() == "As many as fit"
    options.gpu_layers.setValue(0)
    options.gpu_layers.editingFinished.emit()
    settings = open_window.app.settings
    await until(lambda: (found := settings.current.provider("here")) and found.gpu_layers == 0)
    options.gpu_layers.setValue(-1)
    options.gpu_layers.editingFinished.emit()
    await until(lambda: "gpu_layers" not in written(data_dir))
    options.show_gpus([], "The driver is gone.")
    assert options.no_gpu.isVisible() and says(options, "The driver is gone.")


async def test_without_a_local_engine_it_leads_to_the_providers(open_window: Opened) -> None:
    page = await opened_page(open_window)
    assert page.none.isVisible()
    button(page, "Add one under Providers").click()
    dialog = page.window()
    assert isinstance(dialog, SettingsDialog) and dialog.current == "providers"


async def test_each_of_two_local_engines_has_its_own_fields(
    open_window: Opened, data_dir: Path
) -> None:
    page = await opened_page(open_window, local("here"), local("there"))
    page.options["there"].threads.setValue(5)
    page.options["there"].threads.editingFinished.emit()
    await until(lambda: written(data_dir, "there").get("threads") == 5)
    assert "threads" not in written(data_dir, "here")
    assert {"here", "there"} <= set(texts(page))


async def test_memory_is_measured_only_while_the_page_is_in_front(open_window: Opened) -> None:
    page = await opened_page(open_window, local())
    await until(lambda: says(page, "memory can still be had"))
    assert page.looking
    open_window.window.others.open_settings("about")
    assert not page.looking
    open_window.window.others.open_settings("engine")
    assert page.looking
    page.window().close()
    assert not page.looking


READY = LoadedModel("local/starter", "chat", "ready", 1_000.0, 7, 8192, 4, None, None, 720_000_000)
EMBEDS = LoadedModel("local/e.gguf", "embedding", "busy", 1_000.0, 8, 2048, 1, 12, 1_600.0)
MEMORY = Memory(16_000_000_000, 4_000_000_000)


@pytest.fixture
def loaded(theme: Theme) -> Iterator[LoadedModels]:
    view = LoadedModels(theme)
    view.show()
    yield view
    view.deleteLater()


async def test_each_model_in_memory_is_shown_with_what_it_takes(loaded: LoadedModels) -> None:
    loaded.show_models([READY, EMBEDS], MEMORY, 1_100.0)
    await until(lambda: says(loaded, "embeds"))
    shown = "\n".join(texts(loaded))
    assert "chats · 720 MB · 8,192 tokens of context · 4 threads" in shown
    assert "embeds · at work · 2,048 tokens of context · 1 thread · 12 layers" in shown
    assert "4.0 GB of 16.0 GB" in shown and loaded.bar.value() == 750
    assert not loaded.nothing.isVisible()
    loaded.show_models([], MEMORY, 1_100.0)
    assert loaded.nothing.isVisible() and not says(loaded, "720 MB")


async def test_a_model_at_rest_can_be_unloaded_and_one_at_work_not(loaded: LoadedModels) -> None:
    wanted: list[LoadedModel] = []
    loaded.unload_wanted.connect(wanted.append)
    loaded.show_models([READY, EMBEDS], MEMORY, 1_100.0)
    await until(lambda: says(loaded, "embeds"))
    assert not button(loaded, "Unload local/e.gguf").isEnabled()
    unload = button(loaded, "Unload local/starter")
    loaded.show_models([READY], MEMORY, 1_200.0)
    assert button(loaded, "Unload local/starter") is unload
    unload.click()
    assert wanted == [READY]


async def test_every_field_has_a_name_for_screen_readers(theme: Theme) -> None:
    options = EngineOptions(4, theme)
    named = (options.threads, options.context, options.gpu_layers, options.stay)
    assert all(control.accessibleName() for control in named)
    options.deleteLater()
