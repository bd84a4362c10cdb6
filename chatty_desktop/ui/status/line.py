"""The status line: which model answers, whether it can, and what works in the background."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from chatty_desktop.domain.agents import Agent
from chatty_desktop.domain.engines import LoadedModel
from chatty_desktop.domain.events import (
    EnginesChanged,
    Event,
    KeyChanged,
    MessageCommitted,
    RunPhaseChanged,
    SettingsChanged,
)
from chatty_desktop.domain.messages import Status
from chatty_desktop.domain.standing import Standing
from chatty_desktop.engine.events import Events
from chatty_desktop.engine.standing import ModelStanding
from chatty_desktop.ui.language import tr
from chatty_desktop.ui.status.part import Part
from chatty_desktop.ui.status.words import said
from chatty_desktop.ui.status.work import BackgroundWork
from chatty_desktop.ui.tasks import Tasks
from chatty_desktop.ui.theme import Theme
from chatty_desktop.ui.throttle import Throttle
from chatty_desktop.ui.tokens import L, S, Tone

ASK_AGAIN_MS = 30_000
"""How often the server of the model is asked whether it is up."""

FIRST_ASK_MS = 1_500
"""When it is first asked: what asking needs is loaded once the window is there."""

_DRAW_MS = 150

_ANSWERING = ("waiting_for_model", "streaming")


class StatusLine(QWidget):
    """The bottom of the window. It asks in the background and loads nothing.

    page_wanted: the name of the page of the settings that a pressed part has to do with.
    """

    page_wanted = Signal(str)

    def __init__(
        self,
        *,
        standing: ModelStanding,
        loaded: Callable[[], list[LoadedModel]],
        events: Events,
        theme: Theme,
        tasks: Tasks,
        first_ask_ms: int = FIRST_ASK_MS,
        ask_again_ms: int = ASK_AGAIN_MS,
        parent: QWidget | None = None,
    ) -> None:
        """`loaded` gives the models that local engines hold now."""
        super().__init__(parent)
        self._standing = standing
        self._loaded = loaded
        self._tasks = tasks
        self._agent: Agent | None = None
        self._session_id: str | None = None
        self._answering: set[str] = set()
        self._told: Standing | None = None
        self._question = 0
        self._work = BackgroundWork()
        self._pages = {"model": "providers", "work": "engine"}
        self.model = Part(theme, tr("Model"))
        self.work = Part(theme, tr("In the background"), steady=True)
        self.model.clicked.connect(lambda: self.page_wanted.emit(self._pages["model"]))
        self.work.clicked.connect(lambda: self.page_wanted.emit(self._pages["work"]))
        row = QHBoxLayout(self)
        row.setContentsMargins(S, 0, S, 0)
        row.setSpacing(L)
        row.addWidget(self.model)
        row.addStretch(1)
        row.addWidget(self.work)
        self.work.hide()
        theme.changed.connect(self._fit)
        self._fit()
        self._drawing = Throttle(_DRAW_MS, self._draw, self)
        self._asking = Throttle(_DRAW_MS, self._ask, self)
        self._again = QTimer(self)
        self._again.setInterval(ask_again_ms)
        self._again.timeout.connect(self._asking.request)
        self._awake = False
        QTimer.singleShot(first_ask_ms, self, self._wake)
        unsubscribe = events.subscribe(self._heard)
        self.destroyed.connect(unsubscribe)
        self._draw()

    def set_agent(self, agent: Agent | None) -> None:
        """The agent that answers the next message."""
        if agent != self._agent or self._told is None:
            other = agent is None or self._agent is None or agent.id != self._agent.id
            self._agent = agent
            if other:
                self._told = None
            self._asking.request()
            self._drawing.request()

    def set_session(self, session_id: str | None) -> None:
        """The chat that is open."""
        self._session_id = session_id
        self._drawing.request()

    # --- what happens ------------------------------------------------------------------------

    def _heard(self, event: Event) -> None:
        works = self._work.take(event)
        match event:
            case SettingsChanged() | KeyChanged():
                self._asking.request()
            case MessageCommitted(message=message) if message.status == Status.FAILED:
                self._asking.request()
            case RunPhaseChanged(session_id=session_id, phase=phase):
                self._answering.discard(session_id)
                if phase in _ANSWERING:
                    self._answering.add(session_id)
                if phase == "streaming" and self._told is not None and self._told.problem:
                    # It answers again.
                    self._asking.request()
            case EnginesChanged():
                works = True
            case _:
                pass
        if works:
            self._drawing.request()

    def _wake(self) -> None:
        self._awake = True
        self._again.start()
        self._asking.request()

    def _ask(self) -> None:
        if not self._awake:
            return
        self._question += 1
        self._tasks.start(self._learn(self._question, self._agent))

    async def _learn(self, question: int, agent: Agent | None) -> None:
        told = await self._standing.of(agent.definition if agent is not None else None)
        if question == self._question:
            self._told = told
            self._drawing.request()

    def _fit(self) -> None:
        """Of one height, whatever is shown."""
        self.setFixedHeight(self.model.sizeHint().height() + S)

    # --- drawing -----------------------------------------------------------------------------

    def _draw(self) -> None:
        reference = self._told.reference if self._told is not None else None
        loaded = next(
            (m for m in self._loaded() if m.reference == reference and m.purpose == "chat"), None
        )
        name = self._agent.name if self._agent is not None else tr("The agent")
        now = said(self._told, name, loaded, self._session_id in self._answering)
        self._pages["model"] = now.page
        self.model.say(now.words, now.icon, now.tone, now.story)
        self._draw_work(reference)

    def _draw_work(self, reference: str | None) -> None:
        works = self._work.under_way(reference)
        if not works:
            self.work.rest()
            return
        first, others = works[0], works[1:]
        words = first.words
        if others:
            words = tr("{what} · {count} more", what=words, count=len(others))
        self._pages["work"] = first.page
        tone: Tone = "memory" if first.icon == "brain" else "accent"
        self.work.say(words, first.icon, tone, "\n".join(work.words for work in works))
        self.work.show()
