"""The session list as Qt sees it: what can be chosen, renamed, dragged, and what is read aloud."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import (
    QAbstractListModel,
    QMimeData,
    QModelIndex,
    QPersistentModelIndex,
    Qt,
    Signal,
)

from chatty_desktop.domain.hidden import revealed
from chatty_desktop.ui.language import tr, trn
from chatty_desktop.ui.plain import tip
from chatty_desktop.ui.sessions.rows import Row
from chatty_desktop.ui.sessions.when import when

Index = QModelIndex | QPersistentModelIndex

CHATS = "application/x-chatty-desktop-chats"
"""What is dragged: ids of chats, a line each."""


class SessionModel(QAbstractListModel):
    """Rows in order. `renamed` carries (session id, new title); `dropped` the ids of chats and
    the section they were dropped in."""

    renamed = Signal(str, str)
    dropped = Signal(list, str)

    def __init__(self) -> None:
        super().__init__()
        self._rows: list[Row] = []

    def show_rows(self, rows: Sequence[Row]) -> bool:
        """Replace the rows; False when they are what they were."""
        if rows == self._rows:
            return False
        self.beginResetModel()
        self._rows = list(rows)
        self.endResetModel()
        return True

    def add_rows(self, rows: Sequence[Row]) -> None:
        """Add rows at the end."""
        if rows:
            end = len(self._rows)
            self.beginInsertRows(QModelIndex(), end, end + len(rows) - 1)
            self._rows.extend(rows)
            self.endInsertRows()

    @property
    def rows(self) -> Sequence[Row]:
        return self._rows

    def row(self, index: Index) -> Row | None:
        """The row at an index, None beyond the list."""
        return self._rows[index.row()] if 0 <= index.row() < len(self._rows) else None

    def index_of(self, session_id: str | None) -> QModelIndex:
        """Where a chat stands; not valid when it is not in the list."""
        return self.index_at(("chat", session_id or ""))

    def index_at(self, key: tuple[str, str] | None) -> QModelIndex:
        """Where the row of a key stands; not valid when there is none."""
        for number, row in enumerate(self._rows):
            if row.key == key:
                return self.index(number)
        return QModelIndex()

    def rowCount(self, parent: Index = QModelIndex()) -> int:
        return 0 if parent.isValid() else len(self._rows)

    def flags(self, index: Index) -> Qt.ItemFlag:
        row = self.row(index)
        if row is None:
            return Qt.ItemFlag.NoItemFlags
        flags = Qt.ItemFlag.ItemIsDropEnabled if row.section else Qt.ItemFlag.NoItemFlags
        if row.session or row.hit or row.folded is not None:
            flags |= Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
        if row.session:
            flags |= Qt.ItemFlag.ItemIsEditable | Qt.ItemFlag.ItemIsDragEnabled
        return flags

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        row = self.row(index)
        if row is None:
            return None
        if role == Qt.ItemDataRole.EditRole:
            return row.session.title if row.session else row.text
        if role == Qt.ItemDataRole.DisplayRole:
            return revealed(row.text)
        if role == Qt.ItemDataRole.ToolTipRole:
            return tip(row.text)
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return _read_aloud(row)
        return None

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        row = self.row(index)
        title = " ".join(str(value).split())
        if row is None or row.session is None or not title or title == row.session.title:
            return False
        self.renamed.emit(row.session.id, title)
        return True

    # --- dragging ----------------------------------------------------------------------------

    def supportedDropActions(self) -> Qt.DropAction:
        return Qt.DropAction.MoveAction

    def mimeTypes(self) -> list[str]:
        return [CHATS]

    def mimeData(self, indexes: Sequence[QModelIndex]) -> QMimeData:
        rows = [self.row(index) for index in indexes]
        ids = [row.session.id for row in rows if row and row.session]
        data = QMimeData()
        data.setData(CHATS, "\n".join(ids).encode())
        return data

    def canDropMimeData(
        self, data: QMimeData, action: Qt.DropAction, row: int, column: int, parent: Index
    ) -> bool:
        return data.hasFormat(CHATS) and bool(self._section(row, parent))

    def dropMimeData(
        self, data: QMimeData, action: Qt.DropAction, row: int, column: int, parent: Index
    ) -> bool:
        section = self._section(row, parent)
        if not section or not data.hasFormat(CHATS):
            return False
        ids = bytes(data.data(CHATS).data()).decode().split()
        self.dropped.emit(ids, section)
        return True

    def _section(self, row: int, parent: Index) -> str:
        """Where a drop goes: on a row, or, between two, to where the upper one is."""
        on = self.row(parent) if parent.isValid() else None
        if on is None and 0 < row <= len(self._rows):
            on = self._rows[row - 1]
        return on.section if on else ""


def _read_aloud(row: Row) -> str:
    if row.hit is not None:
        hit = row.hit
        return tr(
            "{speaker} in {title}, {when}: {words}",
            speaker=speaker(row),
            title=row.text,
            when=when(hit.at),
            words=hit.excerpt.text,
        )
    if row.folded is not None:
        count = trn("{count} chat", "{count} chats", row.count)
        state = tr("folded") if row.folded else tr("unfolded")
        return tr("{group}, {chats}, {state}", group=row.text, chats=count, state=state)
    if row.asking:
        return tr("{title}, a tool waits for your answer", title=row.text)
    return tr("{title}, running", title=row.text) if row.running else row.text


def speaker(row: Row) -> str:
    """Who says what a hit holds."""
    if row.hit is None:
        return ""
    return tr("You") if row.hit.role == "user" else row.hit.agent or tr("Assistant")
