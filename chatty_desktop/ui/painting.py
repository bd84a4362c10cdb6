"""What all rows that are drawn by hand have in common."""

from __future__ import annotations

from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import QStyle, QStyleOptionViewItem

from chatty_desktop.ui.tokens import Tokens


def row_background(
    painter: QPainter, rect: QRect, option: QStyleOptionViewItem, tokens: Tokens
) -> None:
    """Behind a row: whether it is chosen or under the pointer, and a line around the one that has
    the keyboard."""
    state = QStyle.StateFlag
    if option.state & (state.State_Selected | state.State_MouseOver):
        chosen = option.state & state.State_Selected
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(tokens.selection if chosen else tokens.hover))
        painter.drawRoundedRect(rect, 6, 6)
    if option.state & state.State_HasFocus:
        painter.setPen(QColor(tokens.accent))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(rect.adjusted(0, 0, -1, -1), 6, 6)
