"""One step of a run: a line that opens to all that was asked and answered."""

from __future__ import annotations

import re

from PySide6.QtCore import QRect, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from chatty_desktop.ui.chat.steps.grouping import Outcome, Step
from chatty_desktop.ui.elided import ElidedLabel
from chatty_desktop.ui.language import N_, tr, translated
from chatty_desktop.ui.pieces import IconLabel, LongWords, caption, edge_to_edge
from chatty_desktop.ui.plain import Label
from chatty_desktop.ui.theme import Theme, set_tone
from chatty_desktop.ui.tokens import XS, M, S, Tone
from chatty_desktop.ui.tool_words import gist, pretty, took_words, tool_icon, tool_title
from chatty_desktop.ui.verbatim import Verbatim

_STANDS: dict[Outcome, tuple[str, Tone]] = {
    Outcome.ASKING: (N_("waits for you"), "accent"),
    Outcome.RUNNING: (N_("running …"), "accent"),
    Outcome.DONE: ("", "muted"),
    Outcome.FAILED: (N_("failed"), "danger"),
    Outcome.DECLINED: (N_("declined by you"), "warning"),
    Outcome.TIMED_OUT: (N_("took too long"), "danger"),
    Outcome.STOPPED: (N_("stopped"), "warning"),
    Outcome.OPEN: (N_("not run"), "muted"),
}


class StepRow(QFrame):
    """What was called with what, and how it went.

    resized: it was opened or closed, or what is open in it is not what it was.
    """

    resized = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._step: Step | None = None
        self._outcome: Outcome | None = None
        self._detail: _Detail | None = None
        self._column = edge_to_edge(QVBoxLayout(self))
        self._line = _Line()
        self._line.pressed.connect(lambda: self.open(not self.opened))
        self._icon = IconLabel(theme, "wrench")
        self._name = Label()
        self._gist = ElidedLabel()
        set_tone(self._gist, "muted")
        self._stand = caption(theme)
        self._caret = IconLabel(theme, "caret-right")
        row = QHBoxLayout(self._line)
        row.setContentsMargins(XS, XS, S, XS)
        row.setSpacing(S)
        row.addWidget(self._icon)
        row.addWidget(self._name)
        row.addWidget(self._gist, 1)
        row.addWidget(self._stand)
        row.addWidget(self._caret)
        self._column.addWidget(self._line)

    @property
    def opened(self) -> bool:
        """Whether all of it is shown."""
        return self._detail is not None and not self._detail.isHidden()

    def show_step(self, step: Step, outcome: Outcome) -> None:
        """Draw a step as it stands now."""
        if step == self._step and outcome is self._outcome:
            return
        self._step, self._outcome = step, outcome
        words, tone = _STANDS[outcome]
        seconds = step.result.seconds if step.result else 0.0
        took = took_words(seconds)
        stand = " · ".join(part for part in (tr(words) if words else "", took) if part)
        title, about = tool_title(step.call.name), gist(step.call.arguments)
        self._icon.show_icon(tool_icon(step.call.name), tone)
        self._name.setText(title)
        self._gist.setText(about)
        self._stand.setText(stand)
        set_tone(self._stand, tone)
        self._line.setAccessibleName(", ".join(p for p in (title, about, stand) if p))
        if self._detail is not None:
            self._detail.show_step(step)
            self._settle()

    def open(self, opened: bool) -> None:
        """Show all of it, or the line alone."""
        if opened == self.opened or self._step is None:
            return
        if self._detail is None:
            self._detail = _Detail(self._theme)
            self._column.addWidget(self._detail)
            self._detail.show_step(self._step)
        self._detail.setVisible(opened)
        self._caret.show_icon("caret-down" if opened else "caret-right", "muted")
        self._line.setAccessibleDescription(tr("open") if opened else tr("closed"))
        self._settle()

    def show_found(self, pattern: re.Pattern[str], number: int) -> QRect:
        """Choose the so-manieth place that a pattern finds in the result; where that is drawn."""
        if self._detail is None:
            return self.rect()
        box = self._detail.result
        box.choose(pattern, number)
        return QRect(box.mapTo(self, box.rect().topLeft()), box.size())

    def focus(self) -> None:
        """Put the keyboard there."""
        self._line.setFocus()

    def _settle(self) -> None:
        # Now, not with the next events: whoever hears of it asks for the new height at once.
        self._column.activate()
        self.resized.emit()


class _Line(QFrame):
    """The line of a step, that can be pressed."""

    pressed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("panel", "step")
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        inside = self.rect().contains(event.position().toPoint())
        if event.button() == Qt.MouseButton.LeftButton and inside:
            self.pressed.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
            self.pressed.emit()
        else:
            super().keyPressEvent(event)


class _Detail(QWidget):
    """What the model thought, what it asked for, and what it was given."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._thought = LongWords("muted")
        self._failure = LongWords("danger")
        self._arguments = Verbatim(tr("Arguments"), theme)
        self.result = Verbatim(tr("Result"), theme)
        column = QVBoxLayout(self)
        # Below the name, which the icon stands before.
        column.setContentsMargins(XS + theme.icon_size + S, XS, S, M)
        column.setSpacing(S)
        for part in (self._thought, self._arguments, self._failure, self.result):
            column.addWidget(part)

    def show_step(self, step: Step) -> None:
        result = step.result
        error = result.error if result else ""
        content = result.content if result else ""
        self._thought.setVisible(bool(step.reasoning.strip()))
        self._thought.show_text(step.reasoning.strip())
        self._arguments.show_text(pretty(step.call.arguments))
        self._failure.setVisible(bool(error))
        self._failure.show_text(translated(error))
        self.result.setVisible(bool(content) and content != error)
        self.result.show_text(content)
