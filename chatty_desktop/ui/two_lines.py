"""A row of a list: a name, and below it a few words about it."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QSize, Qt
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem

from chatty_desktop.ui.painting import row_background
from chatty_desktop.ui.theme import Theme
from chatty_desktop.ui.tokens import S


class TwoLines(QStyledItemDelegate):
    """Draws the text of an item, and below it its accessible description: what is seen is what is
    read out."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme

    def sizeHint(
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> QSize:
        return QSize(120, 2 * option.fontMetrics.height() + 2 * self._theme.measures.row)

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        tokens = self._theme.tokens
        name = index.data(Qt.ItemDataRole.DisplayRole) or ""
        about = index.data(Qt.ItemDataRole.AccessibleDescriptionRole) or ""
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        rect = option.rect.adjusted(S, 1, -S, -1)
        row_background(painter, rect, option, tokens)
        inner = rect.adjusted(S, self._theme.measures.row - 2, -S, 0)
        cut = Qt.TextElideMode.ElideRight
        metrics = option.fontMetrics
        painter.setPen(QColor(tokens.text))
        painter.setFont(option.font)
        top = Qt.AlignmentFlag.AlignTop
        painter.drawText(inner, int(top), metrics.elidedText(name, cut, inner.width()))
        painter.setFont(self._theme.small())
        painter.setPen(QColor(tokens.muted))
        below = inner.adjusted(0, metrics.height() + 1, 0, 0)
        about = painter.fontMetrics().elidedText(about, cut, below.width())
        painter.drawText(below, int(top), about)
        painter.restore()
