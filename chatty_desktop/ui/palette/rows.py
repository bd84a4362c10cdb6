"""Entries as rows of a list: what stands in them, and how they are drawn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QIcon, QPainter
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem

from chatty_desktop.domain.hidden import revealed
from chatty_desktop.ui.language import tr
from chatty_desktop.ui.painting import row_background
from chatty_desktop.ui.palette.entries import Entry
from chatty_desktop.ui.theme import Theme
from chatty_desktop.ui.tokens import L, M, S

Index = QModelIndex | QPersistentModelIndex
EntryRole: Final = int(Qt.ItemDataRole.UserRole)
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter


class EntryModel(QAbstractListModel):
    """Entries in the order they are given."""

    def __init__(self) -> None:
        super().__init__()
        self._entries: Sequence[Entry] = ()

    def show_entries(self, entries: Sequence[Entry]) -> None:
        self.beginResetModel()
        self._entries = [replace(each, words=revealed(each.words)) for each in entries]
        self.endResetModel()

    def entry(self, row: int) -> Entry | None:
        return self._entries[row] if 0 <= row < len(self._entries) else None

    def rowCount(self, parent: Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self._entries)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        entry = self.entry(index.row())
        if entry is None:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return entry.words
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return spoken(entry)
        return entry if role == EntryRole else None


def spoken(entry: Entry) -> str:
    """All that a row shows, for those who hear it."""
    parts = [entry.words, entry.place, entry.keys]
    parts += [] if entry.possible else [tr("not possible now")]
    return ", ".join(part for part in parts if part)


class EntryDelegate(QStyledItemDelegate):
    """An icon, what it is called, where it belongs in paler letters, its keys at the end."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        line = max(QFontMetrics(self._theme.words()).height(), self._theme.icon_size)
        return QSize(0, line + 2 * self._theme.measures.row - 2)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        entry = index.data(EntryRole)
        tokens = self._theme.tokens
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        row_background(painter, option.rect.adjusted(S, 1, -S, -1), option, tokens)
        line = option.rect.adjusted(L, 0, -L, 0)
        size = self._theme.icon_size
        icon = QRect(line.left(), line.center().y() - size // 2 + 1, size, size)
        mode = QIcon.Mode.Normal if entry.possible else QIcon.Mode.Disabled
        entry.icon.paint(painter, icon, Qt.AlignmentFlag.AlignCenter, mode)
        line.setLeft(icon.right() + M)
        if entry.keys:
            right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
            painter.setPen(QColor(tokens.muted))
            painter.setFont(self._theme.small())
            painter.drawText(line, right, entry.keys)
            line.setRight(line.right() - painter.fontMetrics().horizontalAdvance(entry.keys) - L)
        self._words(painter, line, entry)
        painter.restore()

    def _words(self, painter: QPainter, line: QRect, entry: Entry) -> None:
        tokens = self._theme.tokens
        font, small = self._theme.words(), self._theme.small()
        place = entry.place if entry.possible else f"{entry.place} · {tr('not possible now')}"
        wide = QFontMetrics(small).horizontalAdvance(place)
        room = max(line.width() - wide - M, line.width() // 2)
        metrics = QFontMetrics(font)
        words = metrics.elidedText(entry.words, Qt.TextElideMode.ElideRight, room)
        painter.setFont(font)
        painter.setPen(QColor(tokens.text if entry.possible else tokens.muted))
        painter.drawText(line, _LEFT, words)
        line.setLeft(line.left() + metrics.horizontalAdvance(words) + M)
        painter.setFont(small)
        painter.setPen(QColor(tokens.muted))
        shown = QFontMetrics(small).elidedText(place, Qt.TextElideMode.ElideRight, line.width())
        painter.drawText(line, _LEFT, shown)
