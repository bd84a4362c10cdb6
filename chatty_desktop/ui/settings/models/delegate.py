"""Draws a model of the list: its name, what is known of it, and the star of the default."""

from __future__ import annotations

from typing import cast

from PySide6.QtCore import QAbstractItemModel, QEvent, QRect, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFontMetrics, QHelpEvent, QMouseEvent, QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QToolTip,
)

from chatty_desktop.ui.language import tr
from chatty_desktop.ui.painting import row_background
from chatty_desktop.ui.plain import tip
from chatty_desktop.ui.settings.models.rows import Heading, Index, ModelRow, ModelRows
from chatty_desktop.ui.theme import Theme
from chatty_desktop.ui.tokens import XS, M, S, Tone

_STAR = 16
"""Pixels of the star."""


class ModelDelegate(QStyledItemDelegate):
    """Two lines a model; pressing its star makes it the default.

    starred: the reference of the model whose star was pressed.
    """

    starred = Signal(str)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._measure()
        theme.changed.connect(self._measure)

    def _measure(self) -> None:
        """Measure the small letters once: a list asks for the height of each of its rows."""
        self._small = self._theme.small()
        self._small_metrics = QFontMetrics(self._small)

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        small = self._small_metrics.height()
        if isinstance(_rows(index).row(index), Heading):
            return QSize(0, small + (S if index.row() == 0 else M) + XS)
        return QSize(0, option.fontMetrics.height() + small + self._theme.measures.row + S)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        row = _rows(index).row(index)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if isinstance(row, Heading):
            self._paint_heading(painter, option, row)
        elif row is not None:
            self._paint_model(painter, option, row)
        painter.restore()

    def editorEvent(
        self,
        event: QEvent,
        model: QAbstractItemModel,
        option: QStyleOptionViewItem,
        index: Index,
    ) -> bool:
        row = _rows(index).row(index)
        if isinstance(row, ModelRow) and isinstance(event, QMouseEvent):
            on_star = _star_area(option.rect).contains(event.position().toPoint())
            if event.type() == QEvent.Type.MouseButtonRelease and on_star:
                self.starred.emit(row.reference)
                return True
        return super().editorEvent(event, model, option, index)

    def helpEvent(
        self,
        event: QHelpEvent,
        view: QAbstractItemView,
        option: QStyleOptionViewItem,
        index: Index,
    ) -> bool:
        row = _rows(index).row(index)
        if isinstance(row, ModelRow) and _star_area(option.rect).contains(event.pos()):
            words = tr("Answers new chats") if row.default else tr("Use for new chats")
            QToolTip.showText(event.globalPos(), tip(words), view)
            return True
        return super().helpEvent(event, view, option, index)

    def _paint_heading(
        self, painter: QPainter, option: QStyleOptionViewItem, heading: Heading
    ) -> None:
        rect = option.rect.adjusted(M, 0, -M, -XS)
        font = self._theme.small()
        font.setWeight(font.Weight.DemiBold)
        painter.setFont(font)
        painter.setPen(QColor(self._theme.tokens.muted))
        bottom = Qt.AlignmentFlag.AlignBottom
        painter.drawText(rect, Qt.AlignmentFlag.AlignLeft | bottom, heading.provider)
        if heading.state:
            painter.setFont(self._small)
            painter.drawText(rect, Qt.AlignmentFlag.AlignRight | bottom, heading.state)

    def _paint_model(self, painter: QPainter, option: QStyleOptionViewItem, row: ModelRow) -> None:
        tokens = self._theme.tokens
        selected = bool(option.state & QStyle.StateFlag.State_Selected)
        hovered = bool(option.state & QStyle.StateFlag.State_MouseOver)
        row_background(painter, option.rect.adjusted(XS, 1, -XS, -1), option, tokens)
        if row.default or hovered or selected:
            tone: Tone = "accent" if row.default else "muted"
            self._theme.icon("star-fill" if row.default else "star", tone).paint(
                painter, _star(option.rect)
            )
        text = option.rect.adjusted(M + _STAR + S, 0, -M, 0)
        small = self._small_metrics
        high = option.fontMetrics.height() + small.height()
        top = text.top() + (text.height() - high) // 2
        name = QRect(text.left(), top, text.width(), option.fontMetrics.height())
        marks = QRect(text.left(), name.bottom() + 1, text.width(), small.height())
        painter.setFont(option.font)
        painter.setPen(QColor(tokens.muted if row.there is False else tokens.text))
        _draw(painter, name, row.label, option.fontMetrics)
        painter.setFont(self._small)
        painter.setPen(QColor(tokens.muted))
        _draw(painter, marks, row.marks() or tr("nothing known yet"), small)


def _draw(painter: QPainter, where: QRect, text: str, metrics: QFontMetrics) -> None:
    shown = metrics.elidedText(text, Qt.TextElideMode.ElideRight, where.width())
    painter.drawText(where, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, shown)


def _star(row: QRect) -> QRect:
    return QRect(row.left() + M, row.center().y() - _STAR // 2, _STAR, _STAR)


def _star_area(row: QRect) -> QRect:
    """What counts as the star: it is small, and nothing else is at the beginning of a row."""
    return QRect(row.left(), row.top(), M + _STAR + S // 2, row.height())


def _rows(index: Index) -> ModelRows:
    return cast(ModelRows, index.model())
