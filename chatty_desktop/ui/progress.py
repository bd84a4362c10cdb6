"""The slim bar that tells how far a model is made ready."""

from __future__ import annotations

from PySide6.QtCore import QLocale
from PySide6.QtWidgets import QProgressBar, QVBoxLayout, QWidget

from chatty_desktop.domain.events import ModelProgress
from chatty_desktop.ui.elided import ElidedLabel
from chatty_desktop.ui.language import tr
from chatty_desktop.ui.theme import Theme, set_tone
from chatty_desktop.ui.tokens import XS, L, S

_STEPS = 1000


class ModelProgressBar(QWidget):
    """Hidden until a model reports; shows the newest report of those under way."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._under_way: dict[str, ModelProgress] = {}
        self.label = ElidedLabel()
        self.label.setFont(theme.small())
        set_tone(self.label, "muted")
        self.bar = QProgressBar()
        self.bar.setTextVisible(False)
        self.bar.setAccessibleName(tr("Progress of the model"))
        column = QVBoxLayout(self)
        column.setContentsMargins(L, S, L, S)
        column.setSpacing(XS)
        column.addWidget(self.label)
        column.addWidget(self.bar)
        self.hide()

    def take(self, progress: ModelProgress) -> None:
        """Show a report; one without a text ends that model's."""
        self._under_way.pop(progress.model, None)
        if progress.text:
            self._under_way[progress.model] = progress
        self._draw()

    def _draw(self) -> None:
        self.setVisible(bool(self._under_way))
        if not self._under_way:
            return
        progress = list(self._under_way.values())[-1]
        if progress.total:
            done, total = _size(progress.done), _size(progress.total)
            amount = " · " + tr("{done} of {total}", done=done, total=total)
            self.bar.setRange(0, _STEPS)
            self.bar.setValue(_STEPS * min(progress.done, progress.total) // progress.total)
        else:
            amount = ""
            # A bar without an end: it moves, and promises nothing.
            self.bar.setRange(0, 0)
        self.label.setText(f"{progress.text}{amount}")


def _size(count: int) -> str:
    return QLocale().formattedDataSize(count, 0, QLocale.DataSizeFormat.DataSizeSIFormat)
