"""Trying out a provider: a button, and in its place what came of it."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from chatty_desktop.domain.provider_tests import ProviderTest
from chatty_desktop.domain.settings import ProviderKind
from chatty_desktop.ui.language import tr, translated
from chatty_desktop.ui.pieces import IconLabel, Problem, TextButton, Words
from chatty_desktop.ui.settings.providers.words import works
from chatty_desktop.ui.theme import Theme
from chatty_desktop.ui.tokens import M, S


class TrialView(QWidget):
    """wanted: the person presses Test. stopped: they do not want to wait.

    address_wanted: this is to be written in place of the address.
    page_wanted: the page of the settings of that name has what is missing.
    """

    wanted = Signal()
    stopped = Signal()
    address_wanted = Signal(str)
    page_wanted = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._running = False
        self._better = ""
        self._page = ""
        self.button = QPushButton()
        self.button.clicked.connect(self._press)
        self._mark = IconLabel(theme, "check-circle", "success")
        self.result = Words(tone="muted")
        self.problem = Problem(theme, "danger", "warning-circle")
        self.use = TextButton("")
        self.use.clicked.connect(lambda: self.address_wanted.emit(self._better))
        self.go = TextButton("")
        self.go.clicked.connect(lambda: self.page_wanted.emit(self._page))
        row = QHBoxLayout()
        row.setSpacing(S)
        row.addWidget(self.button, 0, Qt.AlignmentFlag.AlignTop)
        row.addSpacing(M - S)
        row.addWidget(self._mark, 0, Qt.AlignmentFlag.AlignVCenter)
        row.addWidget(self.result, 1, Qt.AlignmentFlag.AlignVCenter)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(S)
        column.addLayout(row)
        column.addWidget(self.problem)
        column.addWidget(self.use, 0, Qt.AlignmentFlag.AlignLeft)
        column.addWidget(self.go, 0, Qt.AlignmentFlag.AlignLeft)
        self.forget()

    def forget(self) -> None:
        """What was found is of something else than what is written now."""
        self._say(tr("Asks for its models, with what is written here."))

    def begin(self) -> None:
        """The server is being asked."""
        self._say(tr("Asking …"), running=True)

    def show_test(self, test: ProviderTest, kind: ProviderKind) -> None:
        """What came of it."""
        if not test.usable:
            self._say(tr("It does not work."))
            self.problem.say(test.problem)
            self._better = test.better_address
            self.use.setText(tr("Write {address}", address=test.better_address))
            self.use.setVisible(bool(test.better_address))
            return
        lines = [tr("It works · {what}", what=works(test))]
        lines += [tr("Found at {address}", address=test.address)] if test.address else []
        lines += [translated(test.remark)] if test.remark else []
        self._say("\n".join(lines))
        self._mark.show()
        if not test.models:
            self._page = "models" if kind == "openai" else "downloads"
            named = tr("Name its models by hand") if kind == "openai" else tr("Get a model")
            self.go.setText(named)
            self.go.show()

    def _press(self) -> None:
        (self.stopped if self._running else self.wanted).emit()

    def _say(self, text: str, *, running: bool = False) -> None:
        self._running = running
        self.button.setText(tr("Stop") if running else tr("Test"))
        self.result.setText(text)
        self.problem.say("")
        for part in (self._mark, self.use, self.go):
            part.hide()
