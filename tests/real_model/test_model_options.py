"""Options of a model in the local engine: a new context loads it anew, another temperature not."""

from __future__ import annotations

import psutil

from chatty_desktop.domain.requests import ChatMessage, ChatRequest
from chatty_desktop.domain.settings import Settings
from chatty_desktop.paths import Paths
from chatty_desktop.providers.registry import ProviderRegistry


def settings(**options: float) -> Settings:
    provider = {
        "id": "local",
        "kind": "llama_cpp",
        "models": ["starter"],
        "model_options": {"starter": options},
    }
    return Settings.model_validate({"providers": [provider]})


def engines() -> set[int]:
    """The processes of engines below this one."""
    children = psutil.Process().children(recursive=True)
    return {c.pid for c in children if "chatty_desktop.providers.llama_server" in c.cmdline()}


async def no_key(provider_id: str) -> str | None:
    return None


async def test_only_a_change_of_the_context_loads_a_model_anew(paths: Paths) -> None:
    registry = ProviderRegistry(paths, no_key, lambda event: None)

    async def said() -> str:
        request = ChatRequest((ChatMessage("user", "Count to 100."),), chat=True)
        deltas = registry.chat_model("local/starter").stream(request)
        return "".join([delta.text async for delta in deltas])

    try:
        registry.apply(settings(context_length=1024, max_tokens=4))
        short = await said()
        first = engines()
        registry.apply(settings(context_length=1024, max_tokens=24, top_k=1, repeat_penalty=1.1))
        assert len(await said()) > len(short)
        assert engines() == first and len(first) == 1
        registry.apply(settings(context_length=2048, max_tokens=4))
        assert await said()
        assert not engines() & first
        assert await registry.chat_model("local/starter").context_length() == 2048
    finally:
        await registry.close()
