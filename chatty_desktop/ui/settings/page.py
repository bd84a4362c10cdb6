"""What every page of the settings is: a column of groups of fields that apply at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from chatty_desktop.app import App
from chatty_desktop.domain.events import Event
from chatty_desktop.domain.settings import Settings
from chatty_desktop.ui.controls import Field
from chatty_desktop.ui.pieces import Problem, caption
from chatty_desktop.ui.plain import Label
from chatty_desktop.ui.tasks import Tasks
from chatty_desktop.ui.theme import Theme
from chatty_desktop.ui.tokens import XL, XS, M, S

Change = Callable[[Settings], Settings]
"""The settings with a change made to them."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What pages work with."""

    app: App
    theme: Theme
    tasks: Tasks


class Page(QWidget):
    """One matter of the settings. It is built when it is first wanted.

    column: takes the groups, from top to bottom; `close_column` ends it.
    problem: for what went wrong that no field is for.
    page_wanted: another page, by its name, is where the person wants to go from here.
    set_up_wanted: the questions of the first run are.
    """

    page_wanted = Signal(str)
    set_up_wanted = Signal()

    def __init__(self, around: Surroundings, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.around = around
        self.app, self.theme, self.tasks = around.app, around.theme, around.tasks
        self.problem = Problem(around.theme, "danger")
        self.column = QVBoxLayout(self)
        self.column.setContentsMargins(XL, S, XL, XL)
        self.column.addWidget(self.problem)
        self._space()
        around.theme.changed.connect(self._space)

    def show_settings(self, settings: Settings) -> None:
        """Draw the settings as they are now: before it is first seen, and at every change."""

    def entered(self) -> None:
        """It has come to the front: look anew at what changes without an event."""

    def event_happened(self, event: Event) -> None:
        """Something happened in the app, whether the page is in front or not."""

    @property
    def settings(self) -> Settings:
        """The settings as they are now."""
        return self.app.settings.current

    def apply(self, change: Change, field: Field | None = None) -> None:
        """Save a change. What speaks against it stands beside the field, else on the page, and
        the page shows what holds instead."""
        self.say("", field)
        self.tasks.start(
            self.app.settings.change(change), failed=lambda reason: self._refused(reason, field)
        )

    def say(self, reason: str, field: Field | None = None) -> None:
        """Show what went wrong, beside a field or on the page; "" takes it away."""
        (field or self.problem).say(reason)

    def group(self, title: str, hint: str = "") -> QVBoxLayout:
        """A new group under a title; returns the column for what is in it."""
        heading = Label(title)
        heading.setFont(self.theme.heading())
        column = QVBoxLayout()
        column.setSpacing(M)
        top = QVBoxLayout()
        top.setSpacing(XS)
        top.addWidget(heading)
        if hint:
            words = caption(self.theme, hint)
            words.setWordWrap(True)
            top.addWidget(words)
        column.addLayout(top)
        self.column.addLayout(column)
        return column

    def close_column(self) -> None:
        """The last group is there; what is below stays empty."""
        self.column.addStretch(1)

    def _space(self) -> None:
        self.column.setSpacing(self.theme.measures.group)

    def _refused(self, reason: str, field: Field | None) -> None:
        self.show_settings(self.settings)
        self.say(reason, field)
