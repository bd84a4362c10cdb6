"""Running the graph that is drawn: what it is given, and where each node stands."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QPushButton, QVBoxLayout, QWidget

from chatty_desktop.domain.events import Event, GraphNodeChanged, GraphRunChanged
from chatty_desktop.domain.graph_runs import NodeRun, NodeState
from chatty_desktop.domain.graphs import Graph
from chatty_desktop.engine.events import Events
from chatty_desktop.engine.graphs import GraphRuns
from chatty_desktop.ui.graphs.seen import Live
from chatty_desktop.ui.language import N_, decimal, tr, translated, trn
from chatty_desktop.ui.pieces import Problem, TextButton
from chatty_desktop.ui.tasks import Tasks
from chatty_desktop.ui.theme import Theme
from chatty_desktop.ui.tokens import M, S, Tone

_LOOKS: dict[NodeState, tuple[str, Tone, str]] = {
    "waiting": (N_("waiting"), "muted", "clock"),
    "running": (N_("running"), "accent", "play-circle"),
    "done": (N_("done"), "success", "check-circle"),
    "failed": (N_("failed"), "danger", "warning-circle"),
    "stopped": (N_("stopped"), "warning", "stop-circle"),
    "skipped": (N_("skipped"), "muted", "skip-forward"),
}


class RunBar(QWidget):
    """Runs a graph in one session after another run: its agents go on with what they remember.

    changed: a node stands elsewhere. session_wanted: the person wants to read the session.
    """

    changed = Signal()
    session_wanted = Signal(str)

    def __init__(
        self,
        *,
        graph: Callable[[], Graph],
        runs: GraphRuns,
        events: Events,
        theme: Theme,
        tasks: Tasks,
    ) -> None:
        super().__init__()
        self._graph, self._runs, self._tasks = graph, runs, tasks
        self.session_id: str | None = None
        self._nodes: dict[str, NodeRun] = {}
        self._running = False
        self._can_resume = False
        self.failure = Problem(theme, "danger", "warning-circle")
        self.input = QLineEdit()
        self.input.setPlaceholderText(tr("What the graph is given"))
        self.input.setAccessibleName(tr("What the graph is given"))
        self.run = QPushButton(tr("Run"))
        self.run.setProperty("kind", "primary")
        self.stop = QPushButton(tr("Stop"))
        self.resume = QPushButton(tr("Go on"))
        self.open = TextButton(tr("Open the session"))
        row = QHBoxLayout()
        row.setSpacing(S)
        row.addWidget(self.input, 1)
        for button in (self.open, self.resume, self.stop, self.run):
            row.addWidget(button)
        column = QVBoxLayout(self)
        column.setContentsMargins(M, S, M, S)
        column.addWidget(self.failure)
        column.addLayout(row)
        self.input.returnPressed.connect(self._start)
        self.run.clicked.connect(self._start)
        self.stop.clicked.connect(self._stop)
        self.resume.clicked.connect(self._resume)
        self.open.clicked.connect(lambda: self.session_wanted.emit(str(self.session_id)))
        self.destroyed.connect(events.subscribe(self._heard))
        self.forget()

    def forget(self) -> None:
        """Another graph is drawn: the next run has a session of its own. One that runs goes on."""
        self.session_id = None
        self._nodes = {}
        self._running = self._can_resume = False
        self.failure.say("")
        self._enable()

    def live(self, node_id: str) -> Live | None:
        """Where a node stands in the last run, None where there is none."""
        node = self._nodes.get(node_id)
        if node is None:
            return None
        words, tone, icon = _LOOKS[node.state]
        said = [tr(words)]
        if node.state == "failed" and node.error:
            said.append(translated(node.error))
        if node.seconds is not None and node.run_id:
            said.append(tr("{seconds} s", seconds=decimal(node.seconds, 1)))
        if node.completion_tokens is not None:
            said.append(trn("{count} token", "{count} tokens", node.completion_tokens))
        return Live(" · ".join(said), tone, icon)

    def _start(self) -> None:
        if not self._running:
            self._tasks.start(self._begin(self.input.text()), failed=self._failed)

    async def _begin(self, text: str) -> None:
        self.failure.say("")
        if self.session_id is None:
            self.session_id = (await self._runs.new_session(text)).id
        self._nodes = {}
        await self._runs.start(self.session_id, self._graph(), text)

    def _stop(self) -> None:
        if self.session_id:
            self._runs.stop(self.session_id)

    def _resume(self) -> None:
        if self.session_id:
            self.failure.say("")
            self._tasks.start(self._runs.resume(self.session_id), failed=self._failed)

    def _failed(self, text: str) -> None:
        self.failure.say(text)
        self._enable()

    def _heard(self, event: Event) -> None:
        if isinstance(event, GraphRunChanged) and event.session_id == self.session_id:
            self._running = event.status == "running"
            self._can_resume = event.status in ("failed", "stopped")
            self._enable()
        elif isinstance(event, GraphNodeChanged) and event.session_id == self.session_id:
            self._nodes[event.node.node] = event.node
            self.changed.emit()

    def _enable(self) -> None:
        self.run.setEnabled(not self._running)
        self.stop.setVisible(self._running)
        self.resume.setVisible(self._can_resume)
        self.open.setVisible(self.session_id is not None and not self._running)
