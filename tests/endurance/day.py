"""A day of use in the real window, over and over: `python -m tests.endurance.day FOLDER MEMORIES
ROUNDS SECONDS`, with the last so many kinds of memory in turn, for so long, and for so many rounds
at least.

A line on stdout after each round, as JSON: what the process holds.
"""

from __future__ import annotations

import asyncio
import gc
import json
import os
import sys
import threading
import time
from pathlib import Path
from typing import Literal

import psutil
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication

from chatty_desktop.app import App
from chatty_desktop.domain.agents import Agent, AgentDefinition
from chatty_desktop.domain.graphs import Graph, Node
from chatty_desktop.domain.strategies import parse_strategy
from chatty_desktop.ui.loop import Loop
from chatty_desktop.ui.main_window import MainWindow
from chatty_desktop.ui.settings.pages import PAGES
from chatty_desktop.ui.tasks import Tasks
from chatty_desktop.ui.theme import Theme
from chatty_desktop.ui.window_state import WindowState
from tests.helpers.memories import of_every_kind
from tests.helpers.waiting import until

MEMORIES = of_every_kind(2)

LEAK = os.environ.get("ENDURANCE_LEAK", "")
"""What is to leak, to see that it is found: "window", "file" or "task"."""


class Day:
    """The window on a folder, and what a person does in it."""

    def __init__(self, app: App, window: MainWindow, tasks: Tasks, agents: list[Agent]) -> None:
        self._app, self._window, self._tasks, self._agents = app, window, tasks, agents
        self._leaked: list[object] = []
        self._rounds = 0

    @classmethod
    async def begin(cls, folder: Path, memories: int, theme: Theme) -> Day:
        app = await App.open(folder)
        agents = []
        for number, memory in enumerate(MEMORIES[-memories:]):
            strategy = parse_strategy(memory)
            named = AgentDefinition(name=f"Agent {number}", memory_strategy=strategy)
            agents.append(await app.agents.save(named))
        window: MainWindow

        def failed(text: str) -> None:
            sys.stderr.write(f"{text}\n")
            window.tell(text)

        tasks = Tasks(failed)
        window = MainWindow(app=app, theme=theme, tasks=tasks, state=WindowState(app.paths.window))
        window.resize(1240, 820)
        window.show()
        window.start()
        await tasks.idle()
        return cls(app, window, tasks, agents)

    async def round(self) -> None:
        """One chat with one agent, everything that can be done with it, and its deletion."""
        number, self._rounds = self._rounds, self._rounds + 1
        agent = self._agents[number % len(self._agents)]
        session_id = await self._chat(agent, number)
        await self._look_around(session_id, number)
        await self._apart(session_id)
        await self._change(agent, number)
        await self._search()
        await self._graph(agent)
        await self._app.deletions.delete([session_id])
        await self._app.deletions.undo([session_id])
        self._window.chat.new_chat(agent.id)
        await until(lambda: self._window.chat.session_id is None)
        await self._app.chat.delete_session(session_id)
        await self._tasks.idle()

    async def _chat(self, agent: Agent, number: int) -> str:
        window, app = self._window, self._app
        window.chat.new_chat(agent.id)
        await until(lambda: window.chat.composer.agent_id == agent.id)
        window.chat.composer.set_text(f"word{number} and **more** of it")
        window.chat.composer.send.click()
        await until(lambda: window.chat.session_id)
        session_id = str(window.chat.session_id)
        await until(lambda: len(window.chat.transcript.column.views) >= 2)
        await app.chat.wait(session_id)
        note = await app.attaching.data(f"word{number} in a file".encode(), "notes.txt")
        asked = await app.chat.send(session_id, agent.id, f"word{number} again", [note])
        await app.chat.wait(session_id)
        await app.chat.edit(asked.id, f"word{number} said otherwise")
        await app.chat.wait(session_id)
        await app.chat.retry(session_id)
        await app.chat.wait(session_id)
        await app.chat.switch_to(asked.id)
        return session_id

    async def _look_around(self, session_id: str, number: int) -> None:
        window = self._window
        tabs = window.inspector.tabs
        for index in [*range(tabs.count()), 0]:
            tabs.setCurrentIndex(index)
            await asyncio.sleep(0.02)
        if number % len(MEMORIES) == 0:
            await self._theme("dark")
            await self._theme("light")
        # A page is made when it is first wanted.
        for page, *_ in PAGES if number == 0 else [PAGES[number % len(PAGES)]]:
            dialog = window.others.open_settings(page)
            await asyncio.sleep(0.05)
            dialog.close()

    async def _theme(self, theme: Literal["dark", "light"]) -> None:
        await self._app.settings.change(
            lambda now: now.model_copy(
                update={"appearance": now.appearance.model_copy(update={"theme": theme})}
            )
        )

    async def _apart(self, session_id: str) -> None:
        apart = self._window.others.open_apart(session_id)
        await asyncio.sleep(0.1)
        apart.close()
        await until(lambda: not self._window.others.apart)
        if LEAK == "window":
            from chatty_desktop.ui.chat_window import ChatWindow

            theme = self._window._theme
            self._leaked.append(ChatWindow(app=self._app, theme=theme, session_id=session_id))
        elif LEAK == "file":
            self._leaked.append(os.fdopen(os.dup(0)))
        elif LEAK == "task":
            self._leaked.append(asyncio.create_task(asyncio.Event().wait()))

    async def _change(self, agent: Agent, number: int) -> None:
        others = self._window.others
        others.edit_agent(agent.id)
        await asyncio.sleep(0.1)
        assert others.agent_editor is not None
        others.agent_editor.close()
        prompt = f"Be brief, for the {number % 2}th time."
        await self._app.agents.save(
            agent.definition.model_copy(update={"system_prompt": prompt}), agent.id
        )

    async def _search(self) -> None:
        search = self._window.sessions.search
        search.setText("word")
        await asyncio.sleep(0.3)
        search.clear()
        await self._tasks.idle()

    async def _graph(self, agent: Agent) -> None:
        nodes = (
            Node(id="in", kind="input"),
            Node(id="a", kind="agent", agent=agent.definition.name),
            Node(id="out", kind="output"),
        )
        graph = Graph(name="G", nodes=nodes, edges=(("in", "a"), ("a", "out")))
        session = await self._app.graph_runs.new_session("word in a graph")
        await self._app.graph_runs.start(session.id, graph, "word in a graph")
        await self._app.graph_runs.wait(session.id)
        await self._app.chat.delete_session(session.id)

    async def held(self) -> dict[str, float]:
        """What the process holds, once nothing works any more."""
        await self._tasks.idle()
        await asyncio.sleep(0.2)  # deleted widgets go with a turn of the loop
        gc.collect()
        process = psutil.Process()
        folder = self._app.paths.data
        return {
            "rss_kb": process.memory_info().rss / 1024,
            "objects": float(len(gc.get_objects())),
            "files": float(process.num_fds()),
            "threads": float(threading.active_count()),
            "tasks": float(len(asyncio.all_tasks())),
            "widgets": float(len(QApplication.allWidgets())),
            "timers": float(len(self._window.findChildren(QTimer))),
            "index_files": float(sum(1 for each in (folder / "episodes").rglob("*"))),
            "wal_kb": _size(folder / "chatty.db-wal") / 1024,
        }

    async def end(self) -> None:
        self._window.remember()
        await self._tasks.close()
        await self._app.close()
        self._window.release()


def _size(file: Path) -> int:
    return file.stat().st_size if file.exists() else 0


async def live(
    application: QApplication, folder: Path, memories: int, least: int, seconds: float
) -> None:
    day = await Day.begin(folder, memories, Theme(application))
    ends = time.monotonic() + seconds
    rounds = 0
    while time.monotonic() < ends or rounds < least:
        rounds += 1
        await day.round()
        print(json.dumps(await day.held()), flush=True)
    await day.end()


def main() -> None:
    application = QApplication(sys.argv[:1])
    application.setQuitOnLastWindowClosed(False)
    loop = Loop(application)
    asyncio.set_event_loop(loop)
    with loop:
        folder, memories, least, seconds = sys.argv[1:]
        loop.run_until_complete(
            live(application, Path(folder), int(memories), int(least), float(seconds))
        )
    sys.stdout.flush()
    os._exit(0)  # as the app ends


if __name__ == "__main__":
    main()
