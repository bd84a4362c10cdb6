"""Long work on the data: how far it is, a button to stop it, and what came of it."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QHBoxLayout, QProgressBar, QPushButton, QVBoxLayout, QWidget

from chatty_desktop.domain.errors import Stopped
from chatty_desktop.domain.work import Work
from chatty_desktop.ui.language import tr
from chatty_desktop.ui.pieces import Words, caption
from chatty_desktop.ui.tasks import Tasks
from chatty_desktop.ui.theme import Theme, set_tone
from chatty_desktop.ui.tokens import XS, M, Tone

LOOK_MS = 100
"""Between two looks at how far it is."""

_STEPS = 1000

T = TypeVar("T")


class WorkView(QWidget):
    """Hidden until there is something to say.

    busy: work began, or has ended.
    """

    busy = Signal(bool)

    def __init__(self, theme: Theme, tasks: Tasks, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._tasks = tasks
        self._work: Work | None = None
        self._timer = QTimer(self)
        self._timer.setInterval(LOOK_MS)
        self._timer.timeout.connect(self._look)
        self.label = caption(theme)
        self.bar = QProgressBar()
        self.bar.setTextVisible(False)
        self.bar.setAccessibleName(tr("Progress"))
        self.stop = QPushButton(tr("Stop"))
        self.stop.clicked.connect(self._stop)
        self.result = Words()
        beside = QVBoxLayout()
        beside.setSpacing(XS)
        beside.addWidget(self.label)
        beside.addWidget(self.bar)
        self._under_way = QWidget()
        row = QHBoxLayout(self._under_way)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(M)
        row.addLayout(beside, 1)
        row.addWidget(self.stop)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self._under_way)
        column.addWidget(self.result)
        self._under_way.hide()
        self.hide()

    def start(
        self,
        what: str,
        doing: Callable[[Work], Coroutine[Any, Any, T]],
        came: Callable[[T], str],
        *,
        stoppable: bool = True,
    ) -> None:
        """Do something, and then say what came of it. `what` is said until the work itself says
        what it is at."""
        work = self._work = Work()
        work.what = what
        self.stop.setVisible(stoppable)
        self.stop.setEnabled(True)
        self.result.hide()
        self._under_way.show()
        self.show()
        self._look()
        self._timer.start()
        self.busy.emit(True)

        async def whole() -> None:
            try:
                result = await doing(work)
            except Stopped:
                self.say(tr("Stopped. Nothing was changed."), "muted")
            else:
                self.say(came(result))
            finally:
                self._end()

        self._tasks.start(whole(), failed=lambda reason: self.say(reason, "danger"))

    def say(self, text: str, tone: Tone = "text") -> None:
        """Say what came of it; "" takes it away."""
        set_tone(self.result, tone)
        self.result.setText(text)
        self.result.setVisible(bool(text))
        self.setVisible(bool(text) or self._work is not None)

    def _end(self) -> None:
        self._work = None
        self._timer.stop()
        self._under_way.hide()
        self.busy.emit(False)

    def _stop(self) -> None:
        if self._work is not None:
            self._work.stop()
            self.stop.setEnabled(False)

    def _look(self) -> None:
        work = self._work
        if work is None:
            return
        done, total = work.done, work.total
        share = ""
        if total > 0:
            self.bar.setRange(0, _STEPS)
            self.bar.setValue(_STEPS * min(done, total) // total)
            share = f" · {100 * min(done, total) // total} %"
        else:
            # A bar without an end: it moves, and promises nothing.
            self.bar.setRange(0, 0)
        self.label.setText(f"{tr(work.what)} …{share}")
