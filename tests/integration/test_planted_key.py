"""A key is nowhere but where it is kept: not in the data folder, the log, a backup or an export,
whatever goes wrong with the server that it is for."""

from __future__ import annotations

import json
import logging
import zipfile
from contextlib import suppress
from functools import partial
from io import BytesIO
from pathlib import Path

import pytest

from chatty_desktop.app import App
from chatty_desktop.domain.agents import write_agent
from chatty_desktop.domain.errors import ChattyError
from chatty_desktop.domain.events import Event
from chatty_desktop.domain.settings import ProviderSettings, Settings
from chatty_desktop.domain.work import Work
from chatty_desktop.ui.log_file import logging_to
from tests.helpers.folder import Room, settings_for
from tests.helpers.keyrings import FailingKeyring, MemoryKeyring, system_keyring
from tests.helpers.servers import Fixed, FixedServer, OllamaServer, OpenAIServer, Received

KEY = "sk-planted-0123456789abcdef"


def repeats_the_key(received: Received) -> Fixed:
    """What a server does that is careless about keys."""
    sent = received.headers.get("authorization", "")
    status = 401 if received.path.endswith("/models") else 500
    return Fixed(status, json.dumps({"error": {"message": f"not with {sent}"}}))


def holding(folder: Path, secret: str) -> list[str]:
    """The files of a folder, also those inside zip files, that hold a text."""
    found = []
    for file in folder.rglob("*"):
        if file.is_file():
            content = file.read_bytes()
            parts = [content]
            if zipfile.is_zipfile(BytesIO(content)):
                with zipfile.ZipFile(BytesIO(content)) as packed:
                    parts += [packed.read(name) for name in packed.namelist()]
            if any(secret.encode() in part for part in parts):
                found.append(str(file.relative_to(folder)))
    return found


async def talk(room: Room, text: str) -> None:
    """Say something; what comes of it is in the chat, the ledger and the log."""
    with suppress(ChattyError):
        await room.say(text)


def _with(entry: ProviderSettings, now: Settings) -> Settings:
    return now.with_provider(entry)


async def use_everything(app: App, out: Path) -> None:
    """Chat, fail, test, rename, export and back up with a key set."""
    room = Room(app, (await app.agents.list())[0], (await app.sessions.create("Talk")).id)
    await talk(room, "Hello?")
    async with FixedServer(repeats_the_key) as careless:
        for kind in ("openai", "ollama"):
            entry = ProviderSettings.model_validate(
                {"id": "lab", "kind": kind, "base_url": careless.address}
            )
            await app.settings.change(partial(_with, entry))
            await talk(room, f"And now, {kind}?")
            await app.models.choices()
            test = await app.models.test(entry)
            assert "not with" in test.problem
            await app.models.test(entry, KEY)
        assert all(KEY in r.headers.get("authorization", "") for r in careless.requests[:1])
    await talk(room, "Is anyone there?")
    await app.providers.rename("lab", "office")
    definition = room.agent.definition
    (out / "agent.json").write_text(write_agent(definition), "utf-8")
    await app.data.back_up(out / "backup.zip", Work())
    await app.data.export(out / "export.zip", Work())


async def test_a_key_is_in_no_file_notice_or_answer(
    data_dir: Path, tmp_path: Path, keyring: MemoryKeyring
) -> None:
    out = tmp_path / "out"
    out.mkdir()
    told: list[Event] = []
    with logging_to(data_dir / "logs"):
        async with OpenAIServer(key=KEY) as server:
            settings_for(data_dir, server.base_url)
            room = await Room.open(data_dir)
            room.app.events.subscribe(told.append)
            await room.app.keys.set("lab", KEY)
            await use_everything(room.app, out)
            assert server.chats, "the key let a chat through"
            logging.getLogger("chatty_desktop").info("the log is written")
        await room.close()
    assert keyring.kept == {("chatty-desktop", "office"): KEY}
    assert "the log is written" in (data_dir / "logs" / "chatty.log").read_text("utf-8")
    assert (out / "backup.zip").stat().st_size and (out / "export.zip").stat().st_size
    assert holding(tmp_path, KEY) == []
    assert KEY not in repr(told)


async def test_a_key_in_the_file_leaves_the_folder_in_no_backup_and_no_export(
    data_dir: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    out.mkdir()
    async with OllamaServer(key=KEY) as server:
        settings_for(data_dir, server.base_url, kind="ollama")
        room = await Room.open(data_dir)
        await room.app.keys.set("lab", KEY, into_file=True)
        await use_everything(room.app, out)
        await room.close()
    assert holding(tmp_path, KEY) == ["data/keys.json"]


async def test_a_keyring_that_repeats_a_key_does_not_bring_it_into_the_log(
    data_dir: Path, tmp_path: Path
) -> None:
    with (
        logging_to(data_dir / "logs"),
        system_keyring(FailingKeyring(RuntimeError("no"), talkative=True)),
    ):
        app = await App.open(data_dir)
        with pytest.raises(ChattyError) as refused:
            await app.keys.set("lab", KEY)
        logging.getLogger("chatty_desktop").info("refused", exc_info=refused.value)
        await app.close()
    assert "NoKeyring" in (data_dir / "logs" / "chatty.log").read_text("utf-8")
    assert holding(tmp_path, KEY) == []
