"""Which episodes are embedded by which model, and embedding the others again."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QProgressBar, QPushButton, QVBoxLayout, QWidget

from chatty_desktop.domain.episodes import EpisodeCounts
from chatty_desktop.domain.settings import EmbedderSettings
from chatty_desktop.ui.language import number, tr
from chatty_desktop.ui.pieces import Problem, Words, caption
from chatty_desktop.ui.settings.embedder.words import count_lines, episodes
from chatty_desktop.ui.theme import Theme
from chatty_desktop.ui.tokens import M, S


class EpisodesView(QWidget):
    """reembed_wanted: embed what the present embedder has not. stop_wanted: no more of it."""

    reembed_wanted = Signal()
    stop_wanted = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._waiting = 0
        self.counts = Words(tone="muted")
        self.button = QPushButton("")
        self.button.clicked.connect(self.reembed_wanted)
        self._bar = QProgressBar()
        self._bar.setProperty("tone", "memory")
        self._bar.setTextVisible(False)
        self._bar.setAccessibleName(tr("Episodes embedded"))
        self.progress = caption(theme)
        self.stop = QPushButton(tr("Stop"))
        self.stop.clicked.connect(self._stop)
        self.problem = Problem(theme, "danger", "warning-circle")
        self._under_way = QWidget()
        row = QHBoxLayout(self._under_way)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(M)
        row.addWidget(self._bar, 1)
        row.addWidget(self.progress)
        row.addWidget(self.stop)
        self._under_way.hide()
        left = QHBoxLayout()
        left.addWidget(self.button)
        left.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(S)
        column.addWidget(self.counts)
        column.addLayout(left)
        column.addWidget(self._under_way)
        column.addWidget(self.problem)

    def show_counts(
        self, counts: EpisodeCounts, present: EmbedderSettings | None, waiting: int
    ) -> None:
        """Draw how many there are; `waiting` is how many the present embedder has not embedded."""
        lines = count_lines(counts, present)
        if not lines:
            lines = [tr("None yet. Agents with episodic memory make them as you talk.")]
        self.counts.setText("\n".join(lines))
        self._waiting = waiting if present is not None else 0
        self.button.setText(tr("Re-embed {episodes}", episodes=episodes(self._waiting)))
        self._arrange()

    def show_progress(self, done: int, total: int) -> None:
        """Show how far it has come; 0 of 0 ends it."""
        self._under_way.setVisible(total > 0)
        if total:
            self._bar.setRange(0, total)
            self._bar.setValue(done)
            self.progress.setText(tr("{done} of {total}", done=number(done), total=number(total)))
        else:
            self.stop.setEnabled(True)
            self.stop.setText(tr("Stop"))
        self._arrange()

    def _stop(self) -> None:
        self.stop.setEnabled(False)
        self.stop.setText(tr("Stopping …"))
        self.stop_wanted.emit()

    def _arrange(self) -> None:
        self.button.setVisible(self._waiting > 0 and self._under_way.isHidden())
