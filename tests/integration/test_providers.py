"""Renaming and removing a provider, over the real app."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from keyring.errors import KeyringLocked

from chatty_desktop.app import App
from chatty_desktop.domain.errors import Invalid, NoKeyring
from tests.helpers.desk import definition
from tests.helpers.folder import Room, settings_for
from tests.helpers.keyrings import FailingKeyring, MemoryKeyring, system_keyring
from tests.helpers.servers import OpenAIServer

KEY = "sk-planted-0123456789"


@pytest.fixture
async def server() -> AsyncIterator[OpenAIServer]:
    async with OpenAIServer(key=KEY) as running:
        yield running


@pytest.fixture
async def app(data_dir: Path, server: OpenAIServer, keyring: MemoryKeyring) -> AsyncIterator[App]:
    settings_for(data_dir, server.base_url)
    made = await App.open(data_dir)
    ada = definition({"kind": "state", "spec": "x", "fields": [], "model": "lab/small"})
    await made.agents.save(ada.model_copy(update={"model": "lab/small"}))
    yield made
    await made.close()


async def test_a_renamed_provider_answers_with_its_key_under_its_new_name(
    app: App, server: OpenAIServer, keyring: MemoryKeyring
) -> None:
    await app.keys.set("lab", KEY)
    await app.providers.rename("lab", "office")
    assert app.settings.current.default_model == "office/small"
    assert list(keyring.kept) == [("chatty-desktop", "office")]
    ada = await app.agents.by_name("Ada")
    assert ada is not None and ada.definition.model == "office/small"
    session = await app.sessions.create("Talk")
    room = Room(app, ada, session.id)
    assert (await room.say("Hello?")).content == "Hello from the scripted server."


async def test_a_name_that_is_refused_leaves_everything_as_it_was(
    app: App, keyring: MemoryKeyring
) -> None:
    await app.keys.set("lab", KEY)
    before = app.settings.current
    with pytest.raises(Invalid):
        await app.providers.rename("lab", "a/b")
    assert app.settings.current == before
    assert keyring.kept == {("chatty-desktop", "lab"): KEY}


async def test_a_removed_provider_takes_its_key_along_when_wanted(
    app: App, keyring: MemoryKeyring
) -> None:
    await app.keys.set("lab", KEY)
    assert (await app.providers.use("lab")).agents == ("Ada",)
    await app.providers.remove("lab", forget_key=False)
    assert app.settings.current.providers == () and app.settings.current.default_model is None
    assert keyring.kept == {("chatty-desktop", "lab"): KEY}
    await app.keys.forget("lab")
    assert keyring.kept == {}


async def test_a_provider_whose_key_cannot_be_forgotten_stays(app: App) -> None:
    with system_keyring(FailingKeyring(KeyringLocked())), pytest.raises(NoKeyring, match="locked"):
        await app.providers.remove("lab", forget_key=True)
    assert app.settings.current.provider("lab") is not None


async def test_a_new_key_counts_from_the_next_request_on(app: App, server: OpenAIServer) -> None:
    _, problems = await app.models.choices()
    assert "wants a key" in problems[0]
    await app.keys.set("lab", KEY)
    choices, problems = await app.models.choices()
    assert problems == [] and [choice.listed for choice in choices] == [True]
    await app.keys.forget("lab")
    _, problems = await app.models.choices()
    assert "wants a key" in problems[0]


def test_a_keyring_that_hangs_does_not_keep_the_app_from_ending(data_dir: Path) -> None:
    """In a process of its own: it is its end that a thread could hold up."""
    settings_for(data_dir, "http://127.0.0.1:9")
    code = """
import asyncio
from chatty_desktop.app import App

async def once():
    app = await App.open()
    asking = asyncio.ensure_future(app.models.choices())
    await asyncio.sleep(0.5)
    assert not asking.done()
    asking.cancel()
    await app.close()

asyncio.run(once())
print("ended")
"""
    environment = {
        **os.environ,
        "CHATTY_DATA_DIR": str(data_dir),
        "PYTHON_KEYRING_BACKEND": "tests.helpers.keyrings.HangingKeyring",
        "PYTHONPATH": str(Path(__file__).parents[2]),
    }
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=environment,
        capture_output=True,
        text=True,
        timeout=50,  # it hangs for longer
        check=False,
    )
    assert (done.returncode, done.stdout.strip()) == (0, "ended"), done.stderr
