"""What a message may carry besides its text."""

from __future__ import annotations

import time

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QPushButton,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from chatty_desktop.domain.messages import Message, Status
from chatty_desktop.ui.chat.body import MessageBody
from chatty_desktop.ui.language import N_, tr, translated
from chatty_desktop.ui.lines import memory_line
from chatty_desktop.ui.pieces import IconLabel
from chatty_desktop.ui.plain import Label
from chatty_desktop.ui.theme import Theme, restyle, set_tone
from chatty_desktop.ui.tokens import XS, M, S, Tone

LONGEST = 60_000
"""Characters shown of what a model thought."""

_ENDINGS: dict[Status, tuple[str, str, Tone]] = {
    Status.STOPPED: ("stop-circle", N_("Stopped by you."), "muted"),
    Status.CUT: ("warning", N_("The reply was cut off before it was finished."), "warning"),
    Status.TRUNCATED: ("warning", N_("The model reached its length limit."), "warning"),
    Status.FAILED: ("warning-circle", N_("No answer came."), "danger"),
}


class StatusLine(QFrame):
    """How a reply ended, when it did not end well, and the way on.

    retry: the person wants the reply again. go_on: the rest of it.
    """

    retry = Signal()
    go_on = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._row = row = QHBoxLayout(self)
        row.setContentsMargins(0, XS, 0, XS)
        row.setSpacing(S)
        self._icon = IconLabel(theme, "warning")
        self._text = Label()
        self._text.setWordWrap(True)
        self._text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._retry = QPushButton(tr("Retry"))
        self._retry.setAccessibleName(tr("Ask for this reply again"))
        self._retry.clicked.connect(self.retry)
        theme.dress(self._retry, "arrow-clockwise", "text")
        self._go_on = QPushButton(tr("Go on"))
        self._go_on.setAccessibleName(tr("Go on with this reply"))
        self._go_on.clicked.connect(self.go_on)
        theme.dress(self._go_on, "play", "text")
        row.addWidget(self._icon, 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(self._text, 1)
        row.addWidget(self._go_on, 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(self._retry, 0, Qt.AlignmentFlag.AlignTop)

    def show_status(self, message: Message, *, may_retry: bool) -> None:
        """Say how the message ended."""
        if message.status not in _ENDINGS:
            return
        icon, ending, tone = _ENDINGS[message.status]
        text = tr(ending)
        self._icon.show_icon(icon, tone)
        self._text.setText(translated(message.error) or text)
        set_tone(self._text, tone)
        self._retry.setVisible(may_retry)
        failed = message.status is Status.FAILED
        self._go_on.setVisible(may_retry and not failed and bool(message.content))
        self._row.setContentsMargins(*((S, S, S, S) if failed else (0, XS, 0, XS)))
        restyle(self, "panel", "danger" if failed else "")


class Reasoning(QFrame):
    """What a model thought aloud, folded away.

    text: all of it. resized: it was folded or unfolded, or grew while unfolded.
    """

    resized = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.text = ""
        self._theme = theme
        self._thinking = True
        # When the first thought came, while they come; and how long they took.
        self._since: float | None = None
        self._seconds = 0.0
        self._column = column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, XS)
        column.setSpacing(XS)
        self._fold = QToolButton()
        self._fold.setCheckable(True)
        self._fold.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self._fold.setFont(theme.small())
        self._fold.setStyleSheet(
            "QToolButton { padding: 2px 6px 2px 0; }"
            "QToolButton:checked { background: transparent; }"
        )
        self._fold.setAccessibleName(tr("Show or hide the model's reasoning"))
        self._fold.toggled.connect(self._toggle)
        self._body: MessageBody | None = None
        self._holder = QFrame()
        column.addWidget(self._fold, 0, Qt.AlignmentFlag.AlignLeft)
        self._title(thinking=True)

    def show_text(self, text: str, *, thinking: bool, seconds: float = 0.0) -> None:
        """Replace the text; `thinking` while more is coming, else it took so many `seconds`."""
        self.text = text
        self._seconds = seconds or self._seconds
        if thinking and self._since is None:
            self._since = time.monotonic()
        self._title(thinking=thinking)
        if self._body is not None:
            self._body.show_plain(text.strip()[:LONGEST])
            self._body.updateGeometry()

    def append(self, text: str) -> None:
        """Add what has just been streamed."""
        if self._since is None:
            self._since = time.monotonic()
        room = LONGEST - len(self.text)
        self.text += text
        if self._body is not None and room > 0:
            self._body.append_plain(text[:room])
            self._body.updateGeometry()

    def done(self, seconds: float = 0.0) -> None:
        """The answer has begun, or ended: no more thoughts are coming. `seconds` they took, if
        that is known better than here."""
        self._seconds = seconds or self._seconds
        if self._thinking or seconds:
            self._title(thinking=False)

    def _title(self, *, thinking: bool) -> None:
        self._thinking = thinking
        text = tr("Thinking …")
        if not thinking:
            text = tr("Reasoning")
            if self._since is not None and not self._seconds:
                self._seconds = time.monotonic() - self._since
            if self._seconds:
                seconds = max(1, round(self._seconds))
                text = tr("Thought for {seconds} s", seconds=seconds)
        self._fold.setText(text)
        self._theme.dress(self._fold, "caret-down" if self._fold.isChecked() else "caret-right")

    def _toggle(self, unfolded: bool) -> None:
        self._theme.dress(self._fold, "caret-down" if unfolded else "caret-right")
        if self._body is None:
            self._body = MessageBody(self._theme)
            self._holder.setProperty("panel", "raised")
            inner = QVBoxLayout(self._holder)
            inner.setContentsMargins(M, S, M, S)
            inner.addWidget(self._body)
            self._column.addWidget(self._holder)
            self._body.show_plain(self.text.strip()[:LONGEST])
        self._holder.setVisible(unfolded)
        self.resized.emit()


class MemoryLine(QWidget):
    """The quiet line where the model's verbatim memory begins."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        row = QHBoxLayout(self)
        row.setContentsMargins(0, S, 0, S)
        row.setSpacing(S)
        icon = IconLabel(theme, "brain", "memory")
        self._label = Label()
        self._label.setFont(theme.small())
        set_tone(self._label, "memory")
        across = Qt.Orientation.Horizontal
        self._lines = (memory_line(across), memory_line(across))
        row.addWidget(self._lines[0], 1)
        row.addWidget(icon)
        row.addWidget(self._label)
        row.addWidget(self._lines[1], 1)

    def setText(self, text: str) -> None:
        """Say what begins here."""
        self._label.setText(text)
        self._label.setToolTip(
            tr(
                "Messages below this line go to the model as they stand. What came before reaches"
                " it only as far as its memory has kept it."
            )
        )
        self.setAccessibleName(text)
