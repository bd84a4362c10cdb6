"""The window of the settings: its pages, and the search over all that they say."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from chatty_desktop.domain.errors import Invalid
from chatty_desktop.domain.settings import Settings
from chatty_desktop.ui.settings import page_about, page_providers
from chatty_desktop.ui.settings.dialog import SettingsDialog
from chatty_desktop.ui.settings.pages import PAGES
from tests.ui.opened import Opened


def shown(dialog: SettingsDialog) -> list[str]:
    """The names of the pages that stand in the list."""
    items = [dialog.list.item(row) for row in range(dialog.list.count())]
    return [str(i.data(Qt.ItemDataRole.UserRole)) for i in items if not i.isHidden()]


async def test_the_menu_opens_the_settings_on_their_first_page(open_window: Opened) -> None:
    open_window.window.actions_.settings.trigger()
    dialog = open_window.window.findChild(SettingsDialog)
    assert dialog is not None
    assert dialog.isVisible()
    assert dialog.current == PAGES[0][0]
    assert shown(dialog) == [name for name, _title, _icon in PAGES]


async def test_a_page_is_opened_by_its_name_and_left_as_it_was(open_window: Opened) -> None:
    dialog = open_window.window.others.open_settings("about")
    assert dialog.current == "about"
    dialog.close()
    assert open_window.window.others.open_settings() is dialog
    assert dialog.current == "about"


async def test_a_search_leaves_the_pages_that_say_the_words(open_window: Opened) -> None:
    dialog = open_window.window.others.open_settings("about")
    dialog.search.setText("APPEAR")
    assert "appearance" in shown(dialog)
    assert len(shown(dialog)) < len(PAGES)
    assert dialog.current in shown(dialog)
    dialog.search.setText("no page says this")
    assert shown(dialog) == []
    assert dialog.current == ""
    dialog.search.clear()
    assert len(shown(dialog)) == len(PAGES)


async def test_a_page_is_entered_once_on_opening_and_not_by_letters_of_the_search(
    open_window: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    entered: list[str] = []
    for page in (page_about, page_providers):
        name = page.__name__.rpartition("_")[2]
        monkeypatch.setattr(
            page.SettingsPage, "entered", lambda _page, name=name: entered.append(name)
        )
    window = open_window.window
    dialog = window.others.open_settings("about")
    assert entered == ["about"]
    dialog.close()
    window.others.open_settings("about")
    assert entered == ["about"] * 2
    dialog.close()
    window.others.open_settings()
    assert entered == ["about"] * 3
    QTest.keyClicks(dialog.search, "licence")
    assert dialog.current == "about"
    assert entered == ["about"] * 3
    window.others.open_settings("about")
    assert entered == ["about"] * 4
    dialog.search.setText("no page says this")
    window.others.open_settings()
    assert entered == ["about"] * 4 + ["providers"]


async def test_a_change_that_breaks_a_rule_is_refused_and_nothing_is_written(
    open_window: Opened, data_dir: Path
) -> None:
    settings = open_window.app.settings
    before = settings.current
    twice = (*before.providers, before.providers[0])

    def change(now: Settings) -> Settings:
        return now.model_copy(update={"providers": twice})

    with pytest.raises(Invalid, match="two providers are called"):
        await settings.change(change)
    assert settings.current == before
    written = json.loads((data_dir / "settings.json").read_text("utf-8"))
    assert len(written["providers"]) == len(before.providers)
