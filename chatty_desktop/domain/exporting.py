"""A chat as a file for people; `chat_document` is the one for programs."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Mapping, Sequence
from html import escape
from string import Template

from markdown_it import MarkdownIt
from markdown_it.token import Token

from chatty_desktop.domain.attachments import named
from chatty_desktop.domain.messages import Message, Session, Status

_ENDINGS = {
    Status.STOPPED: "stopped",
    Status.CUT: "cut off",
    Status.TRUNCATED: "reached the length limit",
    Status.FAILED: "failed",
    Status.STREAMING: "being written",
}


_HEAD = Template(
    """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>$title</title>
<meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<style>
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 46rem; margin: 2rem auto; padding: 0 1rem; }
h2 { font-size: .85rem; opacity: .7; margin: 0 0 .5rem; }
.when { opacity: .7; }
section { padding: .75rem 1rem; margin: .75rem 0; border-radius: .5rem; overflow-x: auto; }
section.user { background: color-mix(in srgb, currentColor 8%, transparent); }
section.tool { opacity: .8; font-size: .9rem; }
pre { background: color-mix(in srgb, currentColor 8%, transparent); padding: .75rem;
  border-radius: .5rem; overflow-x: auto; }
table { border-collapse: collapse; } td, th { border: 1px solid; padding: .25rem .5rem; }
</style></head><body>"""
)


def current_branch(session: Session, messages: Sequence[Message]) -> list[Message]:
    """Of all messages of a chat, those that lead to its current end, in order."""
    by_id = {message.id: message for message in messages}
    found: list[Message] = []
    at = session.leaf_id
    while at is not None and at in by_id:
        found.append(by_id[at])
        at = by_id[at].parent_id
    return found[::-1]


def chat_as_markdown(
    session: Session, messages: Sequence[Message], agents: Mapping[str, str]
) -> str:
    """The current branch for reading. `messages` are all of the chat, `agents` names by id; times
    are local."""
    parts = [f"# {session.title or 'Untitled chat'}", f"Begun {_when(session.created_at)}"]
    for message in current_branch(session, messages):
        parts.append(f"## {_heading(message, agents)}")
        if message.content:
            parts.append(message.content)
        if message.attachments:
            parts.append(f"Attached: {named(message.attachments)}")
        parts += [f"Calls `{call.name}` with `{call.arguments}`" for call in message.tool_calls]
        if message.error:
            parts.append(f"> {message.error}")
    return "\n\n".join(parts) + "\n"


def chat_as_html(session: Session, messages: Sequence[Message], agents: Mapping[str, str]) -> str:
    """The current branch as one page that any browser shows, with nothing loaded from elsewhere:
    what looks like HTML in a message is shown as it was written, images are named."""
    title = escape(session.title or "Untitled chat")
    parts = [_HEAD.substitute(title=title), f"<h1>{title}</h1>"]
    parts.append(f'<p class="when">Begun {_when(session.created_at)}</p>')
    markdown = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
    markdown.add_render_rule("image", _named_image)
    for message in current_branch(session, messages):
        said = escape(message.content).replace("\n", "<br>\n")
        if message.role == "assistant":
            said = markdown.render(message.content)
        calls = "".join(
            f"<p>Calls <code>{escape(call.name)}</code> with"
            f" <code>{escape(call.arguments)}</code></p>"
            for call in message.tool_calls
        )
        if message.attachments:
            calls = f"<p>Attached: {escape(named(message.attachments))}</p>{calls}"
        error = f"<blockquote>{escape(message.error)}</blockquote>" if message.error else ""
        heading = escape(_heading(message, agents))
        parts.append(
            f'<section class="{message.role}"><h2>{heading}</h2>{said}{calls}{error}</section>'
        )
    return "\n".join([*parts, "</body></html>"]) + "\n"


def _named_image(_self: object, tokens: Sequence[Token], index: int, *_rest: object) -> str:
    return f"[{escape(tokens[index].content or 'image')}]"


def file_stem(name: str, unique: str) -> str:
    """A file name, without its ending, that every system takes: readable, and its own by the end
    of an id."""
    plain = re.sub(r"[^\w-]+", " ", name).strip()[:60].strip() or "untitled"
    return f"{plain} {unique[-8:]}"


def _heading(message: Message, agents: Mapping[str, str]) -> str:
    who = {"user": "You", "tool": "Tool"}.get(message.role) or agents.get(
        message.agent_id, "Assistant"
    )
    if message.node and message.role == "user" and message.agent_id:
        who = f"To {agents.get(message.agent_id, 'an agent')}"
    elif message.node and not message.agent_id and message.role == "assistant":
        who = "Result"
    said = [who, _when(message.at)]
    if message.node and message.agent_id:
        said.insert(1, message.node)
    if message.role == "assistant" and message.model:
        said.append(message.model)
    if message.status in _ENDINGS:
        said.append(_ENDINGS[message.status])
    return " · ".join(said)


def _when(at: float) -> str:
    return dt.datetime.fromtimestamp(at, dt.UTC).astimezone().strftime("%Y-%m-%d %H:%M")
