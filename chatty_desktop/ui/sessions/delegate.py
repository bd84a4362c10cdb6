"""How a row of the session list is drawn and renamed."""

from __future__ import annotations

from typing import cast
from unicodedata import bidirectional

from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter
from PySide6.QtWidgets import QLineEdit, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from chatty_desktop.domain.hidden import revealed
from chatty_desktop.ui.language import tr
from chatty_desktop.ui.painting import row_background
from chatty_desktop.ui.sessions.hit import hit_height, paint_hit
from chatty_desktop.ui.sessions.model import Index, SessionModel
from chatty_desktop.ui.sessions.rows import FOLDER, Row
from chatty_desktop.ui.theme import Theme
from chatty_desktop.ui.tokens import XS, S

_LONGEST_TITLE = 200
_DOT = 7
_ICON = 12
_ASKS = 16
_LEADING = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter


class SessionDelegate(QStyledItemDelegate):
    """Headings small and quiet, chats on one line, a dot on those that run, a hand
    on those that wait for an answer; hits on three."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        row = self._model(index).row(index)
        line = option.fontMetrics.height()
        if row is not None and row.hit is not None:
            return QSize(0, hit_height(option.fontMetrics, self._theme))
        if row is None or row.session is None:
            return QSize(0, line + (S if index.row() == 0 else self._theme.measures.row + XS) + XS)
        return QSize(0, line + 2 * (self._theme.measures.row - 2))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        row = self._model(index).row(index)
        if row is None:
            return
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        rect = option.rect.adjusted(S, 0, -S, 0)
        if row.session is None and row.hit is None:
            self._heading(painter, option, rect, row)
        else:
            row_background(painter, rect.adjusted(0, 1, 0, -1), option, self._theme.tokens)
            if row.hit is not None:
                paint_hit(painter, rect.adjusted(S, 0, -S, 0), row, option.font, self._theme)
            else:
                self._chat(painter, option, rect.adjusted(S, 0, -S, 0), row)
        painter.restore()

    def _heading(
        self, painter: QPainter, option: QStyleOptionViewItem, rect: QRect, row: Row
    ) -> None:
        tokens = self._theme.tokens
        font = self._theme.small()
        metrics = QFontMetrics(font)
        line = QRect(rect.left(), rect.bottom() - metrics.height() - XS, rect.width(), 0)
        line.setHeight(metrics.height() + XS)
        text = line.adjusted(S, 0, -S, 0)
        if row.folded is not None:
            row_background(painter, line, option, tokens)
            chevron = "caret-right" if row.folded else "caret-down"
            self._icon(painter, chevron, QPoint(text.right() - _ICON, 0), line)
            text.setRight(text.right() - _ICON - S)
            if row.section.startswith(FOLDER):
                self._icon(painter, "folder-simple", text.topLeft(), line)
                text.setLeft(text.left() + _ICON + S)
        painter.setFont(font)
        painter.setPen(QColor(tokens.muted))
        words = f"{row.text}  {row.count}" if row.folded else row.text
        _draw_line(painter, text, words, metrics)

    def _chat(self, painter: QPainter, option: QStyleOptionViewItem, text: QRect, row: Row) -> None:
        tokens = self._theme.tokens
        if row.section.startswith(FOLDER):
            text.setLeft(text.left() + S)
        if row.asking:
            where = QRect(text.right() - _ASKS, text.center().y() - _ASKS // 2, _ASKS, _ASKS)
            self._theme.icon("hand-palm", "accent").paint(painter, where)
            text.setRight(where.left() - S)
        elif row.running:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(tokens.memory))
            dot = QRect(text.right() - _DOT, text.center().y() - _DOT // 2, _DOT, _DOT)
            painter.drawEllipse(dot)
            text.setRight(dot.left() - S)
        painter.setFont(option.font)
        titled = row.session is not None and row.session.title
        painter.setPen(QColor(tokens.text if titled else tokens.muted))
        _draw_line(painter, text, revealed(row.text), option.fontMetrics)

    def _icon(self, painter: QPainter, name: str, at: QPoint, line: QRect) -> None:
        where = QRect(at.x(), line.center().y() - _ICON // 2 + 1, _ICON, _ICON)
        self._theme.icon(name).paint(painter, where)

    def createEditor(
        self, parent: QWidget, option: QStyleOptionViewItem, index: Index
    ) -> QLineEdit:
        editor = QLineEdit(parent)
        editor.setMaxLength(_LONGEST_TITLE)
        editor.setAccessibleName(tr("Title of the chat"))
        return editor

    def updateEditorGeometry(
        self, editor: QWidget, option: QStyleOptionViewItem, index: Index
    ) -> None:
        editor.setGeometry(option.rect.adjusted(S, 0, -S, 0))

    @staticmethod
    def _model(index: Index) -> SessionModel:
        return cast(SessionModel, index.model())


def _draw_line(painter: QPainter, where: QRect, words: str, metrics: QFontMetrics) -> None:
    """One line from where its language begins, elided at its end."""
    direction = Qt.LayoutDirection.LeftToRight
    if words.strip() and _right_to_left(words):
        direction = Qt.LayoutDirection.RightToLeft
    painter.setLayoutDirection(direction)
    shown = metrics.elidedText(words, Qt.TextElideMode.ElideRight, where.width())
    painter.drawText(where, _LEADING, shown)


def _right_to_left(words: str) -> bool:
    """By the first letter that has a direction, as the Unicode rules have it."""
    for char in words:
        kind = bidirectional(char)
        if kind in ("R", "AL"):
            return True
        if kind == "L":
            return False
    return False
