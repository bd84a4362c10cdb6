"""What stands for a message in the column: its view, or the place it keeps where it has none."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence

from PySide6.QtCore import QPoint, QRect, Signal
from PySide6.QtWidgets import QFrame, QWidget

from chatty_desktop.domain.attachments import Attachment
from chatty_desktop.domain.events import LogEntry
from chatty_desktop.domain.messages import Message
from chatty_desktop.ui.chat.steps.grouping import Step

Edited = tuple[str, tuple[Attachment, ...]]
"""Words and files."""


class MessagePlace(QFrame):
    """What can be asked of all that stands in the column; here nothing comes of it.

    resized: its height for the present width is not what it was.
    asked: what the person wants done (of `asked.Asked`).
    pressed: by the mouse; with Shift, to choose everything up to here (bool). released: no more.
    dragged: a selection is being drawn to this point (in this widget's coordinates).
    """

    resized = Signal()
    asked = Signal(object)
    pressed = Signal(bool)
    released = Signal()
    dragged = Signal(QPoint)

    def __init__(self, message: Message, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.message = message

    def show_message(self, message: Message, *, last: bool) -> None:
        """Draw a message's present form. `last`: it is the newest, so it can be retried."""
        self.message = message

    def set_last(self, last: bool) -> None:
        """Offer to ask again only at the end of the branch."""

    def set_speaker(self, speaker: str) -> None:
        """Name who says this."""

    def append(self, text: str, reasoning: str) -> None:
        """Add what has just been streamed."""

    def restore_stream(self, text: str, reasoning: str) -> None:
        """Show what has been streamed so far, after coming back to the session."""

    def set_memory_line(self, text: str) -> None:
        """Draw the line above which the model sees nothing word for word; "" takes it away."""

    def set_versions(self, ids: Sequence[str]) -> None:
        """Offer the other versions of the message; `ids` are all of them, oldest first."""

    def edit(self, *, begun: Edited | None = None) -> None:
        """Let the person write the message anew, in its place, from where they had `begun`."""

    def show_steps(
        self, steps: Sequence[Step], *, working: bool, asking: Collection[str] = ()
    ) -> None:
        """Draw the calls that begin in this message, with what came of them; `working`: they may
        go on. `asking` are the ids of calls that wait for the person."""

    def set_continued(self, continued: bool) -> None:
        """Whether it goes on with the answer above it: then it need not say whose it is."""

    def reveal(self, message_id: str) -> None:
        """Open the step that is meant, where a message is drawn in this one."""

    def mark(self) -> None:
        """Light the message up for a moment: this is the one that was looked for."""

    def set_selected(self, selected: bool) -> None:
        """Show that the message is one of those chosen together."""

    def unselect(self) -> None:
        """Select no words."""

    def set_pattern(self, pattern: re.Pattern[str] | None) -> None:
        """Mark everything that a pattern finds in folded text; None: nothing."""

    def leave_found(self) -> None:
        """None of the places that are marked is the one meant."""

    async def draw_found(self, number: int, message_id: str) -> None:
        """Draw as much of the text as it takes to show that place."""

    def show_found(self, number: int, message_id: str) -> QRect:
        """Show which of the places marked is meant, in the text or in a step that is a message of
        its own; returns where it stands."""
        return QRect()

    def set_warnings(self, entries: Sequence[LogEntry]) -> None:
        """Say what befell the run that made the reply, or the memory of it."""

    @property
    def edited(self) -> Edited | None:
        """What the person is writing in place of the message, as far as it is not sent."""
        return None

    def recolour(self) -> Iterator[None]:
        """Draw again after the look of the window has changed, a piece at each step."""
        yield from ()
