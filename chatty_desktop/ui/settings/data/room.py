"""What takes room in the data folder, kind by kind as it is counted."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QLabel, QVBoxLayout, QWidget

from chatty_desktop.domain.data_folder import DataCounts, IndexOnDisk, PlaceKind, PlaceSize
from chatty_desktop.ui.elided import ElidedLabel
from chatty_desktop.ui.language import tr, trn
from chatty_desktop.ui.pieces import Words, emphasise
from chatty_desktop.ui.plain import Label
from chatty_desktop.ui.settings.data import words
from chatty_desktop.ui.tokens import M, S


class RoomView(QWidget):
    """A table of sizes, and under it how much of everything there is."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._sizes: dict[PlaceKind, tuple[QLabel, QLabel]] = {}
        self._found: dict[PlaceKind, PlaceSize] = {}
        grid = QGridLayout()
        grid.setHorizontalSpacing(M)
        grid.setVerticalSpacing(S)
        grid.setColumnStretch(3, 1)
        for row, (kind, name) in enumerate(words.PLACES.items()):
            self._sizes[kind] = _row(grid, row, _name(tr(name)))
        name_of_total = _name(tr("Altogether"))
        self._total = _row(grid, len(words.PLACES), name_of_total)
        for label in (name_of_total, self._total[0]):
            emphasise(label)
        self.counts = Words(tone="muted")
        self.index = Words(tone="muted")
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(M)
        column.addLayout(grid)
        column.addWidget(self.counts)
        column.addWidget(self.index)

    def show_size(self, found: PlaceSize) -> None:
        """One kind was counted."""
        self._found[found.kind] = found
        _show(self._sizes[found.kind], found.bytes, found.files)
        if len(self._found) == len(self._sizes):
            every = self._found.values()
            _show(self._total, sum(e.bytes for e in every), sum(e.files for e in every))

    def show_counts(self, counts: DataCounts, index: IndexOnDisk) -> None:
        self.counts.setText(words.stored(counts))
        self.index.setText(words.index(index))


def _name(text: str) -> ElidedLabel:
    label = ElidedLabel()
    label.setText(text)
    return label


def _row(grid: QGridLayout, row: int, name: QLabel) -> tuple[QLabel, QLabel]:
    amount, files = Label("…"), Label()
    amount.setAccessibleName(name.text())
    amount.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
    files.setProperty("tone", "muted")
    for column, label in enumerate((name, amount, files)):
        grid.addWidget(label, row, column)
    return amount, files


def _show(labels: tuple[QLabel, QLabel], amount: int, files: int) -> None:
    labels[0].setText(words.size(amount))
    labels[1].setText(trn("{count} file", "{count} files", files) if files else "")
