"""The sections of a request: a model over them and how one row is drawn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem

from chatty_desktop.domain.request_diff import Change, ComparedSection
from chatty_desktop.domain.runs import SentSection
from chatty_desktop.ui.inspector.prompt_parts import part_of
from chatty_desktop.ui.language import N_, number, tr
from chatty_desktop.ui.painting import row_background
from chatty_desktop.ui.readable import shortened
from chatty_desktop.ui.theme import Theme
from chatty_desktop.ui.tokens import XS, L, S, Tone
from chatty_desktop.ui.tool_words import took_words

Index = QModelIndex | QPersistentModelIndex
SectionRole: Final = int(Qt.ItemDataRole.UserRole)
TITLES: Final = {
    "system": N_("System prompt"),
    "tools": N_("Tools on offer"),
    "spec": N_("What is kept"),
    "state": "Σ",
    "unfolded": N_("Not folded yet"),
    "summary": N_("Summary"),
    "summarized": N_("After the summary"),
    "facts": N_("Known facts"),
    "episodic": N_("Recalled messages"),
    "steps": N_("Tools used and their results"),
    "begun": N_("Beginning of the reply"),
    "new": N_("New message"),
}
_CHANGES: Final[dict[Change, tuple[str, str, Tone]]] = {
    "new": ("+", N_("new"), "success"),
    "changed": ("±", N_("changed"), "warning"),
    "gone": ("−", N_("no longer sent"), "danger"),
}


class PromptModel(QAbstractListModel):
    """Sections in the order in which they were sent."""

    def __init__(self) -> None:
        super().__init__()
        self._sections: tuple[ComparedSection, ...] = ()

    def show_sections(self, sections: Sequence[ComparedSection]) -> bool:
        """Take the present sections. False when they are what is shown already."""
        if tuple(sections) == self._sections:
            return False
        self.beginResetModel()
        self._sections = tuple(sections)
        self.endResetModel()
        return True

    def section(self, index: Index) -> ComparedSection | None:
        return self._sections[index.row()] if index.isValid() else None

    def rowCount(self, parent: Index = QModelIndex()) -> int:
        return 0 if parent.isValid() else len(self._sections)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        compared = self.section(index)
        if compared is None:
            return None
        if role == SectionRole:
            return compared
        section = compared.section
        if role == Qt.ItemDataRole.DisplayRole:
            return f"{title(section)} ({section.role}): {first_line(section)}"
        if role == Qt.ItemDataRole.AccessibleTextRole:
            text = tr(
                "{title}, {role}, about {tokens} tokens",
                title=title(section),
                role=section.role,
                tokens=number(section.tokens),
            )
            change = _CHANGES.get(compared.change)
            return ", ".join(
                filter(None, [text, took_words(section.seconds), tr(change[1]) if change else ""])
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
    """Draws a section: its part by colour and icon, role and tokens above, how it begins below."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(120, 2 * option.fontMetrics.height() + 2 * self._theme.measures.row + 2)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        compared: ComparedSection = index.data(SectionRole)
        section, part = compared.section, part_of(compared.section)
        tokens = self._theme.tokens
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        rect: QRect = option.rect.adjusted(4, 1, -4, -1)
        row_background(painter, rect, option, tokens)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(tokens.colour(part.tone)))
        painter.drawRoundedRect(QRect(rect.left(), rect.top() + 3, 3, rect.height() - 6), 1, 1)
        line = option.fontMetrics.height()
        inner = rect.adjusted(S + XS, self._theme.measures.row - 1, -S, 0)
        middle, right = Qt.AlignmentFlag.AlignVCenter, Qt.AlignmentFlag.AlignRight
        icon = QRect(inner.left(), inner.top() + (line - L) // 2, L, L)
        self._theme.icon(part.icon, part.tone).paint(painter, icon)
        first = QRect(inner.left() + L + S, inner.top(), inner.width() - L - S, line)
        painter.setFont(self._theme.small())
        painter.setPen(QColor(tokens.muted))
        size = tr("{role} · ~{tokens} tokens", role=section.role, tokens=section.tokens)
        size = " · ".join(filter(None, [took_words(section.seconds), size]))
        wide = painter.fontMetrics().horizontalAdvance(size)
        painter.drawText(first, int(middle | right), size)
        painter.setFont(option.font)
        metrics = painter.fontMetrics()
        change = _CHANGES.get(compared.change)
        if change:
            mark, _word, tone = change
            painter.setPen(QColor(tokens.colour(tone)))
            painter.drawText(first, int(middle), mark)
            first.setLeft(first.left() + metrics.horizontalAdvance(f"{mark} "))
        painter.setPen(QColor(tokens.muted if compared.change == "gone" else tokens.text))
        cut = Qt.TextElideMode.ElideRight
        name = metrics.elidedText(title(section), cut, first.width() - wide - S)
        painter.drawText(first, int(middle), name)
        second = QRect(inner.left(), inner.top() + line + 2, inner.width(), line)
        painter.drawText(
            second, int(middle), metrics.elidedText(first_line(section), cut, second.width())
        )
        painter.restore()
