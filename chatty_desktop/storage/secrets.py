"""Keys of providers: the environment, the system's keyring, or a file if the person agreed."""

from __future__ import annotations

import asyncio
import logging
import os
from pathlib import Path

from chatty_desktop.domain.errors import ChattyError, Invalid, NoKeyring
from chatty_desktop.domain.events import KeyChanged, Notice
from chatty_desktop.domain.keys import KeyState, checked_key, environment_name
from chatty_desktop.engine.ports import Publish
from chatty_desktop.storage.key_file import KeyFile
from chatty_desktop.storage.system_keyring import SystemKeyring

log = logging.getLogger(__name__)


class ProviderKeys:
    """The keys of all providers by their ids. They are nowhere else: not in the settings, the
    database, an export or the log.

    The environment comes first, so that one start can be given another key; then the file, which
    is there only where the person agreed to it, and holds what could not be put into the keyring;
    then the keyring. What stands in the way of a
    key is told once, as a notice, and in `state`.
    """

    def __init__(self, file: Path, publish: Publish, keyring: SystemKeyring | None = None) -> None:
        self._file = KeyFile(file)
        self._publish = publish
        self._keyring = keyring or SystemKeyring()
        self._changing = asyncio.Lock()
        self._told: set[str] = set()

    async def key(self, provider_id: str) -> str | None:
        """The key of a provider, None where there is none or where it cannot be had."""
        found, state = await self._find(provider_id)
        if state.trouble and state.source == "none":
            self._tell(f"{state.trouble} Until then servers that want that key will refuse.")
        return found

    async def state(self, provider_id: str) -> KeyState:
        """Where a provider's key comes from, without the key."""
        return (await self._find(provider_id))[1]

    async def keyring_trouble(self) -> str:
        """Why the keyring keeps no keys, "" where it does."""
        return await self._keyring.trouble()

    async def set(self, provider_id: str, key: str, *, into_file: bool = False) -> None:
        """Keep a key, in the keyring; in the file with `into_file`, or when it was agreed to
        before and there is no keyring.

        Raises `Invalid` for what cannot be a key or is the environment's to say, `NoKeyring` when
        the person has to be asked about the file, `StorageFailed` when that cannot be written.
        """
        key = checked_key(key)
        variable = environment_name(provider_id)
        if os.environ.get(variable):
            raise Invalid(f"The key comes from the environment: change {variable} there.")
        async with self._changing:
            if into_file:
                await self._put_into_file(provider_id, key)
            else:
                await self._put_into_keyring(provider_id, key)
        self._publish(KeyChanged(provider_id))

    async def forget(self, provider_id: str) -> None:
        """Forget a stored key, wherever it is. Raises `StorageFailed` when it is still there
        afterwards; that of the environment stays."""
        async with self._changing:
            await self._put_into_file(provider_id, None)
            try:
                await self._keyring.delete(provider_id)
            except NoKeyring as error:
                if not error.missing:  # one that is not there keeps nothing
                    raise
        self._publish(KeyChanged(provider_id))

    async def copy(self, provider_id: str, new_id: str) -> bool:
        """Give the stored key of a provider to another id, too; False where there is none.
        Raises as `set` does."""
        key, state = await self._find(provider_id)
        if key is None or state.source == "environment":
            return False
        await self.set(new_id, key, into_file=state.source == "file")
        return True

    async def _find(self, provider_id: str) -> tuple[str | None, KeyState]:
        variable = environment_name(provider_id)
        if named := os.environ.get(variable, "").strip():
            try:
                return checked_key(named), KeyState("environment", variable)
            except Invalid as error:
                trouble = f"The key in {variable} cannot be used. {error}"
                return None, KeyState("none", variable, trouble)
        trouble = ""
        try:
            if key := (await self._in_file()).get(provider_id):
                return checked_key(key), KeyState("file", variable)
        except ChattyError as error:
            trouble = str(error)
        try:
            if key := await self._keyring.get(provider_id):
                return checked_key(key), KeyState("keyring", variable)
        except Invalid as error:
            trouble = f"The key of {provider_id} in the keyring cannot be used. {error}"
        except NoKeyring as error:
            trouble = trouble if error.missing else str(error)
        return None, KeyState("none", variable, trouble)

    async def _in_file(self) -> dict[str, str]:
        keys = await asyncio.to_thread(self._file.read)
        if self._file.was_open:
            self._tell(
                f"Other users of this computer could read the keys in {self._file.path}. The file"
                " is closed to them now; where that matters, have new keys made."
            )
        return keys

    async def _put_into_keyring(self, provider_id: str, key: str) -> None:
        try:
            await self._keyring.set(provider_id, key)
        except NoKeyring:
            if not await asyncio.to_thread(lambda: self._file.exists):
                raise
            await self._put_into_file(provider_id, key)
        else:
            await self._put_into_file(provider_id, None)

    async def _put_into_file(self, provider_id: str, key: str | None) -> None:
        def change() -> None:
            keys = self._file.read()
            before = dict(keys)
            keys.pop(provider_id, None)
            if key is not None:
                keys[provider_id] = key
            if keys != before:
                self._file.write(keys)

        await asyncio.to_thread(change)

    def _tell(self, text: str) -> None:
        """Once, however many requests meet it."""
        if text not in self._told:
            self._told.add(text)
            log.info("%s", text)
            self._publish(Notice("warning", text))
