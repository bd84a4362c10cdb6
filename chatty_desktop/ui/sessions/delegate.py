"""How a row of the session list is drawn and renamed."""

from __future__ import annotations

from typing import cast

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import QLineEdit, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from chatty_desktop.ui.language import tr
from chatty_desktop.ui.sessions.model import Index, SessionModel
from chatty_desktop.ui.theme import Theme
from chatty_desktop.ui.tokens import XS, S

_LONGEST_TITLE = 200
_DOT = 7


class SessionDelegate(QStyledItemDelegate):
    """Headings small and quiet, chats on one line, a dot on those that run."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        row = self._model(index).row(index)
        line = option.fontMetrics.height()
        if row is None or row.session is None:
            return QSize(0, line + (S if index.row() == 0 else self._theme.measures.row + XS) + XS)
        return QSize(0, line + 2 * (self._theme.measures.row - 2))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        row = self._model(index).row(index)
        if row is None:
            return
        tokens = self._theme.tokens
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        rect = option.rect.adjusted(S, 0, -S, 0)
        if row.session is None:
            painter.setFont(self._theme.small())
            painter.setPen(QColor(tokens.muted))
            where = rect.adjusted(S, 0, -S, -XS)
            painter.drawText(
                where, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignBottom, row.text
            )
            painter.restore()
            return
        selected = bool(option.state & QStyle.StateFlag.State_Selected)
        hovered = bool(option.state & QStyle.StateFlag.State_MouseOver)
        if selected or hovered:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(tokens.selection if selected else tokens.hover))
            painter.drawRoundedRect(rect.adjusted(0, 1, 0, -1), 6, 6)
        if option.state & QStyle.StateFlag.State_HasFocus:
            painter.setPen(QColor(tokens.accent))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(rect.adjusted(0, 1, -1, -2), 6, 6)
        text = rect.adjusted(S, 0, -S, 0)
        if row.running:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(tokens.memory))
            dot = QRect(text.right() - _DOT, text.center().y() - _DOT // 2, _DOT, _DOT)
            painter.drawEllipse(dot)
            text.setRight(dot.left() - S)
        painter.setFont(option.font)
        painter.setPen(QColor(tokens.text if row.session.title else tokens.muted))
        shown = option.fontMetrics.elidedText(row.text, Qt.TextElideMode.ElideRight, text.width())
        painter.drawText(text, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, shown)
        painter.restore()

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
