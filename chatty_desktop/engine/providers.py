"""Changes of a provider that reach beyond its own entry in the settings."""

from __future__ import annotations

from chatty_desktop.domain.errors import Invalid, StorageFailed
from chatty_desktop.domain.provider_use import (
    ProviderUse,
    removed,
    renamed,
    renamed_in_agent,
    use_of,
)
from chatty_desktop.domain.settings import checked
from chatty_desktop.engine.ports import Agents, Keys, SettingsStore


class Providers:
    """Renames and removes providers, with what names them: settings, agents, keys."""

    def __init__(self, settings: SettingsStore, keys: Keys, agents: Agents) -> None:
        self._settings = settings
        self._keys = keys
        self._agents = agents

    async def use(self, provider_id: str) -> ProviderUse:
        """What names a provider now."""
        return use_of(self._settings.current, await self._agents.list(), provider_id)

    async def rename(self, old: str, new: str) -> None:
        """Call a provider otherwise, and carry along all that names it: its stored key, the models
        of the settings, and those of agents.

        Raises `Invalid` when the new name is none or taken, `StorageFailed` when the key cannot be
        carried along; nothing is changed then.
        """
        checked(renamed(self._settings.current, old, new))
        # First under both names, so that it is never under none.
        copied = await self._keys.copy(old, new)
        try:
            await self._settings.change(lambda now: renamed(now, old, new))
        except (Invalid, StorageFailed):
            if copied:
                await self._keys.forget(new)
            raise
        for agent in await self._agents.list():
            definition = renamed_in_agent(agent.definition, old, new)
            if definition != agent.definition:
                await self._agents.save(definition, agent.id)
        if copied:
            await self._keys.forget(old)

    async def remove(self, provider_id: str, *, forget_key: bool) -> None:
        """Take a provider out of the settings. Agents keep the models they name: they answer again
        once a provider of that name is there.

        Raises `StorageFailed` when the key cannot be forgotten; the provider stays then, since
        nothing else would show that the key is still there.
        """
        if forget_key:
            await self._keys.forget(provider_id)
        await self._settings.change(lambda now: removed(now, provider_id))
