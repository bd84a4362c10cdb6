"""One message in the transcript: who, when, what, how it ended."""

from __future__ import annotations

import re
import time
from collections.abc import Collection, Iterator, Sequence

from PySide6.QtCore import QLocale, QPoint, QRect, Qt, QTimer
from PySide6.QtGui import QContextMenuEvent, QGuiApplication, QMouseEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from chatty_desktop.domain.events import LogEntry
from chatty_desktop.domain.messages import Message, Status
from chatty_desktop.ui.chat.asked import (
    AnswerAgain,
    GoOn,
    LeaveEdit,
    OpenMenu,
    SaveCode,
    SendEdited,
    ShowVersion,
)
from chatty_desktop.ui.chat.edit_box import EditBox
from chatty_desktop.ui.chat.files.row import FileRow
from chatty_desktop.ui.chat.message_parts import MemoryLine, Reasoning, StatusLine
from chatty_desktop.ui.chat.message_place import Edited, MessagePlace
from chatty_desktop.ui.chat.message_text import MessageText
from chatty_desktop.ui.chat.steps.grouping import Step
from chatty_desktop.ui.chat.steps.view import StepsView
from chatty_desktop.ui.chat.versions import Versions
from chatty_desktop.ui.chat.warnings import Warnings
from chatty_desktop.ui.elided import ElidedLabel
from chatty_desktop.ui.language import tr
from chatty_desktop.ui.pieces import caption, emphasise, icon_button
from chatty_desktop.ui.readable import when
from chatty_desktop.ui.theme import Theme, restyle, set_tone
from chatty_desktop.ui.tokens import XS, L, S

MARKED_MS = 1_600
"""How long a message that was looked for stays lit."""


class MessageView(MessagePlace):
    """A message, drawn once; while it streams, plain text grows at its end."""

    def __init__(
        self,
        message: Message,
        speaker: str,
        theme: Theme,
        *,
        last: bool,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(message, parent)
        self._theme = theme
        self._streamed = message.status is Status.STREAMING
        self._memory_line: MemoryLine | None = None
        self._reasoning: Reasoning | None = None
        self._status: StatusLine | None = None
        self.steps: StepsView | None = None
        self._versions: Versions | None = None
        self._warnings: Warnings | None = None
        self._selected = False
        self._edit_box: EditBox | None = None
        self._pattern: re.Pattern[str] | None = None

        self._outer = QVBoxLayout(self)
        self._outer.setSpacing(S)
        self._space()
        self._card = QFrame()
        self._outer.addWidget(self._card)
        self._column = QVBoxLayout(self._card)
        self._column.setSpacing(XS)
        if message.role == "user":
            self._card.setProperty("panel", "raised")
            self._column.setContentsMargins(L, S, S, S)
        else:
            self._column.setContentsMargins(L, 0, S, 0)
        self._column.addLayout(self._header())
        self.text = MessageText(message.role, theme)
        self.text.resized.connect(self.resized)
        self.text.pressed.connect(self.pressed)
        self.text.released.connect(self.released)
        self.text.save_wanted.connect(lambda *code: self.asked.emit(SaveCode(*code)))
        self.text.dragged.connect(lambda at: self.dragged.emit(self.text.mapTo(self, at)))
        self._column.addWidget(self.text)
        self.attached: FileRow | None = None
        if message.attachments:
            self.attached = FileRow(theme, large=True, parent=self)
            self.attached.asked.connect(self.asked)
            self.attached.set_files(message.attachments)
            self._column.addWidget(self.attached)
            self.attached.redrawn.connect(self._relaid)
        self.set_speaker(speaker)
        self.show_message(message, last=last)

    def show_message(self, message: Message, *, last: bool) -> None:
        super().show_message(message, last=last)
        self._streamed = message.status is Status.STREAMING
        if not self._streamed:
            self.text.show_final(message.content)
        # What was streamed may be ahead of the checkpoint that was stored.
        elif not (self.text.shown and self.text.shown.startswith(message.content)):
            self.text.clear()
            self.text.add(message.content)
        if message.reasoning and not (self._streamed and self._reasoning):
            thinking = self._streamed and not message.content
            self._reasoning_part().show_text(
                message.reasoning, thinking=thinking, seconds=message.thought_seconds
            )
        elif self._reasoning is not None and not self._streamed:
            self._reasoning.done(message.thought_seconds)
        self.text.setVisible(bool(self.text.shown))
        self._model.setText(_answered_by(message))
        self.set_last(last)

    def set_last(self, last: bool) -> None:
        message = self.message
        finished = message.role == "assistant" and not self._streamed
        self._again.setVisible(finished and last and message.status is Status.COMPLETE)
        wanted = finished and message.status is not Status.COMPLETE
        if wanted and self._status is None:
            self._status = StatusLine(self._theme)
            self._status.retry.connect(self._ask_again)
            self._status.go_on.connect(lambda: self.asked.emit(GoOn(self.message.id)))
            self._column.addWidget(self._status)
        if self._status is not None:
            self._status.setVisible(wanted)
            self._status.show_status(message, may_retry=last)
        self.resized.emit()

    def set_speaker(self, speaker: str) -> None:
        self._who.setText(speaker)
        self.setAccessibleName(f"{speaker}, {self._when.text()}")

    def append(self, text: str, reasoning: str) -> None:
        if reasoning:
            self._reasoning_part().append(reasoning)
        if text:
            if self._reasoning is not None and text.strip():
                self._reasoning.done()
            self.text.add(text)
            self.text.setVisible(bool(self.text.shown))
        self.resized.emit()

    def restore_stream(self, text: str, reasoning: str) -> None:
        if reasoning:
            self._reasoning_part().show_text(reasoning, thinking=not text.strip())
        self.text.clear()
        self.text.add(text)
        self.text.setVisible(bool(self.text.shown))
        self.resized.emit()

    def set_memory_line(self, text: str) -> None:
        if not text and self._memory_line is None:
            return
        if self._memory_line is None:
            self._memory_line = MemoryLine(self._theme)
            self._outer.insertWidget(0, self._memory_line)
        self._memory_line.setText(text)
        self._memory_line.setVisible(bool(text))
        self.resized.emit()

    def set_versions(self, ids: Sequence[str]) -> None:
        if len(ids) < 2 and self._versions is None:
            return
        if self._versions is None:
            self._versions = Versions(self._theme)
            self._versions.chosen.connect(lambda each: self.asked.emit(ShowVersion(each)))
            self._buttons.insertWidget(self._buttons.indexOf(self._model) + 1, self._versions)
        self._versions.show_versions(self.message.id, ids)

    def edit(self, *, begun: Edited | None = None) -> None:
        if self.message.role != "user" or self._edit_box is not None:
            return
        text, files = begun or (self.message.content, self.message.attachments)
        box = self._edit_box = EditBox(text, files, self._theme)
        box.cancelled.connect(self._leave_edit)
        box.sent.connect(
            lambda text: self.asked.emit(SendEdited(self.message.id, text, box.attached.files))
        )
        box.asked.connect(self.asked)
        box.resized.connect(self.resized)
        self.text.hide()
        if self.attached is not None:
            self.attached.hide()
        self._column.insertWidget(self._column.indexOf(self.text), box)
        self.resized.emit()
        if begun is None:
            box.begin()

    def show_steps(
        self, steps: Sequence[Step], *, working: bool, asking: Collection[str] = ()
    ) -> None:
        if self.steps is None:
            self.steps = StepsView(self._theme)
            self.steps.resized.connect(self._relaid)
            self._column.insertWidget(self._column.indexOf(self.text) + 1, self.steps)
        self.steps.show_steps(steps, working=working, asking=asking)

    def _relaid(self) -> None:
        self._column.activate()
        self._outer.activate()
        self.resized.emit()

    def heightForWidth(self, width: int) -> int:
        height = super().heightForWidth(width)
        # Steps without words beside them are as high at any width.
        if height < 0 and self.steps is not None and not self.steps.isHidden():
            return self._outer.sizeHint().height()
        return height

    def set_continued(self, continued: bool) -> None:
        self._who.setVisible(not continued)
        self._when.setVisible(not continued)

    def reveal(self, message_id: str) -> None:
        if self.steps is not None and message_id != self.message.id:
            self.steps.reveal(message_id)

    def mark(self) -> None:
        self._panel("memory")
        QTimer.singleShot(MARKED_MS, self, lambda: self._panel(self._plain_panel))

    def set_selected(self, selected: bool) -> None:
        if selected != self._selected:
            self._selected = selected
            self._panel(self._plain_panel)

    def unselect(self) -> None:
        self.text.unselect()

    @property
    def _plain_panel(self) -> str:
        if self._selected:
            return "selected"
        return "raised" if self.message.role == "user" else ""

    def set_pattern(self, pattern: re.Pattern[str] | None) -> None:
        self._pattern = pattern
        self.text.set_pattern(pattern)

    def leave_found(self) -> None:
        self.text.set_found(None)

    async def draw_found(self, number: int, message_id: str) -> None:
        if message_id == self.message.id:
            await self.text.draw_place(number)

    def show_found(self, number: int, message_id: str) -> QRect:
        if message_id != self.message.id and self.steps is not None and self._pattern is not None:
            place = self.steps.show_found(message_id, self._pattern, number)
            return QRect(self.steps.mapTo(self, place.topLeft()), place.size())
        place = self.text.set_found(number)
        return QRect(self.text.mapTo(self, place.topLeft()), place.size())

    def set_warnings(self, entries: Sequence[LogEntry]) -> None:
        wanted = self.message.role == "assistant" and not self.message.tool_calls
        texts = [each for each in entries if wanted and each.text != self.message.error]
        if not texts and self._warnings is None:
            return
        if self._warnings is None:
            self._warnings = Warnings(self._theme)
            self._warnings.asked.connect(self.asked)
            self._warnings.resized.connect(self.resized)
            self._column.addWidget(self._warnings)
        if self._warnings.show_entries(texts):
            self.resized.emit()

    @property
    def edited(self) -> Edited | None:
        box = self._edit_box
        return None if box is None or box.was_sent else (box.text, tuple(box.attached.files))

    def recolour(self) -> Iterator[None]:
        self._space()
        self.resized.emit()
        yield from self.text.recolour()

    # --- parts ---------------------------------------------------------------------------

    def _space(self) -> None:
        half = self._theme.measures.message // 2
        self._outer.setContentsMargins(0, half, 0, half)

    def _header(self) -> QHBoxLayout:
        row = self._buttons = QHBoxLayout()
        row.setSpacing(S)
        self._who = ElidedLabel()
        self._who.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Preferred)
        emphasise(self._who)
        self._when = caption(self._theme, when(self.message.at, time.time()))
        self._model = ElidedLabel()
        self._model.setFont(self._theme.small())
        set_tone(self._model, "muted")
        self._again = icon_button(self._theme, "arrow-clockwise", tr("Answer again"))
        self._again.clicked.connect(self._ask_again)
        self._again.hide()
        copy = icon_button(self._theme, "copy", tr("Copy message"))
        copy.clicked.connect(self._copy)
        row.addWidget(self._who)
        row.addWidget(self._when)
        row.addWidget(self._model, 1)
        row.addWidget(self._again)
        if self.message.role == "user":
            edit = icon_button(self._theme, "pencil-simple", tr("Edit and send again"))
            edit.clicked.connect(self.edit)
            row.addWidget(edit)
        row.addWidget(copy)
        more = icon_button(self._theme, "dots-three", tr("More to do with this message"))
        more.clicked.connect(lambda: self._open_menu(more.mapToGlobal(more.rect().bottomLeft())))
        row.addWidget(more)
        return row

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            shift = event.modifiers() & Qt.KeyboardModifier.ShiftModifier
            self.pressed.emit(bool(shift))
        super().mousePressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        self._open_menu(event.globalPos())

    def _open_menu(self, at: QPoint) -> None:
        self.asked.emit(OpenMenu(self.message, at))

    def _ask_again(self) -> None:
        self.asked.emit(AnswerAgain(self.message.id))

    def _leave_edit(self) -> None:
        # First, else the keyboard goes wherever it goes from what is hidden.
        self.asked.emit(LeaveEdit())
        box, self._edit_box = self._edit_box, None
        if box is not None:
            self._column.removeWidget(box)
            box.hide()
            box.deleteLater()
            self.text.setVisible(bool(self.text.shown))
            if self.attached is not None:
                self.attached.show()
            self.resized.emit()

    def _copy(self) -> None:
        steps = self.steps.as_text() if self.steps is not None else ""
        QGuiApplication.clipboard().setText(self.text.shown or self.message.content or steps)

    def _panel(self, panel: str) -> None:
        restyle(self._card, "panel", panel)

    def _reasoning_part(self) -> Reasoning:
        if self._reasoning is None:
            self._reasoning = Reasoning(self._theme)
            self._reasoning.resized.connect(self.resized)
            self._column.insertWidget(1, self._reasoning)
        return self._reasoning


def _answered_by(message: Message) -> str:
    if message.role != "assistant":
        return ""
    took = (
        tr("{seconds} s", seconds=QLocale().toString(message.seconds, "f", 1))
        if message.seconds
        else ""
    )
    return " · ".join(part for part in (message.model, took) if part)
