"""The steps of a run that stand together: one line for all of them, or a line for each."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from PySide6.QtCore import QRect, Qt, Signal
from PySide6.QtWidgets import QFrame, QToolButton, QVBoxLayout, QWidget

from chatty_desktop.ui.chat.steps.grouping import Outcome, Step
from chatty_desktop.ui.chat.steps.row import StepRow
from chatty_desktop.ui.language import tr, trn
from chatty_desktop.ui.plain import tip
from chatty_desktop.ui.theme import Theme
from chatty_desktop.ui.tokens import XS
from chatty_desktop.ui.tool_words import pretty, seconds_words, tool_title


class StepsView(QFrame):
    """One step stands for itself; of several the last is shown while they go on, and they fold
    up once they are done, unless the person has said otherwise.

    resized: its height for the present width is not what it was.
    """

    resized = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._steps: tuple[Step, ...] = ()
        self._working = False
        self._asking: Collection[str] = ()
        self._wanted: bool | None = None
        self._rows: dict[tuple[str, str], StepRow] = {}
        self._fold = QToolButton()
        self._fold.setProperty("kind", "line")
        self._fold.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self._fold.setFont(theme.small())
        self._fold.clicked.connect(lambda: self.unfold(not self.unfolded))
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, XS, 0, XS)
        self._column.setSpacing(0)
        self._column.addWidget(self._fold, 0, Qt.AlignmentFlag.AlignLeft)

    @property
    def steps(self) -> Sequence[Step]:
        return self._steps

    @property
    def unfolded(self) -> bool:
        """Whether each of the steps has its line."""
        return bool(self._wanted) or len(self._steps) == 1

    @property
    def rows(self) -> list[StepRow]:
        """The lines on the screen, in order."""
        return [
            self._rows[step.key]
            for step in self._steps
            if step.key in self._rows and not self._rows[step.key].isHidden()
        ]

    def title(self) -> str:
        """The line that stands for all of them."""
        return self._fold.text()

    def show_steps(
        self, steps: Sequence[Step], *, working: bool, asking: Collection[str] = ()
    ) -> None:
        """Draw the steps as they stand; `working`: more may come. `asking` are the ids of calls
        that wait for the person."""
        if (tuple(steps), working, asking) == (self._steps, self._working, self._asking):
            return
        self._steps, self._working, self._asking = tuple(steps), working, asking
        known = {step.key for step in steps}
        for key in [key for key in self._rows if key not in known]:
            row = self._rows.pop(key)
            row.hide()
            row.deleteLater()
        self._draw()

    def unfold(self, unfolded: bool) -> None:
        """Give each step its line, or one line to all."""
        self._wanted = unfolded
        self._draw()

    def reveal(self, message_id: str) -> None:
        """Open the step that a message belongs to."""
        for step in self._steps:
            if step.caller.id == message_id or (step.result and step.result.id == message_id):
                if len(self._steps) > 1:
                    self.unfold(True)
                self._rows[step.key].open(True)
                return

    def show_found(self, message_id: str, pattern: re.Pattern[str], number: int) -> QRect:
        """Open the step that a message belongs to at the so-manieth place that a pattern finds in
        its result, from 0; returns where it stands."""
        self.reveal(message_id)
        for step in self._steps:
            if step.result is not None and step.result.id == message_id:
                row = self._rows[step.key]
                place = row.show_found(pattern, number)
                return QRect(row.mapTo(self, place.topLeft()), place.size())
        return self.rect()

    def as_text(self) -> str:
        """All steps with their arguments and results, to be copied."""
        return "\n\n".join(
            "\n".join(
                part
                for part in (
                    tool_title(step.call.name),
                    pretty(step.call.arguments),
                    (step.result.content or step.result.error) if step.result else "",
                )
                if part
            )
            for step in self._steps
        )

    def _draw(self) -> None:
        several = len(self._steps) > 1
        self._fold.setVisible(several)
        if several:
            text = _summary(self._steps, working=self._working)
            self._fold.setText(text)
            self._fold.setAccessibleName(text)
            told = tr("Fold the steps up") if self.unfolded else tr("Show each step")
            self._fold.setToolTip(tip(told))
            self._fold.setAccessibleDescription(told)
            self._theme.dress(self._fold, "caret-down" if self.unfolded else "caret-right")
        # Of several that run at once, the one that wants something, else the last.
        asking = [step for step in self._steps if self._outcome(step) is Outcome.ASKING]
        live = (asking[:1] or self._steps[-1:])[0] if self._working else None
        for at, step in enumerate(self._steps):
            shown = self.unfolded or step is live
            row = self._rows.get(step.key)
            if row is None:
                if not shown:
                    continue
                row = self._rows[step.key] = StepRow(self._theme)
                row.resized.connect(self._settle)
                before = sum(1 for each in self._steps[:at] if each.key in self._rows)
                self._column.insertWidget(1 + before, row)
            row.setVisible(shown)
            if shown:
                row.show_step(step, self._outcome(step))
        self._settle()

    def _outcome(self, step: Step) -> Outcome:
        return step.outcome(working=self._working, asking=self._asking)

    def _settle(self) -> None:
        self._column.activate()
        self.resized.emit()


def _summary(steps: Sequence[Step], *, working: bool) -> str:
    """How many, how long, and what went wrong."""
    outcomes = [step.outcome(working=working) for step in steps]
    seconds = sum(step.result.seconds for step in steps if step.result)
    parts = [trn("{count} step", "{count} steps", len(steps))]
    if seconds:
        parts.append(seconds_words(seconds))
    if failed := outcomes.count(Outcome.FAILED):
        parts.append(trn("{count} failed", "{count} failed", failed))
    if declined := outcomes.count(Outcome.DECLINED):
        parts.append(trn("{count} declined", "{count} declined", declined))
    if late := outcomes.count(Outcome.TIMED_OUT):
        parts.append(trn("{count} took too long", "{count} took too long", late))
    if Outcome.STOPPED in outcomes:
        parts.append(tr("stopped"))
    return " · ".join(parts)
