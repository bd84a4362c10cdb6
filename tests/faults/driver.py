"""The real app without a window, in processes that a test drives and kills.

    python -m tests.faults.driver [--with-index]

A line on stdin is one life as JSON: {"folder", "strategy", "script": [{"do": ...}, ...],
"statement": N, "begins": "INSERT"}. It is lived in a fork of this process, in which everything is
imported already, so that two hundred of them cost seconds. What a life does is told on stdout, a
JSON document a line, written at once: what was said to be kept can be held against what is there
after a kill.
`statement`: the life ends itself by SIGKILL before its Nth statement of SQL that `begins` so, which
is in the midst of a transaction as often as not.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
import warnings
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from sqlalchemy import Engine, event

from chatty_desktop.app import App
from chatty_desktop.domain.agents import Agent
from chatty_desktop.domain.errors import ChattyError
from chatty_desktop.domain.events import Event, MessageCommitted, Notice, RunPhaseChanged
from chatty_desktop.domain.messages import Message
from chatty_desktop.domain.work import Work
from tests.helpers.desk import definition

TALK = "Talk"


def say(**what: object) -> None:
    os.write(1, json.dumps(what).encode() + b"\n")


class Life:
    """One start of the app and what it was told to do."""

    def __init__(self, app: App, agent: Agent, session_id: str) -> None:
        self._app = app
        self._agent = agent
        self._session_id = session_id
        self._doing: dict[str, Callable[[dict[str, Any]], Awaitable[object]]] = {
            "send": self._send,
            "edit": self._edit,
            "again": self._again,
            "delete": self._delete,
            "draft": self._draft,
            "backup": self._backup,
            "index": self._index,
            "compact": self._compact,
            "settings": self._settings,
            "wait": self._wait,
            "sleep": self._sleep,
        }

    @classmethod
    async def begin(cls, folder: Path, strategy: dict[str, Any]) -> Life:
        app = await App.open(folder)
        app.events.subscribe(_heard)
        notices = [notice.text for notice in app.settings.notices]
        agent = await app.agents.by_name("Ada") or await app.agents.save(definition(strategy))
        session = await app.sessions.find(TALK) or await app.sessions.create(
            TALK, agent.id, titled_by="person"
        )
        say(opened=True, notices=notices)
        return cls(app, agent, session.id)

    async def live(self, script: list[dict[str, Any]]) -> None:
        for number, step in enumerate(script):
            say(begun=number, do=step["do"])
            try:
                said = await self._doing[step["do"]](step)
            except ChattyError as error:
                say(failed=number, do=step["do"], error=str(error))
            else:
                say(done=number, do=step["do"], said=said)
        await self._app.close()
        say(closed=True)

    async def _send(self, step: dict[str, Any]) -> object:
        files = []
        if "file" in step:
            files = [await self._app.attaching.data(step["file"].encode(), "notes.txt")]
        await self._app.chat.wait(self._session_id)
        return _kept(
            await self._app.chat.send(self._session_id, self._agent.id, step["text"], files)
        )

    async def _edit(self, step: dict[str, Any]) -> object:
        await self._app.chat.wait(self._session_id)
        asked = await self._last("user")
        return asked and _kept(await self._app.chat.edit(asked.id, step["text"]))

    async def _again(self, _step: dict[str, Any]) -> object:
        await self._app.chat.wait(self._session_id)
        if await self._last("user"):
            await self._app.chat.retry(self._session_id)
        return None

    async def _delete(self, _step: dict[str, Any]) -> object:
        await self._app.chat.wait(self._session_id)
        asked = await self._last("user")
        if asked is None:
            return None
        say(deleting=asked.id)
        await self._app.chat.delete_message(asked.id, following=True)
        return asked.id

    async def _draft(self, step: dict[str, Any]) -> object:
        self._app.drafts.keep(self._session_id, step["text"])
        return None

    async def _backup(self, step: dict[str, Any]) -> object:
        to = Path(step["to"]) if "to" in step else None
        return (await self._app.data.back_up(to, Work())).file

    async def _index(self, _step: dict[str, Any]) -> object:
        await self._app.episodes.on_disk()  # what is collected is appended before it
        return None

    async def _compact(self, _step: dict[str, Any]) -> object:
        await self._app.data.compact(Work())
        return None

    async def _settings(self, step: dict[str, Any]) -> object:
        await self._app.settings.change(
            lambda now: now.model_copy(update={"default_model": step["model"]})
        )
        return None

    async def _wait(self, _step: dict[str, Any]) -> object:
        await self._app.chat.wait(self._session_id)
        return None

    async def _sleep(self, step: dict[str, Any]) -> object:
        await asyncio.sleep(step["seconds"])
        return None

    async def _last(self, role: str) -> Message | None:
        page = await self._app.messages.page(self._session_id, limit=20)
        return next((each for each in reversed(page) if each.role == role), None)


def _heard(happened: Event) -> None:
    if isinstance(happened, MessageCommitted):
        say(kept=_kept(happened.message))
    elif isinstance(happened, RunPhaseChanged):
        say(phase=happened.phase)
    elif isinstance(happened, Notice):
        say(notice=happened.text)


def _kept(message: Message) -> dict[str, str]:
    return {
        "id": message.id,
        "role": message.role,
        "content": message.content,
        "status": message.status.value,
        "parent": message.parent_id or "",
        "error": message.error,
    }


async def _lived(life: dict[str, Any]) -> None:
    try:
        begun = await Life.begin(Path(life["folder"]), life["strategy"])
    except ChattyError as error:
        say(refused=str(error))
        return
    await begun.live(life["script"])


def _killed_before(number: int, begins: str) -> None:
    left = number

    @event.listens_for(Engine, "before_cursor_execute")
    def _count(_connection: object, _cursor: object, statement: str, *_more: object) -> None:
        nonlocal left
        left -= statement.startswith(begins)
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)


def main() -> None:
    # Loaded by the first call otherwise, in each life anew.
    import httpx  # noqa: F401
    import numpy  # noqa: F401
    import openai  # noqa: F401

    if "--with-index" in sys.argv:
        import lancedb  # noqa: F401

    say(ready=True)
    for line in sys.stdin:
        life = json.loads(line)
        child = os.fork()
        if child == 0:
            warnings.simplefilter("ignore")
            say(pid=os.getpid())
            if life.get("statement"):
                _killed_before(life["statement"], life["begins"])
            asyncio.run(_lived(life))
            os._exit(0)
        _pid, status = os.waitpid(child, 0)
        say(ended=-os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status))


if __name__ == "__main__":
    warnings.simplefilter("ignore")  # LanceDB warns of forks
    main()
