"""The rows of the session list: headings by day, and chats."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, Qt, Signal

from chatty_desktop.domain.messages import Session
from chatty_desktop.domain.titles import UNTITLED
from chatty_desktop.ui.language import tr
from chatty_desktop.ui.sessions.groups import group

Index = QModelIndex | QPersistentModelIndex


@dataclass(frozen=True, slots=True)
class Row:
    """A heading, or a chat under one; `running`: something is being answered or remembered."""

    text: str
    session: Session | None = None
    running: bool = False


class SessionModel(QAbstractListModel):
    """Chats newest first, under headings. `renamed` carries (session id, new title)."""

    renamed = Signal(str, str)

    def __init__(self) -> None:
        super().__init__()
        self._rows: list[Row] = []

    def show_sessions(
        self, sessions: Sequence[Session], running: frozenset[str], now: float
    ) -> None:
        """Replace the rows."""
        rows: list[Row] = []
        heading = ""
        for session in sessions:
            under = group(session.updated_at, now)
            if under != heading:
                rows.append(Row(under))
                heading = under
            rows.append(Row(session.title or tr(UNTITLED), session, session.id in running))
        if rows == self._rows:
            return
        self.beginResetModel()
        self._rows = rows
        self.endResetModel()

    def row(self, index: Index) -> Row | None:
        """The row at an index, None beyond the list."""
        return self._rows[index.row()] if 0 <= index.row() < len(self._rows) else None

    def index_of(self, session_id: str | None) -> QModelIndex:
        """Where a chat stands; not valid when it is not in the list."""
        for number, row in enumerate(self._rows):
            if row.session and row.session.id == session_id:
                return self.index(number)
        return QModelIndex()

    def rowCount(self, parent: Index = QModelIndex()) -> int:
        return 0 if parent.isValid() else len(self._rows)

    def flags(self, index: Index) -> Qt.ItemFlag:
        row = self.row(index)
        if row is None or row.session is None:
            return Qt.ItemFlag.NoItemFlags
        return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsEditable

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        row = self.row(index)
        if row is None:
            return None
        if role == Qt.ItemDataRole.EditRole:
            return row.session.title if row.session else row.text
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            return row.text
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return tr("{title}, running", title=row.text) if row.running else row.text
        return None

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        row = self.row(index)
        title = " ".join(str(value).split())
        if row is None or row.session is None or not title or title == row.session.title:
            return False
        self.renamed.emit(row.session.id, title)
        return True
