"""What the window says where chats are in a database on a PostgreSQL server."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import pytest
from PySide6.QtWidgets import QApplication, QMessageBox, QWidget

from chatty_desktop.domain.errors import OpenElsewhere
from chatty_desktop.ui.desktop import Desktop
from chatty_desktop.ui.main_window import MainWindow
from chatty_desktop.ui.settings.page_data import SettingsPage
from chatty_desktop.ui.theme import Theme
from tests.helpers.servers import OpenAIServer
from tests.ui.panels import button, says, texts, until
from tests.ui.test_forgetting import asked, open_dialog

if TYPE_CHECKING:
    from tests.ui.opened import Opened

pytestmark = pytest.mark.skipif(os.name == "nt", reason="the server is started on a Unix socket")

OUT_OF_REACH = "What the server keeps beside its tables"


@pytest.fixture
async def on_a_server(
    data_dir: Path,
    theme: Theme,
    server: OpenAIServer,
    postgresql_url: str,
    monkeypatch: pytest.MonkeyPatch,
) -> AsyncIterator[Opened]:
    from tests.ui.opened import opened

    monkeypatch.setenv("CHATTY_DATABASE_URL", postgresql_url)
    async with opened(data_dir, theme, server) as made:
        yield made


async def test_settings_say_where_the_chats_are_and_what_stays_here(on_a_server: Opened) -> None:
    page = on_a_server.window.others.open_settings("data").page("data")
    assert isinstance(page, SettingsPage)
    await page.tasks.idle()
    await until(lambda: "…" not in texts(page.room))
    assert says(page, f"in a database on a server: {on_a_server.app.data.server}.")
    assert says(page, "None is made by itself.")
    assert not says(page, "Everything that the app keeps is in this folder")


async def test_forgetting_says_before_and_after_what_it_cannot_reach(on_a_server: Opened) -> None:
    await asked(on_a_server)
    on_a_server.window.actions_.forget_chat.trigger()
    await until(lambda: open_dialog(on_a_server))
    dialog = open_dialog(on_a_server)
    assert dialog is not None
    assert says(dialog, OUT_OF_REACH)
    dialog.forget.click()
    await until(lambda: says(dialog, "Nothing of it is left in the database or on this machine."))
    assert says(dialog, OUT_OF_REACH)
    button(dialog, "Close").click()


T = TypeVar("T", bound=QWidget)


def on_top(kind: type[T]) -> list[T]:
    return [
        each
        for each in QApplication.topLevelWidgets()
        if each.isVisible() and isinstance(each, kind)
    ]


async def test_chats_in_use_elsewhere_are_left_or_taken_over_from_the_window(
    on_a_server: Opened, tmp_path: Path
) -> None:
    application = QApplication.instance()
    assert isinstance(application, QApplication)
    theirs = on_a_server.app

    async def answered(word: str) -> asyncio.Task[int]:
        desktop = Desktop(application, tmp_path / "other")
        living = asyncio.create_task(desktop.live())
        await until(lambda: on_top(QMessageBox))
        (box,) = on_top(QMessageBox)
        assert says(box, "Your chats are in use on ")
        assert box.defaultButton().text() == "Quit"
        button(box, word).click()
        return living

    assert await asyncio.wait_for(await answered("Quit"), 30) == 1
    await theirs.sessions.create("Still ours", await on_a_server.agent())
    living = await answered("Take over")
    await until(lambda: len(on_top(MainWindow)) == 2)
    with pytest.raises(OpenElsewhere):
        await theirs.sessions.create("Lost", await on_a_server.agent())
    for window in on_top(MainWindow):
        if window is not on_a_server.window:
            window.close()
    assert await asyncio.wait_for(living, 30) == 0

    def windows() -> list[MainWindow]:
        every = QApplication.topLevelWidgets()
        return [each for each in every if isinstance(each, MainWindow)]

    await until(lambda: windows() == [on_a_server.window])
