"""A slider along the messages of a chat, to look at memory as it was, and to compare two points."""

from __future__ import annotations

import time
from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QSlider, QVBoxLayout, QWidget

from chatty_desktop.domain.messages import Message
from chatty_desktop.ui.button_row import ButtonRow
from chatty_desktop.ui.inspector.pending_view import SPEAKERS
from chatty_desktop.ui.language import number, tr
from chatty_desktop.ui.pieces import Words, emphasise, icon_button
from chatty_desktop.ui.plain import Label
from chatty_desktop.ui.readable import shortened, when
from chatty_desktop.ui.theme import Theme, set_tone
from chatty_desktop.ui.tokens import XS, L, M, S


class TimeBar(QFrame):
    """Points are the messages in order, then now.

    moved: a slider stands elsewhere. closed: back to the present.
    compare_toggled: two points are to be compared, or no longer.
    restore_wanted: memory is to be made what it was at the point shown.
    """

    moved = Signal()
    closed = Signal()
    compare_toggled = Signal(bool)
    restore_wanted = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._points: tuple[Message, ...] = ()
        self.setProperty("panel", "memory")
        self._title = Label()
        emphasise(self._title)
        set_tone(self._title, "memory")
        self.close_ = icon_button(theme, "x", tr("Back to now (Esc)"))
        self.close_.clicked.connect(self.closed)
        self.slider = _slider(tr("Point in the chat"))
        self.other = _slider(tr("Compared with this point"))
        self._point = Words()
        self._other_point = Words()
        self._other_title = Label(tr("Compared with"))
        set_tone(self._other_title, "muted")
        self.buttons = ButtonRow(
            (tr("Back to now"), self.closed.emit),
            (tr("Compare"), lambda: None),
            (tr("Restore this"), self.restore_wanted.emit),
        )
        self.now, self.compare, self.restore = self.buttons.buttons
        self.compare.setCheckable(True)
        self.compare.toggled.connect(self._compare)
        for slider in (self.slider, self.other):
            slider.valueChanged.connect(self._moved)
        top = QHBoxLayout()
        top.setSpacing(S)
        top.addWidget(self._title, 1)
        top.addWidget(self.close_)
        self._second = QWidget()
        second = QVBoxLayout(self._second)
        second.setContentsMargins(0, 0, 0, 0)
        second.setSpacing(XS)
        second.addWidget(self._other_title)
        second.addWidget(self.other)
        second.addWidget(self._other_point)
        column = QVBoxLayout(self)
        column.setContentsMargins(L, M, L, M)
        column.setSpacing(S)
        column.addLayout(top)
        column.addWidget(self.slider)
        column.addWidget(self._point)
        column.addWidget(self._second)
        column.addWidget(self.buttons)
        self._second.hide()
        self._draw()

    def show_points(self, points: Sequence[Message]) -> None:
        """Take the messages of the branch; where a slider stood, it stays."""
        old = self._points
        stood = [self._id(old, slider.value()) for slider in (self.slider, self.other)]
        self._points = tuple(points)
        ids = [message.id for message in self._points]
        for slider, message_id in zip((self.slider, self.other), stood, strict=True):
            slider.blockSignals(True)
            slider.setRange(0, len(ids))
            place = ids.index(message_id) if message_id in ids else len(ids)
            slider.setValue(place)
            slider.blockSignals(False)
        self._draw()

    def to_now(self) -> None:
        """Put both sliders to the present."""
        self.compare.setChecked(False)
        for slider in (self.slider, self.other):
            slider.setValue(slider.maximum())

    @property
    def message_id(self) -> str | None:
        """The point shown; None is now."""
        return self._id(self._points, self.slider.value())

    @property
    def other_id(self) -> str | None:
        """The point compared with; None is now."""
        return self._id(self._points, self.other.value())

    @staticmethod
    def _id(points: Sequence[Message], place: int) -> str | None:
        return points[place].id if place < len(points) else None

    def _compare(self, on: bool) -> None:
        self._second.setVisible(on)
        self.compare.setText(tr("Stop comparing") if on else tr("Compare"))
        self._draw()
        self.compare_toggled.emit(on)

    def _moved(self) -> None:
        self._draw()
        self.moved.emit()

    def _draw(self) -> None:
        past = self.message_id is not None
        self._title.setText(tr("The past – to be read only") if past else tr("Now"))
        self.restore.setEnabled(past)
        self._point.setText(self._said(self.slider))
        self._other_point.setText(self._said(self.other))

    def _said(self, slider: QSlider) -> str:
        place = slider.value()
        if place >= len(self._points):
            text = tr("As it is now. Move the slider to look back.")
        else:
            message = self._points[place]
            text = tr(
                "After message {at} of {count}, {moment} – {speaker}: {said}",
                at=number(place + 1),
                count=number(len(self._points)),
                moment=when(message.at, time.time()),
                speaker=tr(SPEAKERS[message.role]),
                said=shortened(" ".join(message.content[:200].split()), 80, 1),
            )
        # What a screen reader says of the slider is not its number.
        slider.setAccessibleDescription(text)
        return text


def _slider(name: str) -> QSlider:
    slider = QSlider(Qt.Orientation.Horizontal)
    slider.setAccessibleName(name)
    slider.setPageStep(2)
    slider.setSingleStep(1)
    return slider
