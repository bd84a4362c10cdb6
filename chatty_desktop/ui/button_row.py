"""Buttons side by side, or below each other where there is no room for that."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QPushButton, QWidget

from chatty_desktop.ui.tokens import S

_SIDES = QBoxLayout.Direction


class ButtonRow(QWidget):
    """buttons: from left to right."""

    def __init__(
        self, *named: tuple[str, Callable[[], object]], parent: QWidget | None = None
    ) -> None:
        """What each button is called, and what it does."""
        super().__init__(parent)
        self._row = QBoxLayout(_SIDES.LeftToRight, self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.setSpacing(S)
        self.buttons: list[QPushButton] = []
        for name, do in named:
            button = QPushButton(name)
            button.clicked.connect(lambda _checked=False, do=do: do())
            self._row.addWidget(button, 0, Qt.AlignmentFlag.AlignLeft)
            self.buttons.append(button)
        self._row.addStretch(1)

    def minimumSizeHint(self) -> QSize:
        """As wide as the widest: what the row needs side by side must not widen the page."""
        widest = max(button.sizeHint().width() for button in self.buttons)
        return QSize(widest, super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        needed = sum(button.sizeHint().width() + S for button in self.buttons) - S
        direction = _SIDES.TopToBottom if needed > event.size().width() else _SIDES.LeftToRight
        if direction != self._row.direction():
            self._row.setDirection(direction)
            self.updateGeometry()
