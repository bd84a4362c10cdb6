"""What a change of embedder does, said before it is made."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QFrame, QPushButton, QVBoxLayout, QWidget

from chatty_desktop.domain.embedder_choice import Switch
from chatty_desktop.engine.embedding_trial import Trial
from chatty_desktop.ui.language import tr
from chatty_desktop.ui.pieces import Words
from chatty_desktop.ui.settings.embedder.words import duration, episodes
from chatty_desktop.ui.theme import Theme, restyle
from chatty_desktop.ui.tokens import M, S


class ChangeCard(QFrame):
    """The question before a change; hidden while there is none.

    change_wanted: change it; True: and embed again at once. cancelled: leave it as it is.
    """

    change_wanted = Signal(bool)
    cancelled = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("panel", "memory")
        self._switch: Switch | None = None
        self._names = ("", "")
        self._title = Words()
        self._title.setFont(theme.heading())
        self.words = Words()
        self.both = QPushButton(tr("Change and re-embed"))
        self.both.setProperty("kind", "primary")
        self.both.clicked.connect(lambda: self.change_wanted.emit(True))
        self.only = QPushButton(tr("Change"))
        self.only.clicked.connect(lambda: self.change_wanted.emit(False))
        self.cancel = QPushButton(tr("Cancel"))
        self.cancel.setProperty("kind", "quiet")
        self.cancel.clicked.connect(self.cancelled)
        self._row = row = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        row.setSpacing(S)
        for button in (self.both, self.only, self.cancel):
            row.addWidget(button)
        row.addStretch(1)
        # What the row needs side by side must not widen the page: see `resizeEvent`.
        self.setMinimumWidth(240)
        column = QVBoxLayout(self)
        column.setContentsMargins(M, M, M, M)
        column.setSpacing(M)
        column.addWidget(self._title)
        column.addWidget(self.words)
        column.addLayout(row)
        self.hide()

    def ask(self, before: str, after: str, switch: Switch, agents: list[str]) -> None:
        """Say what changing from one to another does; "" is no embedder. `agents` are those whose
        thresholds do not suit the new one."""
        self._switch, self._names = switch, (before, after)
        self._title.setText(
            tr("Change to {name}?", name=after) if after else tr("Change to no embedder?")
        )
        self.words.setText("\n".join(self._lines(switch, before, after, agents)))
        self.both.setVisible(bool(after) and switch.waiting.count > 0)
        self.both.setEnabled(False)
        restyle(self.only, "kind", "" if self.both.isVisibleTo(self) else "primary")
        self.show()

    def show_trial(self, trial: Trial) -> None:
        """It works, this fast: say how long embedding again takes."""
        if self._switch is None or self.isHidden():
            return
        takes = duration(self._switch.waiting.chars / trial.speed)
        self.both.setEnabled(True)
        if self._switch.waiting.count:
            line = tr(
                "Re-embedding takes {duration}, and can be stopped at any time.", duration=takes
            )
            self.words.setText(f"{self.words.text()}\n{line}")

    def resizeEvent(self, event: QResizeEvent) -> None:
        """In a small window the buttons stand below each other."""
        super().resizeEvent(event)
        shown = [b for b in (self.both, self.only, self.cancel) if b.isVisibleTo(self)]
        needed = sum(button.sizeHint().width() + S for button in shown) + 2 * M
        narrow = needed > event.size().width()
        sides = QBoxLayout.Direction
        self._row.setDirection(sides.TopToBottom if narrow else sides.LeftToRight)

    @staticmethod
    def _lines(switch: Switch, before: str, after: str, agents: list[str]) -> list[str]:
        lines = []
        if switch.lost:
            lines.append(
                tr(
                    "{episodes} embedded by {before} will no longer be found by meaning.",
                    episodes=episodes(switch.lost),
                    before=before,
                )
            )
        if after and switch.embedded:
            lines.append(
                tr(
                    "{episodes} embedded by {after} before will be found at once.",
                    episodes=episodes(switch.embedded),
                    after=after,
                )
            )
        if after and switch.waiting.count:
            lines.append(
                tr(
                    "{episodes} have to be embedded by it before they are found.",
                    episodes=episodes(switch.waiting.count),
                )
            )
        lines.append(tr("Nothing is lost: change back, and all is found as before."))
        if agents:
            lines.append(
                tr(
                    "Its scores are of another kind. Look at the thresholds below afterwards:"
                    " {agents}.",
                    agents=", ".join(agents),
                )
            )
        return lines
