"""What is found out about the starter model in the local engine."""

from __future__ import annotations

from collections.abc import Callable

from chatty_desktop.domain.settings import ModelOptions, Settings
from chatty_desktop.paths import Paths
from chatty_desktop.providers.probing import ModelProbing
from chatty_desktop.providers.registry import ProviderRegistry


async def no_key(provider_id: str) -> str | None:
    return None


async def test_the_starter_model_calls_tools_is_constrained_and_does_not_embed(
    paths: Paths,
) -> None:
    saved: list[Settings] = []

    async def save(change: Callable[[Settings], Settings]) -> None:
        saved.append(change(Settings()))

    registry = ProviderRegistry(paths, no_key, lambda event: None, ask_seconds=10)
    registry.apply(Settings())
    try:
        found = await ModelProbing(registry, save).find_out("local/starter", lambda step: None)
    finally:
        await registry.close()
    assert (found.tools.holds, found.json_schema.holds, found.embeds.holds) == (True, True, False)
    assert found.card.longest_context == 32768
    assert found.card.size == 491_400_064
    (settings,) = saved
    assert settings.providers[0].options_of("starter") == ModelOptions(
        tools=True, json_schema=True, embeds=False
    )
