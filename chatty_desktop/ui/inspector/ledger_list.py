"""The rows of the ledger: a model over them and how one row is drawn."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from PySide6.QtCore import (
    QAbstractListModel,
    QModelIndex,
    QPersistentModelIndex,
    QRect,
    QSize,
    Qt,
)
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem

from chatty_desktop.domain.memory import LedgerEntry
from chatty_desktop.ui.language import N_, tr, translated, trn
from chatty_desktop.ui.painting import row_background
from chatty_desktop.ui.readable import shortened, when
from chatty_desktop.ui.theme import Theme
from chatty_desktop.ui.tokens import L, S, Tone

Index = QModelIndex | QPersistentModelIndex
EntryRole: Final = int(Qt.ItemDataRole.UserRole)


class Mark(NamedTuple):
    """How an outcome shows: never by colour alone."""

    word: str
    icon: str
    tone: Tone


KINDS: Final = {
    "fold": N_("Fold"),
    "summary": N_("Summary"),
    "extraction": N_("Extraction"),
    "by_hand": N_("By hand"),
}

OUTCOMES: Final = {
    "accepted": Mark(N_("Accepted"), "check-circle", "success"),
    "refused": Mark(N_("Refused"), "x-circle", "danger"),
    "unreachable": Mark(N_("Model not reached"), "cloud-slash", "warning"),
    "nothing": Mark(N_("Nothing to change"), "minus-circle", "muted"),
}


class LedgerModel(QAbstractListModel):
    """Ledger rows, newest first."""

    def __init__(self) -> None:
        super().__init__()
        self._entries: tuple[LedgerEntry, ...] = ()

    def show_entries(self, entries: Sequence[LedgerEntry]) -> None:
        """Take the present rows; rows new at the top are inserted, so that a choice stays."""
        entries = tuple(entries)
        new = len(entries) - len(self._entries)
        if entries == self._entries:
            return
        if self._entries and new > 0 and entries[new:] == self._entries:
            self.beginInsertRows(QModelIndex(), 0, new - 1)
            self._entries = entries
            self.endInsertRows()
            return
        self.beginResetModel()
        self._entries = entries
        self.endResetModel()

    def entry(self, index: Index) -> LedgerEntry | None:
        return self._entries[index.row()] if index.isValid() else None

    def row_of(self, entry_id: str) -> int:
        """The row of an entry, -1 when it is not here."""
        return next((i for i, e in enumerate(self._entries) if e.id == entry_id), -1)

    def rowCount(self, parent: Index = QModelIndex()) -> int:
        return 0 if parent.isValid() else len(self._entries)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        entry = self.entry(index)
        if entry is None:
            return None
        if role == EntryRole:
            return entry
        if role == Qt.ItemDataRole.DisplayRole:
            return f"{word(entry)}: {summary(entry)}"
        if role == Qt.ItemDataRole.AccessibleTextRole:
            moment = when(entry.finished_at, time.time())
            return f"{word(entry)}, {moment}: {summary(entry)}"
        return None


def word(entry: LedgerEntry) -> str:
    """The outcome, and of what when it is no fold: a composite memory has rows of each kind."""
    if entry.kind == "by_hand":
        return tr(KINDS[entry.kind])
    outcome = tr(OUTCOMES[entry.outcome].word)
    return outcome if entry.kind == "fold" else f"{outcome} · {tr(KINDS[entry.kind]).lower()}"


def summary(entry: LedgerEntry) -> str:
    """One line on what a row is about: the keys or subjects that changed, how the summary begins,
    else the reason."""
    text = translated(entry.reason)
    if entry.outcome == "accepted" and entry.kind == "summary" and entry.patch:
        text = str(entry.patch.get("summary", ""))
    elif entry.outcome == "accepted" and entry.patch and not entry.reason:
        text = ", ".join(entry.patch)
    elif entry.outcome == "nothing":
        count = len(entry.message_ids)
        text = translated(entry.reason) or trn(
            "{count} message read", "{count} messages read", count
        )
    return shortened(" ".join(text[:600].split()), 200, 1)


class LedgerDelegate(QStyledItemDelegate):
    """Draws a row: outcome and moment above, what it is about below."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        line = option.fontMetrics.height()
        return QSize(120, 2 * line + 2 * self._theme.measures.row + 2)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        entry = index.data(EntryRole)
        tokens = self._theme.tokens
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        rect: QRect = option.rect.adjusted(4, 1, -4, -1)
        row_background(painter, rect, option, tokens)
        mark = OUTCOMES[entry.outcome]
        line = option.fontMetrics.height()
        inner = rect.adjusted(S, self._theme.measures.row - 1, -S, 0)
        icon = QRect(inner.left(), inner.top() + (line - L) // 2, L, L)
        self._theme.icon(mark.icon, mark.tone).paint(painter, icon)

        moment = when(entry.finished_at, time.time())
        painter.setFont(self._theme.small())
        wide = painter.fontMetrics().horizontalAdvance(moment)
        painter.setPen(QColor(tokens.muted))
        first = QRect(inner.left() + L + S, inner.top(), inner.width() - L - S, line)
        middle = Qt.AlignmentFlag.AlignVCenter
        painter.drawText(first, int(middle | Qt.AlignmentFlag.AlignRight), moment)
        font = option.font
        painter.setFont(font)
        painter.setPen(QColor(tokens.colour(mark.tone)))
        where = first.adjusted(0, 0, -wide - S, 0)
        cut = Qt.TextElideMode.ElideRight
        metrics = painter.fontMetrics()
        shown = metrics.elidedText(word(entry), cut, where.width())
        painter.drawText(where, int(middle), shown)
        second = first.translated(0, line + 2)
        painter.setPen(QColor(tokens.text))
        about = metrics.elidedText(summary(entry), cut, second.width())
        painter.drawText(second, int(middle), about)
        painter.restore()
