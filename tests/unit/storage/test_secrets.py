"""Where keys are kept, and what stands in the way of it."""

from __future__ import annotations

import asyncio
import json
import os
import stat
from pathlib import Path

import pytest
from keyring.backends import fail, null
from keyring.errors import KeyringLocked, PasswordSetError

from chatty_desktop.domain.errors import Invalid, NoKeyring, StorageFailed
from chatty_desktop.domain.events import Event, KeyChanged, Notice
from chatty_desktop.domain.keys import environment_name
from chatty_desktop.storage.secrets import ProviderKeys
from chatty_desktop.storage.system_keyring import SystemKeyring
from tests.helpers.keyrings import (
    FailingKeyring,
    ForgetfulKeyring,
    HangingKeyring,
    MemoryKeyring,
    system_keyring,
)

KEY = "sk-planted-0123456789"
SERVICE = "chatty-desktop"

posix = pytest.mark.skipif(os.name == "nt", reason="Windows keeps others out by the folder")


class Store:
    """The keys of a folder, and what they told."""

    def __init__(self, folder: Path, seconds: float = 30.0) -> None:
        self.file = folder / "keys.json"
        self.events: list[Event] = []
        self.keys = ProviderKeys(self.file, self.events.append, SystemKeyring(seconds))

    def notices(self) -> list[str]:
        return [event.text for event in self.events if isinstance(event, Notice)]

    def written(self) -> dict[str, str]:
        found: dict[str, str] = json.loads(self.file.read_text("utf-8"))
        return found


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path)


async def test_a_key_goes_into_the_keyring_and_nowhere_else(
    store: Store, keyring: MemoryKeyring
) -> None:
    assert (await store.keys.state("lab")).source == "none"
    await store.keys.set("lab", f"  {KEY}\n")
    assert keyring.kept == {(SERVICE, "lab"): KEY}
    assert await store.keys.key("lab") == KEY
    assert (await store.keys.state("lab")).source == "keyring"
    assert not store.file.exists()
    assert store.events == [KeyChanged("lab")]


async def test_a_forgotten_key_is_gone_and_may_be_forgotten_twice(
    store: Store, keyring: MemoryKeyring
) -> None:
    await store.keys.set("lab", KEY)
    await store.keys.forget("lab")
    await store.keys.forget("lab")
    assert keyring.kept == {}
    assert await store.keys.key("lab") is None


async def test_the_environment_goes_first_and_cannot_be_overwritten(
    store: Store, keyring: MemoryKeyring, monkeypatch: pytest.MonkeyPatch
) -> None:
    await store.keys.set("my lab-1", "stored")
    monkeypatch.setenv("CHATTY_KEY_MY_LAB_1", "from-outside")
    assert await store.keys.key("my lab-1") == "from-outside"
    state = await store.keys.state("my lab-1")
    assert (state.source, state.variable) == ("environment", "CHATTY_KEY_MY_LAB_1")
    with pytest.raises(Invalid, match="CHATTY_KEY_MY_LAB_1"):
        await store.keys.set("my lab-1", KEY)
    assert keyring.kept == {(SERVICE, "my lab-1"): "stored"}


@pytest.mark.parametrize("written", ["", "  ", "two words", "sk-\nx", "sk-é", "sk-…"])
async def test_what_cannot_be_sent_as_a_key_is_refused_without_repeating_it(
    store: Store, keyring: MemoryKeyring, written: str
) -> None:
    with pytest.raises(Invalid) as refused:
        await store.keys.set("lab", written)
    assert not written.strip() or written not in str(refused.value)
    assert keyring.kept == {}


async def test_an_unusable_key_of_the_environment_is_told_once_and_not_used(
    store: Store, keyring: MemoryKeyring, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(environment_name("lab"), "sk-one\nsk-two")
    assert await store.keys.key("lab") is None
    assert await store.keys.key("lab") is None
    (notice,) = store.notices()
    assert "CHATTY_KEY_LAB" in notice and "sk-one" not in notice


# --- a keyring that is none ------------------------------------------------------------------


@pytest.mark.parametrize("backend", [fail.Keyring, null.Keyring])
async def test_without_a_keyring_a_key_is_kept_only_once_the_person_agreed_to_a_file(
    store: Store, backend: type[MemoryKeyring]
) -> None:
    with system_keyring(backend()):
        assert "no keyring" in await store.keys.keyring_trouble()
        with pytest.raises(NoKeyring) as told:
            await store.keys.set("lab", KEY)
        assert told.value.missing
        assert not store.file.exists()
        await store.keys.set("lab", KEY, into_file=True)
        assert await store.keys.key("lab") == KEY
        assert (await store.keys.state("lab")).source == "file"
        # Agreed once: the next one needs no question.
        await store.keys.set("other", "sk-other")
        assert store.written() == {"lab": KEY, "other": "sk-other"}
        await store.keys.forget("other")
        await store.keys.forget("lab")
        assert not store.file.exists()
    assert store.notices() == [], "a server without a key is nothing to warn of"


async def test_a_keyring_that_keeps_nothing_is_found_out(store: Store) -> None:
    with (
        system_keyring(ForgetfulKeyring()),
        pytest.raises(NoKeyring, match="did not keep it"),
    ):
        await store.keys.set("lab", KEY)
    assert store.events == []


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (KeyringLocked("Failed to unlock the collection!"), "locked"),
        (PasswordSetError("Can't store password on keychain: -25293"), "-25293"),
        (OSError("org.freedesktop.DBus.Error.ServiceUnknown"), "ServiceUnknown"),
    ],
)
async def test_a_keyring_that_refuses_is_told_once_and_the_rest_goes_on(
    store: Store, error: Exception, words: str
) -> None:
    with system_keyring(FailingKeyring(error)):
        assert await store.keys.key("lab") is None
        assert await store.keys.key("lab") is None
        assert words in (await store.keys.state("lab")).trouble
        assert len(store.notices()) == 1 and words in store.notices()[0]
        with pytest.raises(NoKeyring, match=words):
            await store.keys.set("lab", KEY)
        with pytest.raises(NoKeyring, match=words):
            await store.keys.forget("lab")


async def test_what_a_keyring_says_of_a_key_is_not_passed_on(store: Store) -> None:
    with (
        system_keyring(FailingKeyring(RuntimeError(), talkative=True)),
        pytest.raises(NoKeyring) as told,
    ):
        await store.keys.set("lab", KEY)
    assert "cannot store" in str(told.value)
    assert KEY not in str(told.value)
    assert told.value.__cause__ is None


async def test_a_keyring_that_hangs_holds_up_nobody_and_answers_when_it_is_back(
    tmp_path: Path,
) -> None:
    store = Store(tmp_path, seconds=0.2)
    hanging = HangingKeyring()
    hanging.kept[SERVICE, "lab"] = KEY
    with system_keyring(hanging):
        try:
            assert await store.keys.key("lab") is None
            assert len(store.notices()) == 1 and "did not answer" in store.notices()[0]
            with pytest.raises(NoKeyring, match="did not answer"):
                await store.keys.set("lab", KEY)
            assert hanging.questions == 1, "none is asked while one still hangs"
        finally:
            hanging.released.set()
        patient = Store(tmp_path)
        assert await patient.keys.key("lab") == KEY


async def test_who_gives_up_waiting_leaves_the_keyring_to_the_next(tmp_path: Path) -> None:
    store = Store(tmp_path)
    hanging = HangingKeyring()
    hanging.kept[SERVICE, "lab"] = KEY
    with system_keyring(hanging):
        try:
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(store.keys.key("lab"), 0.2)
            waiting = asyncio.create_task(store.keys.key("lab"))
            await asyncio.sleep(0.05)
        finally:
            hanging.released.set()
        assert await waiting == KEY
    assert store.notices() == []


# --- the file --------------------------------------------------------------------------------


@posix
async def test_the_file_is_closed_to_others_from_its_first_moment(store: Store) -> None:
    before = os.umask(0)
    try:
        await store.keys.set("lab", KEY, into_file=True)
        await store.keys.set("other", KEY, into_file=True)
    finally:
        os.umask(before)
    assert stat.S_IMODE(store.file.stat().st_mode) == 0o600
    assert [path.name for path in store.file.parent.iterdir()] == ["keys.json"]


@posix
async def test_a_file_that_others_can_read_is_closed_and_the_person_told(store: Store) -> None:
    store.file.write_text(json.dumps({"lab": KEY}))
    store.file.chmod(0o644)
    assert await store.keys.key("lab") == KEY
    assert stat.S_IMODE(store.file.stat().st_mode) == 0o600
    await store.keys.key("lab")
    (notice,) = store.notices()
    assert "Other users" in notice and KEY not in notice


@posix
async def test_a_link_in_the_place_of_the_file_is_not_followed(
    store: Store, tmp_path: Path
) -> None:
    elsewhere = tmp_path / "elsewhere.json"
    elsewhere.write_text(json.dumps({"lab": KEY}))
    store.file.symlink_to(elsewhere)
    assert await store.keys.key("lab") is None
    assert "cannot be read" in store.notices()[0]


@pytest.mark.parametrize("content", [f'{{"lab": "{KEY}"', f'["{KEY}"]', ""])
async def test_a_broken_file_is_named_without_its_content_and_not_overwritten(
    store: Store, content: str
) -> None:
    store.file.write_text(content)
    store.file.chmod(0o600)
    assert await store.keys.key("lab") is None
    assert "keys.json" in store.notices()[0] and KEY not in store.notices()[0]
    with pytest.raises(StorageFailed):
        await store.keys.set("lab", "sk-new", into_file=True)
    assert store.file.read_text() == content


async def test_a_key_that_goes_into_the_keyring_leaves_the_file(
    store: Store, keyring: MemoryKeyring
) -> None:
    await store.keys.set("lab", "sk-old", into_file=True)
    await store.keys.set("lab", KEY)
    assert await store.keys.key("lab") == KEY
    assert not store.file.exists()


async def test_a_key_is_copied_to_another_id_but_not_out_of_the_environment(
    store: Store, keyring: MemoryKeyring, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not await store.keys.copy("lab", "office")
    await store.keys.set("lab", KEY)
    assert await store.keys.copy("lab", "office")
    assert await store.keys.key("office") == KEY
    monkeypatch.setenv("CHATTY_KEY_LAB", "sk-outside")
    assert not await store.keys.copy("lab", "third")
    assert await store.keys.key("third") is None
