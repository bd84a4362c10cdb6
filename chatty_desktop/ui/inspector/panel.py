"""The memory inspector: what an agent remembers in a chat, and how it came to."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QHBoxLayout, QTabWidget, QVBoxLayout, QWidget

from chatty_desktop.domain.errors import ChattyError
from chatty_desktop.domain.events import (
    AgentsChanged,
    EmbeddingProgress,
    Event,
    MemoryChanged,
    SettingsChanged,
)
from chatty_desktop.domain.forgetting import ForgetTarget
from chatty_desktop.domain.memory import LedgerFilter, MemorySnapshot
from chatty_desktop.domain.messages import Scope
from chatty_desktop.domain.requests import ChatRequest
from chatty_desktop.domain.runs import SentRequest
from chatty_desktop.domain.strategies import layer_keys
from chatty_desktop.domain.wire import WireRequest
from chatty_desktop.engine.events import Events
from chatty_desktop.engine.memories import Memories
from chatty_desktop.engine.memory_acts import MemoryActs
from chatty_desktop.engine.memory_past import MemoryPast
from chatty_desktop.engine.ports import Models
from chatty_desktop.engine.prompt import as_asked
from chatty_desktop.engine.reembed import Reembedding
from chatty_desktop.ui.controls import ModelChoices
from chatty_desktop.ui.inspector.doing import MemoryDoing
from chatty_desktop.ui.inspector.ledger_acts import LedgerActs
from chatty_desktop.ui.inspector.ledger_view import LedgerView
from chatty_desktop.ui.inspector.memory_view import MemoryView
from chatty_desktop.ui.inspector.prompt_view import PromptView, ShownRequest
from chatty_desktop.ui.inspector.time_travel import TimeTravel
from chatty_desktop.ui.language import tr, translated
from chatty_desktop.ui.pieces import edge_to_edge, icon_button
from chatty_desktop.ui.tasks import Tasks
from chatty_desktop.ui.theme import Theme
from chatty_desktop.ui.throttle import Throttle

REFRESH_MS = 100

GUIDE = ("inspector.md#memory", "inspector.md#prompt", "inspector.md#ledger")
"""What the guide says of each tab."""

PAGE = 200
"""Ledger rows read at first, and further ones for each press of "Show older rows"."""

FOUND = 50
"""Episodes drawn of those that a search finds; laying out more would hold up the window."""


class InspectorPanel(QWidget):
    """Follows one scope; draws it again when its memory changes.

    message_wanted: the id of a message the person wants to see in the chat.
    verbatim_from_changed: the id of the oldest message the model will see word for word, or None.

    forget_wanted: the `ForgetTarget` that is to leave no trace.
    replay_wanted: the chat is to be replayed under other kinds of memory.
    guide_wanted: the page of the guide on what is shown.

    `wire` gives a request to a model as it is sent.
    """

    message_wanted = Signal(str)
    verbatim_from_changed = Signal(object)
    forget_wanted = Signal(object)
    replay_wanted = Signal()
    guide_wanted = Signal(str)

    def __init__(
        self,
        *,
        memories: Memories,
        acts: MemoryActs,
        past: MemoryPast,
        reembedding: Reembedding,
        models: Models,
        wire: Callable[[str, ChatRequest], Awaitable[WireRequest]],
        events: Events,
        theme: Theme,
        tasks: Tasks,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._memories = memories
        self._acts = acts
        self._past = past
        self._reembedding = reembedding
        self._wire = wire
        self._tasks = tasks
        self._run_id = ""
        self._step: int | None = None
        self._scope: Scope | None = None
        self._node: str | None = None
        self._limit = PAGE
        self._reader: asyncio.Task[None] | None = None
        self._stale = False
        self._searcher: asyncio.Task[None] | None = None
        self._search_next: str | None = None
        self._verbatim_from: str | None = None
        self._throttle = Throttle(REFRESH_MS, self._refresh, self)
        self.doing = MemoryDoing(
            acts, past, scope=lambda: self._scope, tasks=tasks, theme=theme, window=self
        )
        self.doing.message_wanted.connect(self.message_wanted)
        self.doing.row_wanted.connect(self._show_row)
        self.memory = MemoryView(theme, self.doing)
        self.time = TimeTravel(
            self.memory,
            past=past,
            doing=self.doing,
            scope=lambda: self._scope,
            tasks=tasks,
            theme=theme,
        )
        self.time.message_wanted.connect(self.message_wanted)
        self.prompt = PromptView(theme)
        self.prompt.run_wanted.connect(self._show_run)
        self.prompt.step_wanted.connect(self._show_step)
        self.prompt.copy_wanted.connect(self._copy_request)
        choices = ModelChoices(models, self)
        self.ledger = LedgerView(theme, choices)
        self.memory.message_wanted.connect(self.message_wanted)
        self.memory.reembed_wanted.connect(self._reembed)
        self.memory.stop_reembedding_wanted.connect(reembedding.stop)
        self.memory.fact_changed.connect(self._change_fact)
        self.memory.fact_forget_wanted.connect(self._forget_fact)
        self.memory.search_wanted.connect(self._search)
        self.ledger.message_wanted.connect(self.message_wanted)
        self._ledger_acts = LedgerActs(
            self.ledger,
            memories=memories,
            choices=choices,
            scope=lambda: self._scope,
            folded=self._throttle.request,
            tasks=tasks,
        )
        self.ledger.more_wanted.connect(self._show_more)
        self.ledger.filter.changed.connect(self._throttle.request)
        self.tabs = QTabWidget()
        self.tabs.addTab(self.time, tr("Memory"))
        self.tabs.addTab(self.prompt, tr("Prompt"))
        self.tabs.addTab(self.ledger, tr("Ledger"))
        replay = icon_button(theme, "chart-line", tr("Replay with other kinds of memory"))
        replay.clicked.connect(self.replay_wanted)
        about = icon_button(theme, "question", tr("What is this?"))
        about.clicked.connect(lambda: self.guide_wanted.emit(GUIDE[self.tabs.currentIndex()]))
        corner = QWidget()
        row = edge_to_edge(QHBoxLayout(corner))
        row.addWidget(about)
        row.addWidget(replay)
        self.tabs.setCornerWidget(corner)
        # The request is read only while it is looked at: it can hold a whole chat.
        self.tabs.currentChanged.connect(lambda _tab: self._refresh())
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.tabs)
        self.setProperty("panel", "surface")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setAccessibleName(tr("Memory inspector"))
        self.setMinimumWidth(240)
        unsubscribe = events.subscribe(self._heard)
        self.destroyed.connect(unsubscribe)
        self._say_nothing_chosen()

    @property
    def scope(self) -> Scope | None:
        """The agent and the session whose memory is shown."""
        return self._scope

    def set_scope(self, scope: Scope | None, node: str | None = None) -> None:
        """Show the memory of one agent in one session; None shows none. In the run of a graph: of
        the agent in that `node`, None in all of its nodes."""
        if (scope, node) == (self._scope, self._node):
            return
        self._scope, self._node = scope, node
        self.time.offer(False)
        self._limit = PAGE
        self._run_id, self._step = "", None
        self._set_verbatim_from(None)
        self._throttle.drop()
        self._search_next = None
        # The answer for another scope is of no use, and need not be waited for.
        if self._reader is not None:
            self._reader.cancel()
            self._reader = None
        self.ledger.filter.show_all()
        self._throttle.drop()
        if scope is None:
            self._say_nothing_chosen()
            return
        self.memory.say("", "")
        self.prompt.say("", "")
        self.ledger.say("", "")
        self._refresh()

    def look_back(self) -> None:
        """Show the slider to memory as it was."""
        self.tabs.setCurrentWidget(self.time)
        self.time.look_back()

    def show_prompt(self, run_id: str) -> None:
        """Show what was sent for a reply, by its run."""
        self._run_id, self._step = run_id, None
        self.tabs.setCurrentWidget(self.prompt)
        self._refresh()

    # --- reading -----------------------------------------------------------------------------

    def _heard(self, event: Event) -> None:
        mine = isinstance(event, MemoryChanged) and event.scope == self._scope
        if isinstance(event, EmbeddingProgress):
            self.memory.show_embedding(event.done, event.total)
        # A saved agent may have another strategy or other fields, settings another embedder.
        changed = isinstance(event, AgentsChanged | SettingsChanged)
        if mine or (changed and self._scope is not None):
            self._throttle.request()

    def _refresh(self) -> None:
        if self._reader is not None:
            self._stale = True
        elif self._scope is not None:
            self._stale = False
            self._reader = self._tasks.start(self._read(self._scope, self._node, self._limit))
            self._reader.add_done_callback(self._was_read)

    def _was_read(self, reader: asyncio.Task[None]) -> None:
        if reader is self._reader:
            self._reader = None
            if self._stale and not reader.cancelled():
                self._refresh()

    async def _read(self, scope: Scope, node: str | None, limit: int) -> None:
        looked_at = self.tabs.currentWidget() is self.prompt
        try:
            if looked_at:
                wanted_of = self._run_id, self._step
                request = await self._request(scope, node, *wanted_of)
                # What was sent was sent, also where the memory cannot be shown.
                if self._shows(scope, node) and wanted_of == (self._run_id, self._step):
                    self.prompt.show_request(request)
            # One more than is shown tells whether there are older rows.
            wanted = self.ledger.filter.wanted
            snapshot = await self._memories.inspect(scope, limit + 1, wanted, node)
        except ChattyError as error:
            if self._shows(scope, node):
                self._say_problem(translated(str(error)))
            return
        if self._shows(scope, node):
            self._show(snapshot, limit)

    def _shows(self, scope: Scope, node: str | None) -> bool:
        return (scope, node) == (self._scope, self._node)

    async def _request(
        self, scope: Scope, node: str | None, run_id: str, step: int | None
    ) -> ShownRequest | None:
        """The request of a step of a run, "": of the newest of the scope; also where that run is
        gone."""
        runs = await self._memories.asked_for(scope)
        runs = [run for run in runs if node in (None, run.node)]
        for wanted, at in ((run_id, step), (runs[0].run_id if runs else "", None)):
            found = await self._memories.request_of(wanted, at) if wanted else None
            if found is not None:
                return ShownRequest(*found, runs)
        return None

    def _show(self, snapshot: MemorySnapshot, limit: int) -> None:
        self.memory.show_memory(snapshot)
        self.time.offer(any(layer.key for layer in snapshot.layers))
        self.time.changed()
        kinds = [layer.kind for layer in snapshot.layers if layer.pending is not None]
        self.ledger.filter.set_layers(layer_keys(kinds))
        if snapshot.ledger or self.ledger.filter.wanted != LedgerFilter():
            more = len(snapshot.ledger) > limit
            self.ledger.show_ledger(snapshot.ledger[:limit], more=more)
        elif any(layer.pending is not None for layer in snapshot.layers):
            self.ledger.say(
                tr("No folds yet"),
                tr("After each reply, one row here says what memory took in, or why it did not."),
            )
        else:
            self.ledger.say(
                tr("No ledger"),
                tr("This kind of memory asks no model, so there is nothing to account for."),
            )
        starts = [layer.verbatim_from for layer in snapshot.layers if layer.verbatim_from]
        # Ids sort by time, so the least is the oldest of what any layer shows.
        self._set_verbatim_from(min(starts, default=None))

    def _say_problem(self, text: str) -> None:
        self.memory.say(tr("Memory cannot be shown"), text)
        self.ledger.say(tr("The ledger cannot be shown"), text)
        self._set_verbatim_from(None)

    def _say_nothing_chosen(self) -> None:
        self.memory.say(tr("No memory yet"), tr("What the agent keeps of this chat is shown here."))
        self.prompt.say(
            tr("Nothing sent yet"), tr("What the model is given is shown here, part by part.")
        )
        self.ledger.say(tr("Nothing folded yet"), tr("How each memory was made is shown here."))

    def _set_verbatim_from(self, message_id: str | None) -> None:
        if message_id != self._verbatim_from:
            self._verbatim_from = message_id
            self.verbatim_from_changed.emit(message_id)

    # --- searching ---------------------------------------------------------------------------

    def _search(self, text: str) -> None:
        """One at a time: whoever types faster than a long chat is read wants the last text only."""
        if self._searcher is not None:
            self._search_next = text
        elif self._scope is not None:
            scope = self._scope
            self._searcher = self._tasks.start(
                self._searching(scope, text),
                failed=lambda reason: self._search_failed(scope, text, reason),
            )
            self._searcher.add_done_callback(self._searched)

    def _searched(self, searcher: asyncio.Task[None]) -> None:
        self._searcher = None
        text, self._search_next = self._search_next, None
        if text is not None and not searcher.cancelled():
            self._search(text)

    async def _searching(self, scope: Scope, text: str) -> None:
        found = await self._memories.search_episodes(scope, text, FOUND)
        if scope == self._scope and self._search_next is None:
            self.memory.show_found(text, found)

    def _search_failed(self, scope: Scope, text: str, reason: str) -> None:
        if scope == self._scope and self._search_next is None:
            self.memory.show_search_failure(text, reason)

    # --- what a person does ------------------------------------------------------------------

    def _show_row(self, entry_id: str) -> None:
        self.tabs.setCurrentWidget(self.ledger)
        self.ledger.choose(entry_id)

    def _show_step(self, step: int | None) -> None:
        # The run is held: a newer one that comes has other steps.
        self._run_id, self._step = self.prompt.shown_run, step
        self._refresh()

    def _show_run(self, run_id: str) -> None:
        self._run_id, self._step = run_id, None
        self._refresh()

    def _copy_request(self, request: SentRequest, form: str) -> None:
        self._tasks.start(self._copying(request, form))

    async def _copying(self, request: SentRequest, form: str) -> None:
        wire = await self._wire(request.model, as_asked(request))
        text = wire.as_curl() if form == "curl" else wire.as_json()
        QGuiApplication.clipboard().setText(text)

    def _reembed(self) -> None:
        if not self._reembedding.running:
            self._tasks.start(self._reembedding_all())

    async def _reembedding_all(self) -> None:
        await self._reembedding.run()

    def _show_more(self) -> None:
        self._limit += PAGE
        self._throttle.request()

    def _forget_fact(self, fact_id: str) -> None:
        if self._scope is not None:
            self.forget_wanted.emit(ForgetTarget("fact", self._scope.session_id, fact_id))

    def _change_fact(self, layer: str, fact_id: str, text: str | None) -> None:
        if self._scope is not None:
            self._tasks.start(self._acts.change_fact(self._scope, layer, fact_id, text))
