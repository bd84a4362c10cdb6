"""Going through the versions of a message: an edit, or another answer, stands beside the first."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QWidget

from chatty_desktop.ui.language import tr
from chatty_desktop.ui.pieces import caption, icon_button
from chatty_desktop.ui.theme import Theme
from chatty_desktop.ui.tokens import XS


class Versions(QWidget):
    """‹ 2/3 ›: which of how many, and the way to the others.

    chosen: the id of the version to show.
    """

    chosen = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._ids: Sequence[str] = ()
        self._at = 0
        self.back = icon_button(theme, "caret-left", tr("Version before this one"))
        self.on = icon_button(theme, "caret-right", tr("Version after this one"))
        self.back.clicked.connect(lambda: self._step(-1))
        self.on.clicked.connect(lambda: self._step(1))
        self._count: QLabel = caption(theme)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(XS)
        row.addWidget(self.back)
        row.addWidget(self._count)
        row.addWidget(self.on)

    def show_versions(self, message_id: str, ids: Sequence[str]) -> None:
        """Say which of the versions this is; with one alone nothing is shown."""
        self._ids = ids
        self._at = ids.index(message_id) if message_id in ids else 0
        self.setVisible(len(ids) > 1)
        self._count.setText(f"{self._at + 1}/{len(ids)}")
        self._count.setAccessibleName(
            tr("Version {number} of {count}", number=self._at + 1, count=len(ids))
        )
        self.back.setEnabled(self._at > 0)
        self.on.setEnabled(self._at + 1 < len(ids))

    def _step(self, by: int) -> None:
        if 0 <= self._at + by < len(self._ids):
            self.chosen.emit(self._ids[self._at + by])
