"""The Memory tab: memory now, and, on demand, as it was at any message of the branch."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

from chatty_desktop.domain.errors import ChattyError
from chatty_desktop.domain.history import layer_differences
from chatty_desktop.domain.memory import MemorySnapshot
from chatty_desktop.domain.messages import Scope
from chatty_desktop.engine.memory_past import MemoryPast
from chatty_desktop.ui.inspector.difference_view import DifferenceView
from chatty_desktop.ui.inspector.doing import MemoryDoing
from chatty_desktop.ui.inspector.memory_view import MemoryView
from chatty_desktop.ui.inspector.time_bar import TimeBar
from chatty_desktop.ui.language import tr
from chatty_desktop.ui.pieces import TextButton, edge_to_edge, takes_escape
from chatty_desktop.ui.questions import confirm
from chatty_desktop.ui.tasks import Tasks
from chatty_desktop.ui.theme import Theme
from chatty_desktop.ui.throttle import Throttle
from chatty_desktop.ui.tokens import L, S

MOVED_MS = 120


class TimeTravel(QWidget):
    """Shows `present` until the person looks back.

    message_wanted: the id of the message that the slider stands at.
    """

    message_wanted = Signal(str)

    def __init__(
        self,
        present: MemoryView,
        *,
        past: MemoryPast,
        doing: MemoryDoing,
        scope: Callable[[], Scope | None],
        tasks: Tasks,
        theme: Theme,
        parent: QWidget | None = None,
    ) -> None:
        # First, since the widget may be sent events from its beginning on.
        self.bar = TimeBar(theme)
        super().__init__(parent)
        self._present = present
        self._past = past
        self._doing = doing
        self._scope = scope
        self._tasks = tasks
        self._reader: asyncio.Task[None] | None = None
        self._stale = False
        self._at: str | None = None
        self._throttle = Throttle(MOVED_MS, self._read, self)
        self.open_ = TextButton(tr("Look back …"))
        self.open_.setToolTip(tr("See memory as it was at any message of this chat"))
        self.open_.clicked.connect(self.look_back)
        self.bar.hide()
        self.past = MemoryView(theme)
        self.past.message_wanted.connect(self.message_wanted)
        self.differences = DifferenceView(theme)
        self._pages = QStackedWidget()
        for page in (present, self.past, self.differences):
            self._pages.addWidget(page)
        self.bar.moved.connect(self._throttle.request)
        self.bar.closed.connect(self.to_now)
        self.bar.compare_toggled.connect(lambda _on: self._throttle.request())
        self.bar.restore_wanted.connect(self._ask_to_restore)
        top = QHBoxLayout()
        top.setContentsMargins(L, S, L, 0)
        top.addStretch(1)
        top.addWidget(self.open_)
        column = edge_to_edge(QVBoxLayout(self))
        column.addLayout(top)
        column.addWidget(self.bar)
        column.addWidget(self._pages, 1)
        self.open_.hide()

    @property
    def looking_back(self) -> bool:
        return not self.bar.isHidden()

    def offer(self, there: bool) -> None:
        """Whether there is a memory to look back to."""
        self.open_.setVisible(there and not self.looking_back)
        if not there:
            self.to_now()

    def look_back(self) -> None:
        """Show the slider, with the keyboard on it."""
        if self._scope() is None:
            return
        self.open_.hide()
        self.bar.show()
        self.bar.slider.setFocus()
        self._throttle.request()

    def to_now(self) -> None:
        """Show the present again."""
        if not self.looking_back:
            return
        self.bar.hide()
        self.bar.to_now()
        self._throttle.drop()
        self._at = None
        self._pages.setCurrentWidget(self._present)
        self.open_.setVisible(self._scope() is not None)
        self._present.setFocus()

    def changed(self) -> None:
        """Memory is not what it was: there may be other points, and what they show."""
        if self.looking_back:
            self._throttle.request()

    def event(self, event: QEvent) -> bool:
        return (self.looking_back and takes_escape(event)) or super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if self.looking_back and event.key() == Qt.Key.Key_Escape:
            self.to_now()
        else:
            super().keyPressEvent(event)

    # --- reading -----------------------------------------------------------------------------

    def _read(self) -> None:
        """One at a time: whoever moves the slider faster wants the last point only."""
        scope = self._scope()
        if self._reader is not None:
            self._stale = True
        elif scope is not None and self.looking_back:
            self._stale = False
            self._reader = self._tasks.start(self._reading(scope))
            self._reader.add_done_callback(self._was_read)

    def _was_read(self, reader: asyncio.Task[None]) -> None:
        self._reader = None
        if self._stale and not reader.cancelled():
            self._read()

    async def _reading(self, scope: Scope) -> None:
        self.bar.show_points(await self._past.timeline(scope))
        wanted, other = self.bar.message_id, self.bar.other_id
        comparing = self.bar.compare.isChecked()
        try:
            shown = await self._snapshot(scope, wanted)
            compared = await self._snapshot(scope, other) if comparing else None
        except ChattyError as problem:
            self.past.say(tr("Memory cannot be shown"), str(problem))
            self._pages.setCurrentWidget(self.past)
            return
        if scope != self._scope() or not self.looking_back:
            return
        if compared is not None:
            self._compare(shown, compared)
        elif wanted is None:
            self._pages.setCurrentWidget(self._present)
        else:
            self.past.show_memory(shown)
            self._pages.setCurrentWidget(self.past)
        if wanted is not None and wanted != self._at:
            self.message_wanted.emit(wanted)
        self._at = wanted

    async def _snapshot(self, scope: Scope, message_id: str | None) -> MemorySnapshot:
        if message_id is None:
            return await self._past.now(scope)
        return await self._past.at(scope, message_id)

    def _compare(self, shown: MemorySnapshot, compared: MemorySnapshot) -> None:
        """The earlier of the two points comes first, wherever the sliders stand."""
        in_order = self.bar.slider.value() <= self.bar.other.value()
        before, after = (shown, compared) if in_order else (compared, shown)
        self.differences.show_differences(layer_differences(before, after))
        self._pages.setCurrentWidget(self.differences)

    # --- restoring ---------------------------------------------------------------------------

    def _ask_to_restore(self) -> None:
        message_id = self.bar.message_id
        if message_id is None:
            return
        confirm(
            self.window(),
            tr("Make memory what it was at this point?"),
            tr(
                "What the agent keeps now is replaced by what it kept then. It is a change like any"
                " other: it is in the ledger, and you can go back to today's memory the same way."
                " The chat itself stays as it is."
            ),
            tr("Restore"),
            lambda: self._doing.do(
                lambda scope: self._doing.acts.restore(scope, message_id), done=self.to_now
            ),
        )
