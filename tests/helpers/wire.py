"""Requests on the wire, for panels that stand on no whole app."""

from __future__ import annotations

from chatty_desktop.domain.requests import ChatRequest
from chatty_desktop.domain.settings import split_model
from chatty_desktop.domain.wire import WireRequest
from chatty_desktop.providers.openai_wire import chat_body


async def openai_wire(reference: str, request: ChatRequest) -> WireRequest:
    """As any OpenAI-compatible server is asked."""
    body = chat_body(split_model(reference)[1], request)
    return WireRequest("http://127.0.0.1:8080/v1/chat/completions", body, "CHATTY_KEY_LAB")
