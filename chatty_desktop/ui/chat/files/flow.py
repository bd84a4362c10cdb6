"""A layout that puts widgets beside each other, and on the next line where the room ends."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRect, QSize
from PySide6.QtWidgets import QLayout, QLayoutItem

from chatty_desktop.ui.tokens import S


class Flow(QLayout):
    """Left to right, or from the right where the language is read so; each as wide as it wants to
    be, and no wider than the room."""

    def __init__(self) -> None:
        super().__init__()
        self._items: list[QLayoutItem] = []
        self.setContentsMargins(0, 0, 0, 0)
        self.setSpacing(S)

    def addItem(self, item: QLayoutItem) -> None:
        self._items.append(item)

    def count(self) -> int:
        return len(self._items)

    def itemAt(self, index: int) -> QLayoutItem | None:
        return self._items[index] if 0 <= index < len(self._items) else None

    def takeAt(self, index: int) -> QLayoutItem | None:
        return self._items.pop(index) if 0 <= index < len(self._items) else None

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        return self._place(QRect(0, 0, width, 0), move=False)

    def setGeometry(self, rect: QRect) -> None:
        super().setGeometry(rect)
        self._place(rect, move=True)

    def sizeHint(self) -> QSize:
        widths = [item.sizeHint().width() for item in self._items]
        return QSize(sum(widths) + self.spacing() * max(0, len(widths) - 1), self._highest())

    def minimumSize(self) -> QSize:
        return QSize(80, self._highest())

    def _highest(self) -> int:
        return max((item.sizeHint().height() for item in self._items), default=0)

    def _place(self, rect: QRect, *, move: bool) -> int:
        left, top, line = 0, 0, 0
        holder = self.parentWidget()
        turned = holder is not None and holder.isRightToLeft()
        for item in self._items:
            wanted = item.sizeHint()
            width = min(wanted.width(), max(1, rect.width()))
            if left and left + width > rect.width():
                left, top, line = 0, top + line + self.spacing(), 0
            if move:
                x = rect.width() - left - width if turned else left
                at = rect.topLeft() + QPoint(x, top)
                item.setGeometry(QRect(at, QSize(width, wanted.height())))
            left += width + self.spacing()
            line = max(line, wanted.height())
        return top + line
