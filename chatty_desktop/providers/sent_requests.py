"""Requests as they go over the wire, made by what sends them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from chatty_desktop.domain.keys import environment_name
from chatty_desktop.domain.requests import ChatRequest
from chatty_desktop.domain.settings import Settings, split_model
from chatty_desktop.domain.wire import WireRequest
from chatty_desktop.providers.addresses import ollama_root, openai_roots
from chatty_desktop.providers.ollama import OLLAMA_URL, OllamaProvider
from chatty_desktop.providers.openai_compatible import OPENAI_URL
from chatty_desktop.providers.registry import ProviderRegistry
from chatty_desktop.providers.starter import STARTER_NAME, STARTER_OPTIONS

_ANY_SERVER = "http://127.0.0.1:8080"
"""In place of the address of the local engine, which it is given anew with each start."""


class SentRequests:
    """Asks nobody, and reads no key."""

    def __init__(self, registry: ProviderRegistry, settings: Callable[[], Settings]) -> None:
        self._registry = registry
        self._settings = settings

    async def wire(self, reference: str, request: ChatRequest) -> WireRequest:
        """A request to a model as it is sent. A provider that is no longer in the settings is
        taken for one that speaks as OpenAI does. Raises `Invalid` for an address of no server."""
        # The SDKs take a moment to import.
        return await asyncio.to_thread(self._wire, reference, request)

    def _wire(self, reference: str, request: ChatRequest) -> WireRequest:
        provider_id, name = split_model(reference)
        entry = self._settings().provider(provider_id)
        key = environment_name(provider_id)
        if entry is not None and entry.kind == "ollama":
            from chatty_desktop.providers.ollama_connection import chat_body as ollama_body

            provider = self._registry.provider(provider_id)
            assert isinstance(provider, OllamaProvider)
            body = ollama_body(name, request, provider.num_ctx(name)) | {"stream": True}
            return WireRequest(f"{ollama_root(entry.base_url or OLLAMA_URL)}/api/chat", body, key)
        from chatty_desktop.providers.openai_wire import chat_body

        if entry is not None and entry.kind == "llama_cpp" and name == STARTER_NAME:
            request = request.as_set(STARTER_OPTIONS)
        body = chat_body(name, request)
        body |= {"stream": True, **body.pop("extra_body", {})}
        if entry is None or entry.kind == "llama_cpp":
            return WireRequest(f"{openai_roots(_ANY_SERVER)[0]}/chat/completions", body)
        return WireRequest(
            f"{openai_roots(entry.base_url or OPENAI_URL)[0]}/chat/completions", body, key
        )
