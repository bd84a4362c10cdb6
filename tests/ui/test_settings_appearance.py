"""The page Appearance: the look applies at once, everywhere, and is written into the settings."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from PySide6.QtCore import QSettings, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel

from chatty_desktop.domain.settings import Appearance
from chatty_desktop.ui.settings.page_appearance import SettingsPage
from chatty_desktop.ui.theme import Theme
from tests.helpers.servers import OpenAIServer
from tests.ui.opened import Opened, opened, stored
from tests.ui.panels import button, says, until


def page_of(made: Opened) -> SettingsPage:
    """The page, in front."""
    page = made.window.others.open_settings("appearance").page("appearance")
    assert isinstance(page, SettingsPage)
    return page


def written(data_dir: Path) -> dict[str, object]:
    """What settings.json says of the look."""
    found = json.loads((data_dir / "settings.json").read_text("utf-8")).get("appearance", {})
    assert isinstance(found, dict)
    return found


def pick(made: Opened, name: str, value: object) -> None:
    """Choose an entry of one of the page's boxes as a person does."""
    box = getattr(page_of(made), name)
    box.setCurrentIndex(box.findData(value))
    box.activated.emit(box.currentIndex())


async def test_the_colours_of_the_page_and_of_the_menu_are_one(
    open_window: Opened, theme: Theme, data_dir: Path
) -> None:
    page, schemes = page_of(open_window), open_window.window.actions_.schemes
    pick(open_window, "theme_choice", "dark")
    await until(lambda: theme.is_dark and schemes["dark"].isChecked())
    assert written(data_dir)["theme"] == "dark"
    schemes["light"].trigger()
    await until(lambda: not theme.is_dark and page.theme_choice.currentData() == "light")
    assert written(data_dir)["theme"] == "light"


async def test_colours_remembered_by_an_earlier_version_are_taken_over_once(
    data_dir: Path, theme: Theme, server: OpenAIServer
) -> None:
    state = QSettings(str(data_dir / "window.ini"), QSettings.Format.IniFormat)
    state.setValue("colours", "dark")
    state.sync()
    async with opened(data_dir, theme, server) as made:
        await until(lambda: theme.is_dark and written(data_dir).get("theme") == "dark")
        pick(made, "theme_choice", "system")
        await until(lambda: not theme.is_dark)
    async with opened(data_dir, theme, server) as made:
        assert made.app.settings.current.appearance.theme == "system"
        assert not theme.is_dark


async def test_the_size_of_the_letters_applies_to_labels_lists_and_messages_at_once(
    open_window: Opened, theme: Theme, qapp: QApplication, data_dir: Path
) -> None:
    session = await open_window.session("sizes", 2)
    open_window.window.chat.open(session.id)
    await until(lambda: open_window.said()[-1:] == ["answer 1"])
    page = page_of(open_window)
    before = qapp.font().pointSizeF()
    window = open_window.window
    heading = window.chat.header.findChild(QLabel)
    assert heading is not None
    in_heading = heading.font().pointSizeF() / before
    await until(lambda: window.sessions.view.model().rowCount() > 1)
    rows = window.sessions.view.sizeHintForRow(1)
    high = open_window.views[-1].height()
    page.font_size.setValue(18)
    await until(lambda: qapp.font().pointSizeF() == 18)
    assert written(data_dir)["font_size"] == 18
    assert heading.font().pointSizeF() == pytest.approx(18 * in_heading)
    assert page.language.font().pointSizeF() == 18
    assert theme.small().pointSizeF() < 18
    await until(lambda: window.sessions.view.sizeHintForRow(1) > rows)
    await until(lambda: open_window.views[-1].height() > high)
    button(page, "As the system").click()
    await until(lambda: qapp.font().pointSizeF() == before)
    assert "font_size" not in written(data_dir)
    assert heading.font().pointSizeF() == pytest.approx(before * in_heading)


async def test_a_size_that_is_typed_applies_when_it_is_whole(
    open_window: Opened, qapp: QApplication
) -> None:
    page = page_of(open_window)
    field = page.font_size.lineEdit()
    field.setFocus()
    field.selectAll()
    QTest.keyClicks(field, "14")
    assert open_window.app.settings.current.appearance.font_size is None
    QTest.keyClick(field, Qt.Key.Key_Return)
    await until(lambda: qapp.font().pointSizeF() == 14)


async def test_compact_brings_rows_buttons_and_messages_closer(
    open_window: Opened, theme: Theme
) -> None:
    session = await open_window.session("close", 2)
    open_window.window.chat.open(session.id)
    await until(lambda: open_window.said()[-1:] == ["answer 1"])
    view, page = open_window.window.sessions.view, page_of(open_window)
    await until(lambda: view.model().rowCount() > 1)
    high = (view.sizeHintForRow(1), page.language.sizeHint().height())
    message = open_window.views[0].height()
    pick(open_window, "density", "compact")
    await until(lambda: theme.measures.message == 8)
    await until(lambda: view.sizeHintForRow(1) < high[0])
    assert page.language.sizeHint().height() < high[1]
    await until(lambda: open_window.views[0].height() < message)


async def test_long_messages_keep_their_height_when_the_look_changes(
    open_window: Opened, theme: Theme
) -> None:
    agent_id = await open_window.agent()
    session = await open_window.app.sessions.create("long", agent_id)
    message = stored(session.id, None, agent_id, "user", "word " * 300)
    await open_window.app.messages.append(message)
    open_window.window.chat.open(session.id)
    await until(lambda: len(open_window.views) == 1 and open_window.views[0].height() > 100)
    high = open_window.views[0].height()
    pick(open_window, "theme_choice", "dark")
    await until(lambda: theme.is_dark)
    await open_window.tasks.idle()
    await until(lambda: open_window.views[0].height() == high)
    pick(open_window, "density", "compact")
    await until(lambda: high - 16 <= open_window.views[0].height() < high)


async def test_another_language_is_written_and_said_to_come_with_the_next_start(
    open_window: Opened, data_dir: Path
) -> None:
    page = page_of(open_window)
    names = [page.language.itemText(row) for row in range(page.language.count())]
    assert names[0].startswith("As the system (")
    assert names[1:] == ["English", "Deutsch"]
    pick(open_window, "language", "de")
    await until(lambda: written(data_dir).get("language") == "de")
    await until(lambda: says(page, "Close the app and open it again"))


async def test_a_window_opens_in_the_look_that_was_chosen(
    data_dir: Path, theme: Theme, server: OpenAIServer, qapp: QApplication
) -> None:
    look = Appearance(theme="dark", font_size=12, density="compact")
    async with opened(data_dir, theme, server) as made:
        await made.app.settings.change(lambda now: now.model_copy(update={"appearance": look}))
    theme.show(Appearance())
    async with opened(data_dir, theme, server):
        assert theme.is_dark
        assert qapp.font().pointSizeF() == 12
        assert theme.measures.message == 8


async def test_the_key_that_sends_applies_at_once_and_is_written(
    open_window: Opened, data_dir: Path
) -> None:
    pick(open_window, "send_with", "ctrl_enter")
    send = open_window.window.chat.composer.send
    await until(lambda: send.toolTip() == "Send (Ctrl+Enter); Enter begins a new line")
    found = json.loads((data_dir / "settings.json").read_text("utf-8"))
    assert found["chat"] == {"send_with": "ctrl_enter"}
