"""The run log: what happened behind the replies of a session, line by line."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from PySide6.QtCore import (
    QAbstractListModel,
    QModelIndex,
    QPersistentModelIndex,
    QPointF,
    QRect,
    QSize,
    Qt,
)
from PySide6.QtGui import (
    QColor,
    QFontMetrics,
    QGuiApplication,
    QKeySequence,
    QPainter,
    QResizeEvent,
    QTextLayout,
    QTextOption,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHBoxLayout,
    QListView,
    QStackedWidget,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from chatty_desktop.domain.events import Event, Level, LogEntry, RunLogged
from chatty_desktop.engine.events import Events
from chatty_desktop.engine.ports import Runs
from chatty_desktop.ui.language import tr, translated
from chatty_desktop.ui.pieces import Empty, edge_to_edge, icon_button
from chatty_desktop.ui.plain import Label
from chatty_desktop.ui.tasks import Tasks
from chatty_desktop.ui.theme import Theme, set_tone
from chatty_desktop.ui.tokens import XS, L, S, Tone

Index = QModelIndex | QPersistentModelIndex
MOST_LINES = 500
_MAY_COME_AGAIN = 20
"""Of what was read, the last lines may be told of only after that: they are there already."""

LEVELS: Final[dict[Level, tuple[str, Tone]]] = {
    "info": ("info", "muted"),
    "warning": ("warning", "warning"),
    "error": ("warning-circle", "danger"),
}


class RunLogPanel(QWidget):
    """The newest lines of one session's log; new ones come in as they are written."""

    def __init__(
        self,
        *,
        runs: Runs,
        events: Events,
        theme: Theme,
        tasks: Tasks,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._runs = runs
        self._tasks = tasks
        self._session_id: str | None = None
        self._arrived: list[LogEntry] = []
        self._read_last: list[LogEntry] = []
        self._loaded = False
        self.model = LogModel()
        self._delegate = LogDelegate(theme)
        self.list = LogList()
        self.list.setModel(self.model)
        self.list.setItemDelegate(self._delegate)
        self._empty = Empty(theme, "notebook")
        self._pages = QStackedWidget()
        self._pages.addWidget(self._empty)
        self._pages.addWidget(self.list)
        title = Label(tr("Run log"))
        set_tone(title, "muted")
        self._copy = icon_button(theme, "copy", tr("Copy the whole run log"))
        self._copy.clicked.connect(self._copy_all)
        top = QHBoxLayout()
        top.setContentsMargins(L, XS, S, 0)
        top.addWidget(title)
        top.addStretch(1)
        top.addWidget(self._copy)
        column = edge_to_edge(QVBoxLayout(self))
        column.addLayout(top)
        column.addWidget(self._pages, 1)
        self.setProperty("panel", "surface")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setAccessibleName(tr("Run log"))
        theme.changed.connect(self.list.viewport().update)
        unsubscribe = events.subscribe(self._heard)
        self.destroyed.connect(unsubscribe)
        self._draw(())

    def set_session(self, session_id: str | None) -> None:
        """Show the log of a session; None shows none."""
        if session_id == self._session_id:
            return
        self._session_id = session_id
        self._arrived = []
        self._read_last = []
        self._loaded = False
        self._draw(())
        if session_id is not None:
            self._tasks.start(self._read(session_id))

    async def _read(self, session_id: str) -> None:
        lines = await self._runs.read_log(session_id, MOST_LINES)
        if session_id != self._session_id:
            return
        # A line may be both in what was read and among those heard of meanwhile.
        new = [line for line in self._arrived if line not in lines]
        self._read_last = lines[-_MAY_COME_AGAIN:]
        self._loaded = True
        self._draw([*lines, *new])

    def _heard(self, event: Event) -> None:
        if not isinstance(event, RunLogged) or event.session_id != self._session_id:
            return
        if not self._loaded:
            self._arrived.append(event.entry)
            return
        if event.entry in self._read_last:  # told only after it had been read already
            return
        follow = self.list.at_end()
        self.model.add(event.entry)
        self._pages.setCurrentIndex(1)
        self._copy.setEnabled(True)
        if follow:
            self.list.scrollToBottom()

    def _draw(self, lines: Sequence[LogEntry]) -> None:
        self.model.show_lines(lines)
        if self._session_id is None:
            self._empty.say("", tr("What happens behind the replies is shown here."))
        else:
            self._empty.say("", tr("Nothing has run here yet. Each answer leaves its lines here."))
        self._pages.setCurrentIndex(1 if lines else 0)
        self._copy.setEnabled(bool(lines))
        self.list.scrollToBottom()

    def _copy_all(self) -> None:
        QGuiApplication.clipboard().setText(self.model.text(range(self.model.rowCount())))


class LogModel(QAbstractListModel):
    """Log lines, oldest first; the newest `MOST_LINES` are kept."""

    def __init__(self) -> None:
        super().__init__()
        self._lines: list[LogEntry] = []

    def show_lines(self, lines: Sequence[LogEntry]) -> None:
        self.beginResetModel()
        self._lines = [_told(line) for line in lines[-MOST_LINES:]]
        self.endResetModel()

    def add(self, line: LogEntry) -> None:
        """Add a line at the end; the oldest makes room for it when there are many."""
        if len(self._lines) >= MOST_LINES:
            self.beginRemoveRows(QModelIndex(), 0, 0)
            del self._lines[0]
            self.endRemoveRows()
        end = len(self._lines)
        self.beginInsertRows(QModelIndex(), end, end)
        self._lines.append(_told(line))
        self.endInsertRows()

    def line(self, row: int) -> LogEntry:
        return self._lines[row]

    def text(self, rows: Sequence[int] | range) -> str:
        """The lines of some rows as text to paste."""
        return "\n".join(
            f"{clock(line.at)}  {line.level:<7}  {line.text}"
            for line in (self._lines[row] for row in rows)
        )

    def rowCount(self, parent: Index = QModelIndex()) -> int:
        return 0 if parent.isValid() else len(self._lines)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        line = self._lines[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return line.text
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return f"{clock(line.at)}, {line.level}: {line.text}"
        return None


def _told(line: LogEntry) -> LogEntry:
    return replace(line, text=translated(line.text))


class LogList(QListView):
    """Lines of any height, laid out again for each width; chosen ones can be copied."""

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName(tr("Run log"))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setResizeMode(QListView.ResizeMode.Adjust)

    def at_end(self) -> bool:
        """Whether the newest line is in view."""
        bar = self.verticalScrollBar()
        return bar.value() >= bar.maximum() - 4

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.scheduleDelayedItemsLayout()

    def keyPressEvent(self, event: Any) -> None:
        model = self.model()
        if event.matches(QKeySequence.StandardKey.Copy) and isinstance(model, LogModel):
            rows = sorted(index.row() for index in self.selectedIndexes())
            QGuiApplication.clipboard().setText(model.text(rows))
        else:
            super().keyPressEvent(event)


class LogDelegate(QStyledItemDelegate):
    """Draws the time, the level's icon and the wrapped text."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        view = option.widget
        width = view.viewport().width() if isinstance(view, QListView) else 300
        metrics = QFontMetrics(self._theme.small())
        text = index.data(Qt.ItemDataRole.DisplayRole)
        laid = self._laid_out(text, max(60, width - self._indent(metrics) - S))
        return QSize(60, max(int(laid.boundingRect().height()), L) + self._theme.measures.row)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        model = index.model()
        if not isinstance(model, LogModel):
            return
        line = model.line(index.row())
        tokens = self._theme.tokens
        rect: QRect = option.rect
        painter.save()
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(rect, QColor(tokens.selection))
        if option.state & QStyle.StateFlag.State_HasFocus:
            painter.setPen(QColor(tokens.accent))
            painter.drawRect(rect.adjusted(0, 0, -1, -1))
        painter.setFont(self._theme.small())
        metrics = painter.fontMetrics()
        edge = self._theme.measures.row // 2
        inner = rect.adjusted(L, edge, -S, -edge)
        painter.setPen(QColor(tokens.muted))
        painter.drawText(inner, int(Qt.AlignmentFlag.AlignTop), clock(line.at))
        icon, tone = LEVELS[line.level]
        left = inner.left() + metrics.horizontalAdvance("00:00:00") + S
        box = QRect(left, inner.top() + (metrics.height() - 14) // 2, 14, 14)
        self._theme.icon(icon, tone).paint(painter, box)
        painter.setPen(QColor(tokens.text if line.level == "info" else tokens.colour(tone)))
        left = rect.left() + self._indent(metrics)
        laid = self._laid_out(line.text, max(60, inner.right() - left))
        laid.draw(painter, QPointF(left, inner.top()))
        painter.restore()

    def _laid_out(self, text: str, width: int) -> QTextLayout:
        """The text in lines; words are broken only where one is longer than a line."""
        laid = QTextLayout(text.replace("\n", "\u2028"), self._theme.small())
        option = QTextOption()
        option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        laid.setTextOption(option)
        laid.beginLayout()
        top = 0.0
        while (row := laid.createLine()).isValid():
            row.setLineWidth(width)
            row.setPosition(QPointF(0, top))
            top += row.height()
        laid.endLayout()
        return laid

    def _indent(self, metrics: QFontMetrics) -> int:
        return L + metrics.horizontalAdvance("00:00:00") + S + 14 + S


def clock(at: float) -> str:
    """Local time to the second, of seconds since 1970 UTC."""
    return f"{dt.datetime.fromtimestamp(at, dt.UTC).astimezone():%H:%M:%S}"
