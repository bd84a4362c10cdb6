"""The table in which the fields of a State strategy are edited."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, Qt, Signal
from PySide6.QtGui import QColor, QKeySequence, QPainter, QPen, QShortcut
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHBoxLayout,
    QHeaderView,
    QPushButton,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from chatty_desktop.ui.agents.fields_model import COLUMNS, HEADERS, NAME, FieldsModel, ProblemRole
from chatty_desktop.ui.agents.strategy_form import Problems
from chatty_desktop.ui.language import tr
from chatty_desktop.ui.pieces import icon_button
from chatty_desktop.ui.theme import Theme
from chatty_desktop.ui.tokens import S

ROW_HEIGHT = 32
LEAST_ROWS, MOST_ROWS = 3, 9


class FieldsTable(QWidget):
    """The table with its buttons: add, up, down, delete.

    changed: a field was added, edited, moved or deleted.
    """

    changed = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.model = FieldsModel()
        self.view = QTableView()
        self._delegate = _CellDelegate(theme)
        self._arrange(theme)
        self.setFocusProxy(self.view)

        add = QPushButton(tr("Add field"))
        add.setAutoDefault(False)
        theme.dress(add, "plus", "text")
        add.clicked.connect(self.add)
        self._up = icon_button(theme, "arrow-up", tr("Move field up (Alt+Up)"))
        self._down = icon_button(theme, "arrow-down", tr("Move field down (Alt+Down)"))
        self._delete = icon_button(theme, "trash", tr("Delete field (Delete)"))
        self._up.clicked.connect(lambda: self.move_current(-1))
        self._down.clicked.connect(lambda: self.move_current(1))
        self._delete.clicked.connect(self.delete_chosen)
        for keys, act in (
            ("Alt+Up", lambda: self.move_current(-1)),
            ("Alt+Down", lambda: self.move_current(1)),
            (QKeySequence(QKeySequence.StandardKey.Delete), self.delete_chosen),
        ):
            shortcut = QShortcut(QKeySequence(keys), self.view)
            shortcut.setContext(Qt.ShortcutContext.WidgetShortcut)
            shortcut.activated.connect(act)

        row = QHBoxLayout()
        row.setSpacing(S)
        row.addWidget(add)
        row.addStretch(1)
        for button in (self._up, self._down, self._delete):
            row.addWidget(button)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(S)
        column.addWidget(self.view)
        column.addLayout(row)

        model = self.model
        model.dataChanged.connect(self._cells_changed)
        for signal in (model.rowsInserted, model.rowsRemoved, model.rowsMoved):
            signal.connect(self._edited)
        model.modelReset.connect(self._fit)
        self.view.selectionModel().currentChanged.connect(lambda *_: self._enable())
        self._fit()

    def add(self) -> None:
        """Add a field and begin to type its name."""
        index = self.model.index(self.model.add(), NAME)
        self.view.setCurrentIndex(index)
        self.view.scrollTo(index)
        self.view.edit(index)

    def move_current(self, by: int) -> None:
        """Move the current field up (-1) or down (1); it stays current."""
        index = self.view.currentIndex()
        if index.isValid() and self.model.move(index.row(), index.row() + by):
            self.view.scrollTo(self.view.currentIndex())

    def delete_chosen(self) -> None:
        """Delete the rows in which something is chosen."""
        rows = {index.row() for index in self.view.selectionModel().selectedIndexes()}
        if not rows:
            return
        self.model.delete(rows)
        left = self.model.rowCount()
        if left:
            self.view.setCurrentIndex(self.model.index(min(*rows, left - 1), NAME))

    def show_problems(self, problems: Problems) -> str:
        """Mark the cells named by `row.column` paths. Returns, in words, all that is wrong."""
        cells: dict[tuple[int, int], str] = {}
        said: list[str] = []
        for path, reason in problems:
            row, _, column = path.partition(".")
            if row.isdigit() and column in COLUMNS:
                number = COLUMNS.index(column)
                cells[int(row), number] = reason
                said.append(
                    tr(
                        "Row {row}, {column}: {reason}",
                        row=int(row) + 1,
                        column=tr(HEADERS[number]).lower(),
                        reason=reason,
                    )
                )
            else:
                said.append(reason)
        self.model.show_problems(cells)
        return "\n".join(said)

    def _arrange(self, theme: Theme) -> None:
        view = self.view
        view.setModel(self.model)
        view.setItemDelegate(self._delegate)
        view.setAccessibleName(tr("Fields"))
        view.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        view.setEditTriggers(
            QAbstractItemView.EditTrigger.DoubleClicked
            | QAbstractItemView.EditTrigger.EditKeyPressed
            | QAbstractItemView.EditTrigger.AnyKeyPressed
            | QAbstractItemView.EditTrigger.SelectedClicked
        )
        # Tab leaves the table, as it does every other field; the arrow keys walk the cells.
        view.setTabKeyNavigation(False)
        view.setDragDropMode(QAbstractItemView.DragDropMode.InternalMove)
        view.setDragDropOverwriteMode(False)
        view.setDropIndicatorShown(True)
        view.setShowGrid(False)
        view.setProperty("panel", "framed")
        view.setFrameShape(QFrame.Shape.StyledPanel)
        view.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        view.verticalHeader().hide()
        view.verticalHeader().setDefaultSectionSize(ROW_HEIGHT)
        header = view.horizontalHeader()
        header.setHighlightSections(False)
        header.setSectionResizeMode(NAME, QHeaderView.ResizeMode.Interactive)
        header.setStretchLastSection(True)
        header.resizeSection(NAME, 160)
        theme.changed.connect(view.viewport().update)

    def _cells_changed(self, _first: QModelIndex, _last: QModelIndex, roles: list[int]) -> None:
        if roles != [ProblemRole]:
            self._edited()

    def _edited(self) -> None:
        self._fit()
        self.changed.emit()

    def _fit(self) -> None:
        """As high as its rows, within limits; beyond them the table scrolls."""
        rows = min(max(self.model.rowCount(), LEAST_ROWS), MOST_ROWS)
        header = self.view.horizontalHeader().sizeHint().height()
        self.view.setFixedHeight(header + rows * ROW_HEIGHT + 2 * self.view.frameWidth() + 2)
        self._enable()

    def _enable(self) -> None:
        row = self.view.currentIndex().row()
        last = self.model.rowCount() - 1
        self._up.setEnabled(row > 0)
        self._down.setEnabled(0 <= row < last)
        self._delete.setEnabled(row >= 0)


class _CellDelegate(QStyledItemDelegate):
    """Draws a frame and a sign of danger around a cell that has a problem."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        super().paint(painter, option, index)
        if not index.data(ProblemRole):
            return
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(self._theme.tokens.danger), 1))
        rect = option.rect.adjusted(2, 2, -3, -3)
        painter.drawRoundedRect(rect, 4, 4)
        icon = self._theme.icon("warning-circle", "danger")
        icon.paint(painter, QRect(rect.right() - 22, rect.center().y() - 7, 16, 16))
        painter.restore()
