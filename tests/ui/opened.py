"""The real window over the real app on a folder of the test's own, its model a loopback server."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from PySide6.QtWidgets import QApplication

from chatty_desktop.app import App
from chatty_desktop.domain.ids import new_id
from chatty_desktop.domain.messages import Message, Role, Session, Status
from chatty_desktop.ui.chat.message import MessageView
from chatty_desktop.ui.main_window import MainWindow
from chatty_desktop.ui.tasks import Tasks
from chatty_desktop.ui.theme import Theme
from chatty_desktop.ui.window_state import WindowState
from tests.helpers.servers import OpenAIServer
from tests.ui.panels import message_views, until


@dataclass
class Opened:
    """The window and what it stands on; `failures` are those of its tasks."""

    app: App
    window: MainWindow
    tasks: Tasks
    server: OpenAIServer
    failures: list[str] = field(default_factory=list)

    async def agent(self, name: str = "Small talk") -> str:
        """The id of a starter agent; this one has a window memory, which asks no model."""
        found = await self.app.agents.by_name(name)
        assert found is not None
        return found.id

    async def new_chat(self, agent: str = "Small talk") -> None:
        """Show the empty page with an agent chosen."""
        agent_id = await self.agent(agent)
        await until(lambda: self.window.chat.composer.picker.findData(agent_id) >= 0)
        self.window.chat.new_chat(agent_id)

    def write(self, text: str) -> None:
        """Put a text into the composer and press Send."""
        self.window.chat.composer.set_text(text)
        self.window.chat.composer.send.click()

    async def session(self, title: str, turns: int, *, agent: str = "Small talk") -> Session:
        """A stored chat of so many exchanges: "question 0", "answer 0", …"""
        agent_id = await self.agent(agent)
        session = await self.app.sessions.create(title, agent_id)
        parent: str | None = None
        for turn in range(turns):
            asked = stored(session.id, parent, agent_id, "user", f"question {turn}")
            reply = stored(session.id, asked.id, agent_id, "assistant", f"answer {turn}")
            for message in (asked, reply):
                await self.app.messages.append(message)
            parent = reply.id
        return session

    @property
    def views(self) -> list[MessageView]:
        return message_views(self.window.chat.transcript.column)

    def said(self) -> list[str]:
        """What the messages on the screen say, first to last."""
        return [view.text.plain().rstrip() for view in self.views]


def stored(session_id: str, parent: str | None, agent_id: str, role: Role, text: str) -> Message:
    """A finished message."""
    return Message(
        id=new_id(),
        session_id=session_id,
        parent_id=parent,
        agent_id=agent_id,
        run_id="run",
        role=role,
        content=text,
        at=1_700_000_000.0,
        status=Status.COMPLETE,
    )


@asynccontextmanager
async def opened(data_dir: Path, theme: Theme, server: OpenAIServer) -> AsyncIterator[Opened]:
    """Open the window; whatever its tasks report and the test did not take fails the test."""
    QApplication.setQuitOnLastWindowClosed(False)
    _write_settings(data_dir, server)
    app = await App.open(data_dir)
    failures: list[str] = []

    def failed(text: str) -> None:
        failures.append(text)
        window.tell(text)

    tasks = Tasks(failed)
    window = MainWindow(app=app, theme=theme, tasks=tasks, state=WindowState(app.paths.window))
    window.resize(1100, 760)
    window.show()
    window.start()
    await tasks.idle()
    made = Opened(app, window, tasks, server, failures)
    try:
        yield made
    finally:
        window.remember()
        await tasks.close()
        await app.close()
        window.release()
        window.deleteLater()
    assert failures == []


def _write_settings(data_dir: Path, server: OpenAIServer) -> None:
    """Name the server as the only provider, unless the folder has settings of its own."""
    data_dir.mkdir(parents=True, exist_ok=True)
    file = data_dir / "settings.json"
    if not file.exists():
        provider = {"id": "lab", "kind": "openai", "base_url": server.base_url, "models": ["small"]}
        value = {
            "providers": [provider],
            "default_model": "lab/small",
            "embedder": None,
            # Tests count what the server is asked.
            "automatic_titles": False,
        }
        file.write_text(json.dumps(value))
