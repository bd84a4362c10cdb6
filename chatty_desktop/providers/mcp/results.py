"""What an MCP server gives, as text for a model and for the person."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from chatty_desktop.domain.mcp import McpText
from chatty_desktop.domain.tools import ToolResult

if TYPE_CHECKING:
    from mcp_types import CallToolResult, GetPromptResult, ReadResourceResult

MOST_LETTERS = 1_000_000
"""Of a result; the model is shown far less of it."""

MOST_RESOURCE = 490_000
"""Letters of a resource: in any script fewer bytes than the largest text that can be attached."""


def result_of(given: CallToolResult) -> ToolResult:
    """The result of a call. What is no text is named: models are not shown pictures here."""
    parts = [_words(block) for block in given.content]
    structured = given.structured_content
    if structured is not None and not any(part.strip() for part in parts):
        parts = [json.dumps(structured, ensure_ascii=False)]
    text = "\n".join(part for part in parts if part)
    return ToolResult(bounded(text or "(nothing)"), failed=bool(given.is_error))


def resource_text(given: ReadResourceResult) -> McpText | None:
    """What was read of a resource; None when there is no text in it."""
    if not any(getattr(part, "text", None) is not None for part in given.contents):
        return None
    whole = "\n".join(_contents(part) for part in given.contents)
    return McpText(bounded(whole, MOST_RESOURCE), max(0, len(whole) - MOST_RESOURCE))


def prompt_text(given: GetPromptResult) -> str:
    """A filled prompt; who says what stands before it where it is more than one message."""
    parts = [(message.role, _words(message.content)) for message in given.messages]
    if len(parts) == 1:
        return bounded(parts[0][1])
    return bounded("\n\n".join(f"{role}: {text}" for role, text in parts))


def bounded(text: str, most: int = MOST_LETTERS) -> str:
    """A text cut to so many letters, with a word about what is missing."""
    if len(text) <= most:
        return text
    return f"{text[:most]}\n[… {len(text) - most} more characters were left out]"


def _words(block: Any) -> str:
    match block.type:
        case "text":
            return str(block.text)
        case "image" | "audio":
            size = len(block.data) * 3 // 4
            return f"[{block.type}, {block.mime_type}, {size} bytes: not shown to the model]"
        case "resource_link":
            about = f" ({block.description})" if block.description else ""
            return f"{block.name}: {block.uri}{about}"
        case "resource":
            return _contents(block.resource)
    return f"[{block.type}: not known to this app]"


def _contents(part: Any) -> str:
    text = getattr(part, "text", None)
    if text is not None:
        return str(text)
    size = len(getattr(part, "blob", "")) * 3 // 4
    return f"[{part.uri}, {part.mime_type or 'unknown kind'}, {size} bytes: not text]"
