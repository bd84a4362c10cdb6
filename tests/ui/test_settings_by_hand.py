"""settings.json changed by hand while the window is open."""

from __future__ import annotations

import json
from pathlib import Path

from chatty_desktop.ui.settings.page_appearance import SettingsPage
from tests.ui.opened import Opened
from tests.ui.panels import until


async def test_what_is_saved_in_an_editor_shows_in_the_window_and_its_settings(
    open_window: Opened, data_dir: Path
) -> None:
    page = open_window.window.others.open_settings("appearance").page("appearance")
    assert isinstance(page, SettingsPage)
    file = data_dir / "settings.json"
    value = json.loads(file.read_text("utf-8"))
    file.write_text(json.dumps(value | {"appearance": {"theme": "dark"}}), "utf-8")
    await until(lambda: page.theme_choice.currentData() == "dark")
    await until(lambda: page.theme.is_dark)


async def test_a_broken_file_is_told_in_a_banner_with_its_line(
    open_window: Opened, data_dir: Path
) -> None:
    (data_dir / "settings.json").write_text('{\n  "appearance":\n    {"theme": "plaid"}\n}')
    await until(open_window.window.chat.banners.shown)
    (told,) = open_window.window.chat.banners.shown()
    assert "line 3: appearance.theme" in told
    assert "settings.broken-" in told
    assert json.loads((data_dir / "settings.json").read_text())["default_model"] == "lab/small"
