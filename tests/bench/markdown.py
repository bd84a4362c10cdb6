"""Messages of a megabyte that are hard to draw, and how long the window is held up by each."""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path

from chatty_desktop.app import App
from tests.bench.table import Measured
from tests.helpers.filled import message
from tests.helpers.folder import settings_for

BUDGET_MS = 100.0
LETTERS = 1_000_000


def documents() -> dict[str, str]:
    """The texts by what they are."""

    def filled(part: str) -> str:
        return (part * (LETTERS // len(part) + 1))[:LETTERS]

    wide = "|" + "a|" * 500 + "\n|" + "-|" * 500 + "\n" + ("|" + "1|" * 500 + "\n") * 5 + "\n"
    grid = "$$\\begin{matrix}" + "a&" * 600 + "\\end{matrix}$$\n\n"
    return {
        "plain words": filled("Some words of a reply. "),
        "one line, 10 MB": "w" * 10 * LETTERS,
        **{f"1 MB of {mark}": filled(mark) for mark in "*[`|><$#&"},
        "quotes 5,000 deep": filled(">" * 5_000 + " a\n"),
        "quotes each deeper": "\n".join(">" * depth + " a" for depth in range(1, 1_400)),
        "lists 5,000 deep": filled("- " * 5_000 + "a\n"),
        "lists each deeper": "\n".join("  " * depth + "- a" for depth in range(1_000)),
        "20,000 list items": "".join(f"- item {n}\n" for n in range(20_000)),
        "5,000 code blocks": "```python\nx = 1\n```\n\n" * 5_000,
        "indented code": filled("    a = 1\n\nb\n\n"),
        "one block of Python": "```python\n" + filled("x = 'a' + b\n") + "```",
        "HTML that colours slowly": "```html\n" + filled("&") + "\n```",
        "100,000 short lines": "a\n" * 100_000,
        "a table of two columns": "|a|b|\n|-|-|\n" + filled("|1|2|\n"),
        "tables of 500 columns": filled(wide),
        "formulas": filled("$x^2$ "),
        "formulas set off": filled("$$\\frac{a}{b}$$\n\n"),
        "matrices of 600 cells": filled(grid),
        "bold and links": filled("**a** [b](https://example.org/c) "),
        "combining marks": filled("a" + "\u0301" * 100),
        "bidi controls": filled("\u2067\u202e"),
        "nothing but line breaks": "a" + "\n" * LETTERS + "b",
    }


def longest_waits() -> list[Measured]:
    """The longest time between two turns of the event loop while a chat with such a message
    opens."""
    from tests.bench.window import measured_in

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        settings_for(folder, "http://127.0.0.1:9/v1")
        asyncio.run(_fill(folder))
        found = measured_in("markdown", folder)
    return [
        Measured(f"event loop held up by 1 MB, {what}", "ms", tuple(values), BUDGET_MS, "max")
        for what, values in found.items()
    ]


async def _fill(folder: Path) -> None:
    """A chat for each text, called by what it is, with the text as its reply; and an empty one."""
    app = await App.open(folder)
    agent = await app.agents.by_name("Small talk")
    assert agent is not None
    await app.sessions.create("empty", agent.id)
    for what, text in documents().items():
        session = await app.sessions.create(what, agent.id)
        for number, said in enumerate(("Go on.", text)):
            await app.messages.append(message(session.id, number, agent.id, said))
    await app.close()
