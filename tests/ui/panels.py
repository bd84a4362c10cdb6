"""What tests of panels share: a desk with a window's parts beside it, and ways to look."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from PySide6.QtWidgets import QAbstractButton, QApplication, QLabel, QMessageBox, QWidget

from chatty_desktop.ui.chat.column import MessageColumn
from chatty_desktop.ui.chat.message import MessageView
from chatty_desktop.ui.inspector.panel import InspectorPanel
from chatty_desktop.ui.tasks import Tasks
from chatty_desktop.ui.theme import Theme
from tests.helpers.desk import Desk
from tests.helpers.scripted import ScriptedModel, ScriptedModels
from tests.helpers.wire import openai_wire

W = TypeVar("W", bound=QWidget)


@dataclass
class Bench:
    """A desk, the model that answers in it, and what panels are built with. `failures` are those
    that would have come up in the window's banner."""

    desk: Desk
    model: ScriptedModel
    models: ScriptedModels
    theme: Theme
    tasks: Tasks
    failures: list[str]

    def show(self, widget: W) -> W:
        """Show a widget until the bench is cleared."""
        self._shown.append(widget)
        widget.show()
        return widget

    def inspector(self) -> InspectorPanel:
        """An inspector, shown, on no chat yet."""
        panel = InspectorPanel(
            memories=self.desk.memories,
            acts=self.desk.acts,
            past=self.desk.past,
            reembedding=self.desk.reembedding,
            models=self.models,
            wire=openai_wire,
            events=self.desk.bus,
            theme=self.theme,
            tasks=self.tasks,
        )
        panel.resize(360, 700)
        return self.show(panel)

    def __post_init__(self) -> None:
        self._shown: list[QWidget] = []

    def clear(self) -> None:
        """Take down what was shown, asking nothing."""
        for widget in self._shown:
            widget.hide()
            widget.deleteLater()


@asynccontextmanager
async def bench(
    folder: Path, theme: Theme, strategy: dict[str, Any] | None
) -> AsyncIterator[Bench]:
    """A bench whose agent Ada has a memory of that strategy."""
    await asyncio.to_thread(folder.mkdir, parents=True, exist_ok=True)
    QApplication.setQuitOnLastWindowClosed(False)
    model = ScriptedModel()
    models = ScriptedModels(model, ScriptedModel("test/large"))
    failures: list[str] = []
    tasks = Tasks(failures.append)
    desk = await Desk.open(folder, models, strategy)
    made = Bench(desk, model, models, theme, tasks, failures)
    yield made
    await tasks.close()
    made.clear()
    await desk.close()
    assert failures == []


async def until(holds: Callable[[], Any], what: str = "") -> None:
    """Wait until something holds; fails when it does not within 20 s."""
    for _ in range(2_000):
        if holds():
            return
        await asyncio.sleep(0.01)
    raise AssertionError(f"This did not come true: {what or holds}")


def on_screen(widget: QWidget, kind: type[W]) -> list[W]:
    """The widgets of a kind on the screen in a widget, without those that were taken down and are
    not gone yet."""
    return [each for each in widget.findChildren(kind) if each.isVisibleTo(widget)]


def texts(widget: QWidget) -> list[str]:
    """The words on the screen in a widget."""
    return [
        label.text()
        for label in widget.findChildren(QLabel)
        if label.text() and label.isVisibleTo(widget)
    ]


def says(widget: QWidget, part: str) -> bool:
    """Whether a text on the screen in a widget holds `part`."""
    return any(part in text for text in texts(widget))


def button(widget: QWidget, name: str) -> QAbstractButton:
    """The button in a widget that shows, or is called, `name`."""
    found = [
        b
        for b in widget.findChildren(QAbstractButton)
        if name in (b.text().replace("&", ""), b.accessibleName()) and b.isVisibleTo(widget)
    ]
    assert len(found) == 1, f"{name!r}: {len(found)} buttons"
    return found[0]


async def answer(parent: QWidget, name: str) -> None:
    """Press a button of the question that is open over a widget."""

    def boxes() -> list[QMessageBox]:
        return [box for box in parent.findChildren(QMessageBox) if box.isVisible()]

    await until(boxes, "a question is open")
    button(boxes()[0], name).click()


def message_views(column: MessageColumn) -> list[MessageView]:
    """The messages in a column that have a view of their own."""
    return [view for view in column.views if isinstance(view, MessageView)]
