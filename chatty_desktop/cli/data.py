"""The headless commands on all that is stored: backup, export, restore, move."""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from chatty_desktop import maintenance
from chatty_desktop.app import App
from chatty_desktop.cli.printing import document, say, tell
from chatty_desktop.domain.errors import Invalid
from chatty_desktop.domain.work import Work

_LOOK_SECONDS = 1.0
"""Between two lines on how far it is."""


async def backup(app: App, call: argparse.Namespace) -> int:
    """Write a backup to a file."""
    _check_target(call.to, call.replace)
    async with _told() as work:
        made = await app.data.back_up(call.to, work)
    if call.json:
        document({"file": made.file, "bytes": made.bytes})
    else:
        say(f"Wrote {made.file} ({made.bytes:,} bytes).")
    return 0


async def export(app: App, call: argparse.Namespace) -> int:
    """Write every chat and every agent to a file."""
    _check_target(call.to, call.replace)
    async with _told() as work:
        chats, agents = await app.data.export(call.to, work)
    if call.json:
        document({"file": str(call.to.absolute()), "chats": chats, "agents": agents})
    else:
        say(f"Wrote {chats:,} chats and {agents:,} agents to {call.to}.")
    return 0


async def restore(call: argparse.Namespace) -> int:
    """Bring a backup back, also where the present database cannot be opened."""
    async with _told() as work:
        contents = await maintenance.stage_restore(call.data_dir, call.file, work, call.database)
    app = await App.open(call.data_dir, call.database, episodes=call.episodes)
    try:
        waiting = await app.data.staged_restore()
        for notice in app.settings.notices:
            tell(notice.text)
        if call.json:
            outcome = {"restored": waiting is None, "made_at": contents.made_at}
            document(outcome | contents.counts.as_json())
        return 0 if waiting is None else 1
    finally:
        await app.close()


async def move(call: argparse.Namespace) -> int:
    """Keep the chats on a server from now on, or in the data folder again; or the index of
    episodes at an address."""
    if call.episodes_to or call.episodes_back:
        return await _move_episodes(call)
    async with _told() as work:
        counts = await maintenance.move(
            call.data_dir, call.to, work, call.database, copying=not call.without_chats
        )
    if call.json:
        document(counts.as_json())
    else:
        place = "on the server" if call.to else "in the data folder"
        say(
            f"The chats are kept {place} from now on: {counts.chats:,} chats,"
            f" {counts.messages:,} messages, {counts.agents:,} agents."
        )
    return 0


async def _move_episodes(call: argparse.Namespace) -> int:
    if call.without_chats:
        raise Invalid(
            "--without-chats is for a database. The index of episodes holds nothing that the"
            " database does not, and is brought in step with it wherever it is."
        )
    async with _told() as work:
        await maintenance.move_episodes(call.data_dir, call.episodes_to, work, call.database)
    if call.json:
        document({"episodes": call.episodes_to})
    else:
        place = f"at {call.episodes_to}" if call.episodes_to else "in the data folder"
        say(f"The index of episodes is kept {place} from now on.")
    return 0


ON_A_CLOSED_FOLDER: dict[str, Callable[[argparse.Namespace], Awaitable[int]]] = {
    "restore": restore,
    "move": move,
}
"""The commands that work on a data folder that is not open."""


def _check_target(file: Path, replace: bool) -> None:
    if file.exists() and not replace:
        raise Invalid(f"{file} is there already. Name another file, or add --replace.")


@asynccontextmanager
async def _told() -> AsyncIterator[Work]:
    """Long work, told of on stderr while it lasts."""
    work = Work()

    async def tell_again() -> None:
        while True:
            await asyncio.sleep(_LOOK_SECONDS)
            share = f" ({100 * work.done // work.total} %)" if work.total else ""
            tell(f"{work.what}{share} …")

    telling = asyncio.create_task(tell_again())
    try:
        yield work
    finally:
        telling.cancel()
