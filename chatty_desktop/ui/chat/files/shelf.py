"""Many files above what is being written: they scroll, so that room is left for the chat."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QSizePolicy

from chatty_desktop.ui.chat.files.row import FileRow

HIGHEST = 170
"""Pixels: three lines of files."""


class FileShelf(QScrollArea):
    """As high as its files, up to three lines of them; not there without any."""

    def __init__(self, row: FileRow) -> None:
        super().__init__()
        self._row = row
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        row.setProperty("scrolled", "true")
        self.setWidget(row)
        row.redrawn.connect(self._fit)
        self.setVisible(bool(row.files))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def sizeHint(self) -> QSize:
        return QSize(super().sizeHint().width(), self.height())

    def _fit(self) -> None:
        self.setVisible(bool(self._row.files))
        needed = self._row.heightForWidth(max(1, self.viewport().width()))
        height = min(HIGHEST, max(1, needed))
        if height != self.height():
            self.setFixedHeight(height)
