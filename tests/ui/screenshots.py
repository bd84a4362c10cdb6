"""Pictures of every view, light and dark, from the real window on a sample data folder.

    python -m tests.ui.screenshots OUTDIR [--scale 2] [--only NAME]

Each view is drawn at 1400 × 900 and at 900 × 600, the smallest that has to work.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import tempfile
import time
import zipfile
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from PySide6.QtWidgets import QApplication, QDialog, QWidget

from chatty_desktop.app import App
from chatty_desktop.domain.events import ModelProgress, Notice, RunPhaseChanged
from chatty_desktop.domain.forgetting import ForgetTarget
from chatty_desktop.domain.graphs import Edge, Graph, Node
from chatty_desktop.domain.messages import Scope
from chatty_desktop.domain.strategies import Window
from chatty_desktop.domain.tools import Consent, ToolSpec, ToolUse
from chatty_desktop.ui.chat.files.chip import FileChip
from chatty_desktop.ui.comparing.dialog import CompareDialog
from chatty_desktop.ui.graphs.editor import GraphEditor
from chatty_desktop.ui.loop import Loop
from chatty_desktop.ui.main_window import MainWindow
from chatty_desktop.ui.replay.dialog import ReplayDialog
from chatty_desktop.ui.settings.pages import PAGES
from chatty_desktop.ui.tasks import Tasks
from chatty_desktop.ui.theme import Theme
from chatty_desktop.ui.translations import speak
from chatty_desktop.ui.window_state import WindowState
from tests.ui.sample import fill, read_sample_files

SIZES = ((1400, 900), (900, 600))


@dataclass
class Stage:
    """The window and what it stands on; `session` is the chat worth showing, "" when empty.
    `asked` are calls of tools that wait for the person."""

    app: App
    window: MainWindow
    tasks: Tasks
    session: str
    asked: list[asyncio.Future[Consent]] = field(default_factory=list)

    async def settle(self) -> None:
        """Wait until everything asked for is drawn."""
        for _ in range(4):
            await self.tasks.idle()
            await asyncio.sleep(0.12)

    async def open(self, title: str) -> None:
        found = await self.app.sessions.list(title)
        self.window.chat.open(found[0].id)
        await self.settle()


async def _first(stage: Stage) -> None:
    stage.window.start()


async def _first_memory(stage: Stage) -> None:
    """The second question of the first run."""
    stage.window.start()
    await stage.settle()
    if (assistant := stage.window.welcome.assistant) is not None:
        assistant.next.click()


async def _first_server(stage: Stage) -> None:
    """The first run with the most that can be open in it."""
    stage.window.start()
    await stage.settle()
    if (assistant := stage.window.welcome.assistant) is not None:
        assistant.model_step.cards["server"].radio.click()


async def _empty(stage: Stage) -> None:
    stage.window.start()
    if (assistant := stage.window.welcome.assistant) is not None:
        assistant.skip.click()


async def _chat(stage: Stage) -> None:
    stage.window.chat.open(stage.session)
    await stage.settle()
    stage.window.chat.composer.input.setFocus()


async def _chat_top(stage: Stage) -> None:
    await _chat(stage)
    column = stage.window.chat.transcript.column
    column.verticalScrollBar().setValue(0)


async def _formulas(stage: Stage) -> None:
    await stage.open("Quadratic")
    stage.window.chat.transcript.to_start()


async def _finding(stage: Stage) -> None:
    await _chat(stage)
    stage.window.chat.finding.open()
    stage.window.chat.finding.bar.field.setText("nara")
    await stage.settle()


async def _chosen(stage: Stage) -> None:
    await _chat(stage)
    selection = stage.window.chat.transcript.drawn.selection
    messages = stage.window.chat.transcript.read.messages
    selection.extend(messages[-1].id, messages[-2].id)


async def _failed(stage: Stage) -> None:
    await stage.open("Trip photos")


async def _files(stage: Stage) -> None:
    """Files of a message, and of one that is being written to a model that sees no images."""
    await stage.open("Receipts")
    chat = stage.window.chat
    for file in await read_sample_files(stage.app):
        await stage.app.drafts.attach(chat.session_id, file)
    chat.composer.set_files(stage.app.drafts.files(chat.session_id))
    chat.composer.set_text("And which of these is the dearest?")


async def _file_opened(stage: Stage) -> None:
    await stage.open("Receipts")
    (chip, *_rest) = stage.window.chat.findChildren(FileChip)
    chip.pressed.emit()
    await stage.settle()


async def _busy(stage: Stage) -> None:
    """A reply on its way, a model being made ready, a notice, a long draft."""
    await _chat(stage)
    chat = stage.window.chat
    text = "And for the evenings?\n\n- somewhere quiet\n- not more than 3,000 yen a person"
    chat.composer.set_text(text)
    publish = stage.app.events.publish
    agent = chat.composer.agent_id or ""
    publish(RunPhaseChanged(stage.session, agent, "waiting_for_model"))
    publish(
        ModelProgress("local/starter", "Putting the starter model together", 312 << 20, 469 << 20)
    )
    publish(
        Notice(
            "warning",
            "settings.json could not be read: not JSON: Expecting value: line 3 column 5. It was"
            " kept as settings.broken-20261201-220310.json; new settings with the defaults were"
            " written.",
        )
    )
    publish(Notice("error", "The server lab does not answer. Start it, then press Retry."))


async def _steps(stage: Stage) -> None:
    """A run with tools, one of its steps open."""
    await stage.open("Budget file")
    column = stage.window.chat.transcript.column
    made = [steps for view in column.views if (steps := getattr(view, "steps", None))]
    made[0].unfold(True)
    made[0].rows[1].open(True)
    await stage.settle()
    column.verticalScrollBar().setValue(0)


async def _ask(stage: Stage, tool: ToolSpec, arguments: dict[str, Any], folder: str = "") -> None:
    agent_id = stage.window.chat.composer.agent_id or ""
    scope = Scope(agent_id, stage.window.chat.session_id or "")
    use = ToolUse(scope, "call_0", tool, arguments, (folder,))
    stage.app.consents.attend()
    stage.asked.append(asyncio.ensure_future(stage.app.consents.ask(use)))
    await asyncio.sleep(0.8)


async def _consent(stage: Stage) -> None:
    """Two questions, the first about a file that is there; and one in another chat."""
    await stage.open("Sourdough")
    await _ask(stage, ToolSpec("fetch_page", "", {}), {"url": "https://example.org"})
    await stage.open("Budget file")
    folder = stage.app.paths.data / "given"
    await asyncio.to_thread(folder.mkdir)
    file = folder / "budget.txt"
    text = "guesthouse 42000\ntrain to Nara 1440\nfood 18000\n"
    await asyncio.to_thread(file.write_text, text)
    after = {"path": "budget.txt", "content": text.replace("18000", "15500") + "temples 4200\n"}
    await _ask(stage, ToolSpec("write_file", "", {}), after, str(folder))
    await _ask(stage, ToolSpec("create_issue", "", {}, "tracker"), {"title": "Roof"})


async def _consent_mcp(stage: Stage) -> None:
    await stage.open("Budget file")
    arguments = {"title": "Roof leaks", "body": "Since the storm. " * 30, "labels": ["house"]}
    await _ask(stage, ToolSpec("create_issue", "", {}, "tracker"), arguments)


async def _agent_tools(stage: Stage) -> None:
    await stage.open("Budget file")
    stage.window.chat.tools_wanted.emit(stage.window.chat.composer.agent_id)


async def _prompt(stage: Stage) -> None:
    await _chat(stage)
    stage.window.inspector.tabs.setCurrentIndex(1)


async def _ledger(stage: Stage) -> None:
    await _chat(stage)
    stage.window.inspector.tabs.setCurrentIndex(2)


async def _forget(stage: Stage) -> None:
    """What goes with a message."""
    await _chat(stage)
    page = await stage.app.messages.page(stage.session)
    target = ForgetTarget("message", stage.session, page[-4].id)
    stage.window.everywhere.forget(target)
    await stage.settle()


async def _replay(stage: Stage, page: int = 0) -> None:
    """Three kinds of memory and the agent's own, on a chat."""
    await _chat(stage)
    stage.window.actions_.replay.trigger()
    await stage.settle()
    dialog = stage.window.findChildren(ReplayDialog)[0]
    dialog.form.marks.setPlainText("Kyoto\n70,000 yen")
    dialog.form.own.setChecked(False)
    dialog.form.settings["window"].setText("2, 4")
    dialog.run.click()
    await stage.settle()
    dialog.results.setCurrentIndex(page)


async def _compare(stage: Stage) -> None:
    """Two answers to the last message, as they may come."""
    await _chat(stage)
    stage.window.actions_.compare.trigger()
    await stage.settle()
    dialog = stage.window.findChildren(CompareDialog)[0]
    dialog.omission.setCurrentIndex(4)
    dialog.left.box.setPlainText("A script that adds up yen, as your budget of 70,000 is in yen.")
    dialog.right.box.setPlainText("Here is a script that adds up the numbers of a file.")
    dialog.left.take.setEnabled(True)
    dialog.right.take.setEnabled(True)


async def _forgotten(stage: Stage) -> None:
    """That a chat is gone, but for a backup."""
    await _chat(stage)
    stage.app.paths.backups.mkdir(exist_ok=True)
    with zipfile.ZipFile(stage.app.paths.backups / "backup-20260301.zip", "w") as packed:
        packed.writestr("chatty.db", "a day in Arashiyama")
    dialog = stage.window.everywhere.forget(ForgetTarget("session", stage.session, stage.session))
    await stage.settle()
    dialog.forget.click()


async def _searching(stage: Stage) -> None:
    await _chat(stage)
    stage.window.sessions.search.setText("nothing like it")


async def graph_of(stage: Stage, agents: int) -> None:
    """A graph of so many agents: steps of four that go on to the next four."""
    named = ["Researcher", "Writer", "Critic", "Companion"]
    nodes = [Node(id="input", kind="input")]
    edges: list[Edge] = []
    for number in range(agents):
        own = Window(kind="window", max_messages=6) if number % 5 == 2 else None
        name = named[number % len(named)]
        nodes.append(
            Node(id=f"{name.lower()} {number}", kind="agent", agent=name, memory_override=own)
        )
        before = range(max(0, number - number % 4 - 3), number - number % 4 + 1)
        from_nodes = ["input"] if number < 4 else [nodes[each].id for each in before][-2:]
        edges += [(each, nodes[-1].id) for each in from_nodes]
    nodes.append(Node(id="result", kind="output"))
    edges += [(node.id, "result") for node in nodes[-5:-1]]
    graph = Graph(name=f"{agents} agents", nodes=tuple(nodes), edges=tuple(edges))
    stored = await stage.app.graphs.save(graph)
    stage.window.graphs.edit_wanted.emit(stored.id)
    await stage.settle()
    editor = _graph_window(stage)
    editor.resize(1240, 800)
    editor.canvas.fit()
    editor.canvas.choose([nodes[1].id])
    await stage.settle()


def _graph_window(stage: Stage) -> GraphEditor:
    return next(each for each in stage.window.findChildren(GraphEditor) if each.isVisible())


async def _editor(stage: Stage) -> None:
    await _chat(stage)
    stage.window.agents.edit_wanted.emit(stage.window.chat.composer.agent_id)


async def _deleting(stage: Stage) -> None:
    await _chat(stage)
    stage.window.actions_.delete.trigger()


async def _chat_only(stage: Stage) -> None:
    await _chat(stage)
    for action in (stage.window.actions_.sidebar, stage.window.actions_.inspector):
        action.setChecked(False)
    stage.window.actions_.run_log.setChecked(False)


def _window(stage: Stage) -> QWidget:
    return stage.window


def _dialog(stage: Stage) -> QWidget:
    shown = [d for d in stage.window.findChildren(QDialog) if d.isVisible()]
    return shown[-1]


def _on_page(name: str) -> Callable[[Stage], Awaitable[None]]:
    async def prepare(stage: Stage) -> None:
        await _chat(stage)
        stage.window.others.open_settings(name)

    return prepare


def _settings(stage: Stage) -> QWidget:
    """The window of the settings, as small as it gets where the window of the app is small."""
    dialog = stage.window.others.open_settings()
    dialog.resize(*((880, 640) if stage.window.width() > 1000 else (600, 420)))
    return dialog


@dataclass(frozen=True)
class View:
    """How one picture comes about."""

    prepare: Callable[[Stage], Awaitable[None]]
    picture: Callable[[Stage], QWidget] = _window
    filled: bool = True


VIEWS = {
    "first": View(_first, filled=False),
    "first-server": View(_first_server, filled=False),
    "first-memory": View(_first_memory, filled=False),
    "empty": View(_empty, filled=False),
    "chat": View(_chat),
    "top": View(_chat_top),
    "formulas": View(_formulas),
    "wide": View(lambda stage: stage.open("Quadratic")),
    "chosen": View(_chosen),
    "finding": View(_finding),
    "failed": View(_failed),
    "files": View(_files),
    "file": View(_file_opened, _dialog),
    "busy": View(_busy),
    "steps": View(_steps),
    "consent": View(_consent),
    "consent-mcp": View(_consent_mcp),
    "agent-tools": View(_agent_tools, _dialog),
    "prompt": View(_prompt),
    "ledger": View(_ledger),
    "forget": View(_forget, _dialog),
    "gone": View(_forgotten, _dialog),
    "compare": View(_compare, _dialog),
    "replay": View(_replay, _dialog),
    "replayed-facts": View(lambda stage: _replay(stage, 2), _dialog),
    "replayed-turn": View(lambda stage: _replay(stage, 3), _dialog),
    "search": View(_searching),
    "graph-10": View(lambda stage: graph_of(stage, 10), _graph_window),
    "graph-50": View(lambda stage: graph_of(stage, 50), _graph_window),
    "editor": View(_editor, _dialog),
    "deleted": View(_deleting),
    "alone": View(_chat_only),
    **{f"settings-{name}": View(_on_page(name), _settings) for name, _title, _icon in PAGES},
}


def application_at(scale: str) -> QApplication:
    """Qt without a display, so many pixels to a point, that shows nothing of whoever uses it."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    os.environ["QT_SCALE_FACTOR"] = scale
    application = QApplication([])
    application.setQuitOnLastWindowClosed(False)
    # The pictures show no model files of whoever takes them, and no Ollama.
    os.environ["OLLAMA_HOST"] = "127.0.0.1:1"
    os.environ["HOME"] = os.environ["USERPROFILE"] = tempfile.gettempdir()
    return application


def main() -> None:
    arguments = argparse.ArgumentParser(prog="tests.ui.screenshots")
    arguments.add_argument("out", type=Path)
    arguments.add_argument("--scale", default="1", help="1, 1.5, 2 …")
    arguments.add_argument("--language", default="en", help="a code such as de")
    arguments.add_argument("--only", default="", help="the views whose names begin so")
    chosen = arguments.parse_args()
    chosen.out.mkdir(parents=True, exist_ok=True)
    application = application_at(chosen.scale)
    suffix = "" if chosen.scale == "1" else f"@{chosen.scale}x"
    loop = Loop(application)
    asyncio.set_event_loop(loop)
    with loop:
        speak(application, chosen.language)
        theme = Theme(application, "light")
        for name, view in VIEWS.items():
            if name.startswith(chosen.only):
                loop.run_until_complete(_take(theme, name, view, chosen.out, suffix))


@asynccontextmanager
async def staged(theme: Theme, name: str, view: View) -> AsyncIterator[Stage]:
    """The window on a data folder of its own, as a view has it."""
    with tempfile.TemporaryDirectory() as folder:
        app = await App.open(Path(folder))
        session = (await fill(app, time.time())).id if view.filled else ""
        tasks = Tasks(lambda text: print(f"{name}: {text}"))
        state = WindowState(app.paths.window)
        window = MainWindow(app=app, theme=theme, tasks=tasks, state=state)
        stage = Stage(app, window, tasks, session)
        window.resize(*SIZES[0])
        window.show()
        await view.prepare(stage)
        yield stage
        for waiting in stage.asked:
            waiting.cancel()
        await tasks.close()
        await app.close()
        window.release()
        window.deleteLater()
        await asyncio.sleep(0)


async def _take(theme: Theme, name: str, view: View, out: Path, suffix: str) -> None:
    async with staged(theme, name, view) as stage:
        for width, height in SIZES:
            stage.window.resize(width, height)
            for scheme in ("light", "dark"):
                theme.force("dark" if scheme == "dark" else "light")
                await stage.settle()
                file = out / f"{name}-{width}-{scheme}{suffix}.png"
                picture = view.picture(stage)
                await stage.settle()
                picture.grab().save(str(file))
        theme.force("light")


if __name__ == "__main__":
    main()
