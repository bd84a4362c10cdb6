"""Which of the messages that were read have a view, and what all views have in common."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Iterator
from functools import partial

from PySide6.QtCore import QCoreApplication, QEvent, QObject, Signal
from PySide6.QtWidgets import QApplication, QTextEdit
from shiboken6 import isValid

from chatty_desktop.domain.messages import Message
from chatty_desktop.ui.chat.about_views import AboutViews, VersionsOf, WarningsOf
from chatty_desktop.ui.chat.asked import Asked, CopySeveral, OpenMenu, OpenMenuOfSeveral
from chatty_desktop.ui.chat.column import MessageColumn
from chatty_desktop.ui.chat.message import MessageView
from chatty_desktop.ui.chat.message_place import Edited, MessagePlace
from chatty_desktop.ui.chat.read_branch import ReadBranch
from chatty_desktop.ui.chat.selection import Selection
from chatty_desktop.ui.chat.steps import grouping
from chatty_desktop.ui.chat.steps.tail import StepTail
from chatty_desktop.ui.language import N_, tr
from chatty_desktop.ui.tasks import Tasks
from chatty_desktop.ui.theme import Theme

BATCH = 3
"""Views made in one go: some 15 ms of work, then the event loop has its turn."""

KEPT = 180
"""Views kept; beyond it those farthest from the reader are let go, and made again on the way
back."""

AT_ONCE_SECONDS = 0.05
"""For drawing messages in other colours before anything else happens."""

VERBATIM = N_("The model sees what follows word for word")


class DrawnMessages(QObject):
    """The views, a gapless part of the messages read.

    asked: what the person wants done to a message (of `asked.Asked`).
    redrawn: messages have a view that had none, so one being written may have to be caught up on.
    """

    asked = Signal(object)
    redrawn = Signal()

    def __init__(
        self,
        read: ReadBranch,
        *,
        versions: VersionsOf,
        warnings: WarningsOf,
        theme: Theme,
        tasks: Tasks,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self.column = MessageColumn(theme)
        self.about = AboutViews(lambda: self.column.views, versions, warnings, tasks, self)
        self._read = read
        self._theme = theme
        self._speakers: dict[str, str] = {}
        self._verbatim_from: str | None = None
        self._pattern: re.Pattern[str] | None = None
        self.selection = Selection(read, self)
        self.selection.changed.connect(self._show_selection)
        self.column.drawn_over.connect(self._drawn_over)
        self.column.copy_wanted.connect(self._copy)
        self.column.all_wanted.connect(self.selection.all)
        self.column.unselect_wanted.connect(self.selection.clear)
        # Which of the messages read is the first with a view.
        self._first = 0
        self._working = False
        self._asking: frozenset[str] = frozenset()
        self._tasks = tasks
        self._pieces: Iterator[None] = iter(())
        self._edited: dict[str, Edited] = {}
        theme.changing.connect(self._keep_in_sight)
        theme.changed.connect(self._look_changed)

    # --- which ---------------------------------------------------------------------------

    @property
    def to_the_end(self) -> bool:
        """Whether the last message read has a view, or there is none."""
        return self._end == len(self._read)

    @property
    def _end(self) -> int:
        return self._first + len(self.column.views)

    def view(self, index: int | None) -> MessagePlace | None:
        """The view of a message by its place among those read, if it has one."""
        if index is None or not self._first <= index < self._end:
            return None
        return self.column.views[index - self._first]

    def clear(self) -> None:
        """Another chat comes."""
        self._first = 0
        self.selection.clear()
        self._verbatim_from = None
        self._pattern = None
        self.column.following = True
        self._remove(0, len(self.column.views))

    def moved(self, count: int) -> None:
        """So many messages were read that come before the others."""
        self._first += count
        # Where the first of the others belongs was not known before.
        self.draw_steps(self._first)

    def draw_end(self) -> None:
        """Draw the last messages, no more of them at first than the pane has room for."""
        self._remove(0, len(self.column.views))
        self._first = len(self._read)
        while self._first > 0 and not self.column.full:
            self._make(max(0, self._first - BATCH), self._first, 0)
        self.redrawn.emit()
        self.mark_end()

    def draw_around(self, index: int) -> MessagePlace:
        """The view of a message, drawn with some around it if it is not."""
        if (drawn := self.view(index)) is not None:
            return drawn
        self.column.following = False
        self._remove(0, len(self.column.views))
        start = self._first = max(0, index - 4)
        self._make(start, min(len(self._read), index + BATCH), 0)
        self.redrawn.emit()
        return self.column.views[index - start]

    def draw_earlier(self) -> bool:
        """Draw some that come before; False when all those read are drawn already."""
        if self._first == 0:
            return False
        self._make(max(0, self._first - BATCH), self._first, 0)
        self._let_go(top=False)
        return True

    def draw_later(self) -> None:
        """Draw some that come after, where there are any."""
        end = self._end
        if self.column.views and end < len(self._read):
            # Being at the end of the views is not being at the end of the chat.
            self.column.following = False
            self._make(end, min(len(self._read), end + BATCH), len(self.column.views))
            self._let_go(top=True)
            self.redrawn.emit()

    def draw_last(self) -> None:
        """Draw the last message, that the one drawn last until now has before it."""
        self._make(len(self._read) - 1, len(self._read), len(self.column.views))
        self.draw_steps(len(self._read) - 1)
        if self.column.following:
            self._let_go(top=True)

    def truncate(self) -> None:
        """The last of the messages read are forgotten, and so are their views."""
        self.selection.clear()
        self._remove(max(0, len(self._read) - self._first), len(self.column.views))
        if not self.column.views and len(self._read):
            self.draw_end()
        elif len(self._read):
            self.draw_steps(len(self._read) - 1)

    def _make(self, start: int, end: int, at: int) -> None:
        """Make views of the messages from `start` up to `end`; `at` is where in the column."""
        if start >= end:
            return
        views = [self._view_of(index) for index in range(start, end)]
        if at == 0:
            self._first = start
        self.column.insert(at, views)
        self.mark_end()

    def _view_of(self, index: int) -> MessagePlace:
        messages = self._read.messages
        message = messages[index]
        head = self._head(index)
        if head not in (None, index):
            return StepTail(message)
        view = MessageView(
            message, self.speaker(message), self._theme, last=index == len(messages) - 1
        )
        view.asked.connect(self._asked)
        view.pressed.connect(partial(self._pressed, message.id))
        view.released.connect(self._released)
        view.set_selected(self.selection.holds(message.id))
        view.set_pattern(self._pattern)
        self.about.tell(view)
        view.set_memory_line(self._line_above(index))
        view.set_continued(index > 0 and messages[index - 1].role == "tool")
        if head is not None:
            self._show_steps(view, index)
        if (edited := self._edited.pop(message.id, None)) is not None:
            view.edit(begun=edited)
        return view

    def _let_go(self, *, top: bool) -> None:
        """Drop the views farthest from the reader when there are too many."""
        count = len(self.column.views)
        if count > KEPT:
            self._keep(range(count - KEPT, count) if top else range(KEPT))

    def _keep_in_sight(self) -> None:
        """Drop what is out of sight: Qt takes seconds to give so many views another look."""
        if seen := self.column.in_sight():
            before = set(self.column.views)
            self._keep(range(seen.start - 1, seen.stop + 1))
            for view in before.difference(self.column.views):
                # Now, not later: until then it would be given the other look.
                QCoreApplication.sendPostedEvents(view, QEvent.Type.DeferredDelete)

    def _keep(self, wanted: range) -> None:
        """Drop the views before and after these."""
        begin = max(0, wanted.start)
        self._remove(wanted.stop, len(self.column.views))
        self._first += begin
        self._remove(0, begin)
        self.mark_end()

    def _remove(self, start: int, end: int) -> None:
        """Drop the views from `start` up to `end`; what the person is writing in one is there
        again with the next view of its message."""
        for view in self.column.views[start:end]:
            if (edited := view.edited) is not None:
                self._edited[view.message.id] = edited
        self.column.remove(start, end)

    # --- steps ---------------------------------------------------------------------------

    def drawn_in(self, index: int) -> int:
        """The place of the message that a message is drawn in: steps stand in the first of a row
        of them, everything else in its own."""
        head = self._head(index)
        return index if head in (None, grouping.BEYOND) else head

    def set_working(self, working: bool) -> None:
        """Whether an answer is on its way: then steps without a result are being run."""
        if working != self._working:
            self._working = working
            self.draw_steps()

    def set_asking(self, call_ids: frozenset[str]) -> None:
        """The calls that wait until the person has said whether they may run."""
        if call_ids != self._asking:
            self._asking = call_ids
            self.draw_steps()

    def draw_steps(self, index: int | None = None) -> None:
        """Draw anew the row of steps that the message at `index` belongs to, None: each that is on
        the screen; a message that is drawn in another one now has no view of its own."""
        begin, end = self._first, self._end
        if index is not None:
            begin = max(begin, self.drawn_in(index))
            end = min(end, max(grouping.end(self._read.messages, begin), index + 1))
        for place in range(begin, end):
            at = place - self._first
            view, head = self.column.views[at], self._head(place)
            if isinstance(view, StepTail) != (head not in (None, place)):
                self._remove(at, at + 1)
                self.column.insert(at, [self._view_of(place)])
                self.about.ask()
            elif head == place:
                self._show_steps(view, place)

    def _head(self, index: int) -> int | None:
        return grouping.head(self._read.messages, index, at_start=self._read.at_start)

    def _show_steps(self, view: MessagePlace, index: int) -> None:
        messages = self._read.messages
        working = self._working and grouping.end(messages, index) == len(messages)
        asking = self._asking if working else frozenset()
        view.show_steps(grouping.steps_at(messages, index), working=working, asking=asking)

    # --- what is said about them ---------------------------------------------------------

    def mark_end(self) -> None:
        """Messages were read that have no view, or views made: learn about them."""
        self.about.ask()
        self.column.set_end_beyond(bool(self.column.views) and not self.to_the_end)

    # --- chosen together -----------------------------------------------------------------

    def _pressed(self, message_id: str, extend: bool) -> None:
        if extend:
            self.selection.extend(message_id)
        else:
            self.selection.begin(message_id)

    def _released(self) -> None:
        """Words are not selected besides whole messages."""
        if len(self.selection):
            self._unselect_words()

    def _drawn_over(self, begun: MessagePlace, reached: MessagePlace) -> None:
        if reached is begun:
            self.selection.begin(begun.message.id)
        else:
            self.selection.extend(reached.message.id, begun.message.id)

    def _show_selection(self) -> None:
        self.column.holds_selection = len(self.selection) > 0
        for view in self.column.views:
            view.set_selected(self.selection.holds(view.message.id))

    def _unselect_words(self) -> None:
        for view in self.column.views:
            view.unselect()

    def _copy(self) -> None:
        """Copy the messages chosen, else the words selected in one."""
        focused = QApplication.focusWidget()
        if len(self.selection):
            self.asked.emit(CopySeveral(self.selection.messages))
        elif isinstance(focused, QTextEdit):
            focused.copy()

    def _asked(self, asked: Asked) -> None:
        if isinstance(asked, OpenMenu) and self.selection.holds(asked.message.id):
            chosen = self.selection.messages
            if len(chosen) > 1:
                asked = OpenMenuOfSeveral(chosen, asked.at)
        self.asked.emit(asked)

    # --- what they have in common --------------------------------------------------------

    def set_speakers(self, names: dict[str, str]) -> None:
        """The names of the agents by their ids."""
        self._speakers = dict(names)
        for view in self.column.views:
            view.set_speaker(self.speaker(view.message))

    def set_verbatim_from(self, message_id: str | None) -> None:
        """The oldest message that the next request carries word for word."""
        self._verbatim_from = message_id
        for index, view in enumerate(self.column.views, self._first):
            view.set_memory_line(self._line_above(index))

    def mark_words(self, pattern: re.Pattern[str] | None) -> None:
        """Mark everything in the messages that a pattern finds in folded text; None: nothing."""
        self._pattern = pattern
        for view in self.column.views:
            view.set_pattern(pattern)

    def speaker(self, message: Message) -> str:
        """Who says a message."""
        if message.role == "user":
            return tr("You")
        name = self._speakers.get(message.agent_id, tr("Assistant"))
        return tr("{name} · tool result", name=name) if message.role == "tool" else name

    def _line_above(self, index: int) -> str:
        first_of_all = index == 0 and self._read.at_start
        wanted = self._read.messages[index].id == self._verbatim_from and not first_of_all
        return tr(VERBATIM) if wanted else ""

    def _look_changed(self) -> None:
        """At once, as long as that holds up nobody, since words would be dark on dark; the rest
        with a breath after each piece."""
        pieces = self._pieces = self._recolour()
        until = time.monotonic() + AT_ONCE_SECONDS
        for _piece in pieces:
            if time.monotonic() > until:
                self._tasks.start(self._recolour_rest(pieces))
                return

    async def _recolour_rest(self, pieces: Iterator[None]) -> None:
        for _piece in pieces:
            await asyncio.sleep(0)
            if self._pieces is not pieces:
                return

    def _recolour(self) -> Iterator[None]:
        for view in tuple(self.column.views):
            if isValid(view):
                yield from view.recolour()
