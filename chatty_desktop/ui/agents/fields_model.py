"""The fields of a State strategy as a table: rows that are added, renamed, moved and deleted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from PySide6.QtCore import (
    QAbstractTableModel,
    QByteArray,
    QMimeData,
    QModelIndex,
    QPersistentModelIndex,
    Qt,
)

from chatty_desktop.ui.language import N_, tr
from chatty_desktop.ui.plain import tip

Index = QModelIndex | QPersistentModelIndex
NAME, DESCRIPTION = 0, 1
COLUMNS: Final = ("name", "description")
HEADERS: Final = (N_("Name"), N_("What belongs in it"))
ProblemRole: Final = int(Qt.ItemDataRole.UserRole)
_MOVED = "application/x-chatty-field-row"


@dataclass(slots=True)
class _Row:
    """`stored` is the name the field was saved under, "" for one that was not saved yet."""

    name: str = ""
    description: str = ""
    stored: str = ""


class FieldsModel(QAbstractTableModel):
    """Fields in the order in which the model is told of them.

    Problems are kept by cell, and forgotten when the cell is edited or the rows move.
    """

    def __init__(self) -> None:
        super().__init__()
        self._rows: list[_Row] = []
        self._stored: set[str] = set()
        self._problems: dict[tuple[int, int], str] = {}

    # --- what the form asks and tells ------------------------------------------------------------

    def set_fields(self, fields: Iterable[Mapping[str, Any]]) -> None:
        """Take fields as they are stored."""
        self.beginResetModel()
        self._rows = [_Row(f["name"], f.get("description", ""), f["name"]) for f in fields]
        self._stored = {row.stored for row in self._rows}
        self._problems = {}
        self.endResetModel()

    def fields(self) -> list[dict[str, str]]:
        """The fields as they stand."""
        return [{"name": row.name, "description": row.description} for row in self._rows]

    def gone(self) -> list[str]:
        """Stored names that no field has any more: what chats kept under them stays so."""
        return sorted(self._stored - {row.name for row in self._rows})

    def show_problems(self, problems: Mapping[tuple[int, int], str]) -> None:
        """Mark cells, (row, column) each, with what is wrong with them."""
        self._problems = dict(problems)
        if self._rows:
            last = self.index(len(self._rows) - 1, DESCRIPTION)
            self.dataChanged.emit(self.index(0, NAME), last, [ProblemRole])

    # --- rows --------------------------------------------------------------------------------

    def add(self) -> int:
        """Add an empty field at the end. Returns its row."""
        row = len(self._rows)
        self.beginInsertRows(QModelIndex(), row, row)
        self._rows.append(_Row())
        self.endInsertRows()
        return row

    def delete(self, rows: Iterable[int]) -> None:
        """Delete fields."""
        self._problems = {}
        for row in sorted(set(rows), reverse=True):
            self.beginRemoveRows(QModelIndex(), row, row)
            del self._rows[row]
            self.endRemoveRows()

    def move(self, row: int, to: int) -> bool:
        """Move a field so that it stands at row `to`. False when that is where it is, or no
        row."""
        if row == to or not (0 <= row < len(self._rows) and 0 <= to < len(self._rows)):
            return False
        self._problems = {}
        # Qt counts the place before which the row goes, with the row itself still there.
        self.beginMoveRows(QModelIndex(), row, row, QModelIndex(), to + 1 if to > row else to)
        self._rows.insert(to, self._rows.pop(row))
        self.endMoveRows()
        return True

    # --- Qt's side ---------------------------------------------------------------------------

    def rowCount(self, parent: Index = QModelIndex()) -> int:
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index = QModelIndex()) -> int:
        return 0 if parent.isValid() else len(COLUMNS)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        row, column = index.row(), index.column()
        problem = self._problems.get((row, column), "")
        match role:
            case Qt.ItemDataRole.DisplayRole | Qt.ItemDataRole.EditRole:
                return self._rows[row].name if column == NAME else self._rows[row].description
            case Qt.ItemDataRole.ToolTipRole:
                return tip(problem or self.data(index))
            case Qt.ItemDataRole.AccessibleDescriptionRole:
                return problem
        return problem if role == ProblemRole else None

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        if role != Qt.ItemDataRole.EditRole or not index.isValid():
            return False
        row = self._rows[index.row()]
        text = " ".join(str(value).split())
        if index.column() == NAME:
            row.name = text
        else:
            row.description = text
        self._problems.pop((index.row(), index.column()), None)
        self.dataChanged.emit(index, index, [role, ProblemRole])
        return True

    def headerData(
        self,
        section: int,
        orientation: Qt.Orientation,
        role: int = Qt.ItemDataRole.DisplayRole,
    ) -> Any:
        if orientation is Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return tr(HEADERS[section])
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        return None

    def flags(self, index: Index) -> Qt.ItemFlag:
        if not index.isValid():
            # Between the rows, not onto one: a field never replaces another.
            return Qt.ItemFlag.ItemIsDropEnabled
        return (
            Qt.ItemFlag.ItemIsEnabled
            | Qt.ItemFlag.ItemIsSelectable
            | Qt.ItemFlag.ItemIsEditable
            | Qt.ItemFlag.ItemIsDragEnabled
        )

    def supportedDropActions(self) -> Qt.DropAction:
        return Qt.DropAction.MoveAction

    def mimeTypes(self) -> list[str]:
        return [_MOVED]

    def mimeData(self, indexes: Sequence[QModelIndex]) -> QMimeData:
        carried = QMimeData()
        carried.setData(_MOVED, QByteArray(str(indexes[0].row()).encode()))
        return carried

    def dropMimeData(
        self, data: QMimeData, action: Qt.DropAction, row: int, column: int, parent: Index
    ) -> bool:
        if not data.hasFormat(_MOVED) or action != Qt.DropAction.MoveAction:
            return False
        moved = int(data.data(_MOVED).toStdString())
        before = row if row >= 0 else len(self._rows)
        self.move(moved, before - 1 if before > moved else before)
        # True would have the view delete the row at its old place, where another one is now.
        return False
