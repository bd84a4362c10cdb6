"""The sections of a request: a model over them and how one row is drawn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem

from chatty_desktop.domain.runs import SentSection
from chatty_desktop.ui.language import N_, number, tr
from chatty_desktop.ui.painting import row_background
from chatty_desktop.ui.readable import shortened
from chatty_desktop.ui.theme import Theme
from chatty_desktop.ui.tokens import S

Index = QModelIndex | QPersistentModelIndex
SectionRole: Final = int(Qt.ItemDataRole.UserRole)
TITLES: Final = {
    "system": N_("System prompt"),
    "spec": N_("What is kept"),
    "state": "Σ",
    "unfolded": N_("Not folded yet"),
    "summarized": N_("After the summary"),
    "facts": N_("Known facts"),
    "new": N_("New message"),
}
_PLAIN: Final = ("system", "new")
"""Origins that are no memory."""


class PromptModel(QAbstractListModel):
    """Sections in the order in which they were sent."""

    def __init__(self) -> None:
        super().__init__()
        self._sections: tuple[SentSection, ...] = ()

    def show_sections(self, sections: Sequence[SentSection]) -> bool:
        """Take the present sections. False when they are what is shown already."""
        if tuple(sections) == self._sections:
            return False
        self.beginResetModel()
        self._sections = tuple(sections)
        self.endResetModel()
        return True

    def section(self, index: Index) -> SentSection | None:
        return self._sections[index.row()] if index.isValid() else None

    def rowCount(self, parent: Index = QModelIndex()) -> int:
        return 0 if parent.isValid() else len(self._sections)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        section = self.section(index)
        if section is None:
            return None
        if role == SectionRole:
            return section
        if role == Qt.ItemDataRole.DisplayRole:
            return f"{title(section)} ({section.role}): {first_line(section)}"
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return tr(
                "{title}, {role}, about {tokens} tokens",
                title=title(section),
                role=section.role,
                tokens=number(section.tokens),
            )
        return None


def title(section: SentSection) -> str:
    """Where a section comes from, in words."""
    named = TITLES.get(section.origin)
    return tr(named) if named else section.origin.replace("_", " ").capitalize()


def first_line(section: SentSection) -> str:
    """How the content of a section begins."""
    return shortened(" ".join(section.content[:400].split()), 200, 1)


class PromptDelegate(QStyledItemDelegate):
    """Draws a section: origin, role and tokens above, how it begins below."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(120, 2 * option.fontMetrics.height() + 2 * self._theme.measures.row + 2)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        section: SentSection = index.data(SectionRole)
        tokens = self._theme.tokens
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        rect: QRect = option.rect.adjusted(4, 1, -4, -1)
        row_background(painter, rect, option, tokens)
        line = option.fontMetrics.height()
        inner = rect.adjusted(S, self._theme.measures.row - 1, -S, 0)
        middle, right = Qt.AlignmentFlag.AlignVCenter, Qt.AlignmentFlag.AlignRight
        first = QRect(inner.left(), inner.top(), inner.width(), line)
        painter.setFont(self._theme.small())
        painter.setPen(QColor(tokens.muted))
        size = tr("{role} · ~{tokens} tokens", role=section.role, tokens=section.tokens)
        wide = painter.fontMetrics().horizontalAdvance(size)
        painter.drawText(first, int(middle | right), size)
        painter.setFont(option.font)
        memory = section.origin not in _PLAIN
        painter.setPen(QColor(tokens.memory if memory else tokens.text))
        cut = Qt.TextElideMode.ElideRight
        metrics = painter.fontMetrics()
        name = metrics.elidedText(title(section), cut, first.width() - wide - S)
        painter.drawText(first, int(middle), name)
        painter.setPen(QColor(tokens.text))
        second = first.translated(0, line + 2)
        painter.drawText(
            second, int(middle), metrics.elidedText(first_line(section), cut, second.width())
        )
        painter.restore()
