"""Asking a model, and finding the engine processes that are there."""

from __future__ import annotations

from typing import Any

import psutil

from chatty_desktop.domain.requests import ChatMessage, ChatRequest, Delta
from chatty_desktop.engine.ports import ChatModel


def asking(text: str, **more: Any) -> ChatRequest:
    return ChatRequest((ChatMessage("user", text),), temperature=0.0, **more)


def endless() -> ChatRequest:
    return asking("Count from 1 to 1000, one number a line.", max_tokens=1500)


async def answered(model: ChatModel, request: ChatRequest) -> tuple[str, list[Delta]]:
    deltas = [delta async for delta in model.stream(request)]
    return "".join(delta.text for delta in deltas), deltas


def engines() -> list[psutil.Process]:
    """The engine processes below this one."""
    return [child for child in psutil.Process().children(recursive=True) if _is_engine(child)]


def _is_engine(process: psutil.Process) -> bool:
    try:
        return "chatty_desktop.providers.llama_server" in process.cmdline()
    except psutil.Error:  # it has just ended
        return False
