"""What the window says where chats are in a database on a PostgreSQL server."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

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
