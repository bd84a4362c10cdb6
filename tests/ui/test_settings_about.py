"""The page About: versions, licences with their texts, and details that give nothing away."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from PySide6.QtWidgets import QApplication

from chatty_desktop import __version__
from chatty_desktop.domain.settings import ProviderSettings
from chatty_desktop.ui.settings.licences import packages, text_of, version_of
from chatty_desktop.ui.settings.page_about import SettingsPage, details
from tests.ui.opened import Opened
from tests.ui.panels import says, until


def page_of(made: Opened) -> SettingsPage:
    page = made.window.others.open_settings("about").page("about")
    assert isinstance(page, SettingsPage)
    return page


def row_of(page: SettingsPage, name: str) -> int:
    rows = [page.parts.item(row).text() for row in range(page.parts.count())]
    return next(at for at, text in enumerate(rows) if text.startswith(name))


async def test_it_names_the_versions_at_work_and_the_place_of_the_log(open_window: Opened) -> None:
    page = page_of(open_window)
    assert says(page, __version__)
    assert says(page, sqlite3.sqlite_version)
    assert says(page, version_of("lancedb"))
    assert says(page, str(open_window.app.paths.logs))


async def test_each_part_shows_its_licence_and_the_app_its_own_first(open_window: Opened) -> None:
    page = page_of(open_window)
    await until(lambda: page.parts.count() > 20)
    assert page.parts.item(0).text().startswith(f"chatty-desktop {__version__} · MIT")
    await until(lambda: "Permission is hereby granted" in page.text.toPlainText())
    page.parts.setCurrentRow(row_of(page, "SQLAlchemy"))
    await until(lambda: "SQLAlchemy" in page.text.toPlainText())
    page.parts.setCurrentRow(row_of(page, "Qwen2.5-Coder"))
    await until(lambda: "Apache-2.0" in page.text.toPlainText())


async def test_the_details_in_the_clipboard_name_no_key_address_or_folder(
    open_window: Opened, data_dir: Path
) -> None:
    page = page_of(open_window)
    page.copy.click()
    text = QApplication.clipboard().text()
    assert f"Chatty Desktop: {__version__}" in text
    assert "Providers: openai" in text
    assert says(page, "Copied")
    for secret in (str(data_dir), str(Path.home()), open_window.server.base_url, "lab"):
        assert secret not in text


def test_details_of_a_hand_made_provider_give_nothing_of_it_away(open_window: Opened) -> None:
    provider = ProviderSettings(
        id="mine", kind="openai", base_url="http://secret.example/v1", models=("hush",)
    )
    settings = open_window.app.settings.current.model_copy(update={"providers": (provider,)})
    text = details(settings, "dark", "3")
    assert not any(word in text for word in ("mine", "secret", "hush"))


def test_every_package_the_app_needs_names_a_licence() -> None:
    found = {part.name: part.licence for part in packages()}
    assert {"openai", "lancedb", "PySide6_Essentials", "pydantic_core"} <= set(found)
    assert [name for name, licence in found.items() if not licence] == []
    assert "pytest" not in found
    assert text_of("no-such-package") == ""
