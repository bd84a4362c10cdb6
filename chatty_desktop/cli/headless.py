"""Runs a headless command on the same engine as the window: open, work, close, exit status."""

from __future__ import annotations

import argparse
import asyncio
import signal
import sys

from chatty_desktop.app import App
from chatty_desktop.cli import printing
from chatty_desktop.cli.commands import COMMANDS
from chatty_desktop.cli.data import ON_A_CLOSED_FOLDER
from chatty_desktop.cli.printing import tell
from chatty_desktop.domain.errors import ChattyError
from chatty_desktop.domain.events import EmbeddingProgress, Event, ModelProgress, Notice

INTERRUPTED = 130
"""The exit status shells give to a command ended by Ctrl+C."""


def run(arguments: argparse.Namespace) -> int:
    """Run the command that was parsed; returns the exit status. Errors go to stderr."""
    try:
        printing.prepare()
        return asyncio.run(_run(arguments))
    except ChattyError as error:
        tell(str(error))
        return 1
    except (KeyboardInterrupt, asyncio.CancelledError):
        tell("Interrupted.")
        return INTERRUPTED
    except BrokenPipeError:
        printing.leave()
        return 1


async def _run(arguments: argparse.Namespace) -> int:
    task = asyncio.current_task()
    if task and sys.platform != "win32":
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
    if closed := ON_A_CLOSED_FOLDER.get(arguments.command):
        return await closed(arguments)
    app = await App.open(
        arguments.data_dir,
        arguments.database,
        episodes=arguments.episodes,
        take_over=arguments.take_over,
    )
    try:
        for notice in app.settings.notices:
            tell(notice.text)
        app.events.subscribe(_Progress())
        return await COMMANDS[arguments.command](app, arguments)
    finally:
        await app.close()


class _Progress:
    """Tells on stderr what the person should know or is waiting for, each thing once."""

    def __init__(self) -> None:
        self._last = ""
        self._percent = -1

    def __call__(self, event: Event) -> None:
        if isinstance(event, EmbeddingProgress) and event.total:
            percent = 100 * event.done // event.total
            if percent != self._percent:
                tell(f"Embedded {event.done} of {event.total} episodes ({percent} %)")
            self._percent = percent
        if not isinstance(event, Notice | ModelProgress):
            return
        if event.text and event.text != self._last:
            tell(event.text)
        self._last = event.text
