"""How an agent shows in the list: its name, and its memory and model in a few words."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QSize, Qt
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem

from chatty_desktop.domain.agents import Agent
from chatty_desktop.ui.agents.strategy_form import about
from chatty_desktop.ui.language import tr
from chatty_desktop.ui.painting import row_background
from chatty_desktop.ui.theme import Theme
from chatty_desktop.ui.tokens import S

AgentRole: Final = int(Qt.ItemDataRole.UserRole)
AGENT_MIME: Final = "application/x-chatty-agent"
"""What an agent is dragged as: its id."""


def described(agent: Agent) -> str:
    """The memory and the model of an agent in a few words."""
    definition = agent.definition
    kind = definition.memory_strategy.kind
    memory = tr("{kind} memory", kind=about(kind).title) if kind != "none" else tr("No memory")
    return f"{memory} · {definition.model or tr('default model')}"


class AgentDelegate(QStyledItemDelegate):
    """Draws the name, and below it the memory and the model."""

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
        agent: Agent = index.data(AgentRole)
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
        painter.drawText(inner, int(top), metrics.elidedText(agent.name, cut, inner.width()))
        painter.setFont(self._theme.small())
        painter.setPen(QColor(tokens.muted))
        below = inner.adjusted(0, metrics.height() + 1, 0, 0)
        about_it = painter.fontMetrics().elidedText(described(agent), cut, below.width())
        painter.drawText(below, int(top), about_it)
        painter.restore()
