"""The list that the chats stand in: several can be marked, dragged to a folder, folded away."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QAbstractItemView, QListView

from chatty_desktop.ui.language import tr
from chatty_desktop.ui.sessions.delegate import SessionDelegate
from chatty_desktop.ui.sessions.model import SessionModel
from chatty_desktop.ui.theme import Theme


class SessionView(QListView):
    """Rows of a `SessionModel`. folding_wanted: (index of a heading, folded)."""

    folding_wanted = Signal(QModelIndex, bool)

    def __init__(self, model: SessionModel, theme: Theme) -> None:
        super().__init__()
        self._chats = model
        self._delegate = SessionDelegate(theme)
        self.setProperty("panel", "window")
        self.setAccessibleName(tr("Chats"))
        self.setModel(model)
        self.setItemDelegate(self._delegate)
        self.setMouseTracking(True)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.setDragDropMode(QAbstractItemView.DragDropMode.DragDrop)
        self.setDefaultDropAction(Qt.DropAction.MoveAction)
        self.setDropIndicatorShown(True)

    def to_first(self) -> None:
        """Take the keyboard to the first row that can be chosen."""
        self.setFocus(Qt.FocusReason.OtherFocusReason)
        for number, row in enumerate(self._chats.rows):
            if row.session or row.hit:
                self.setCurrentIndex(self._chats.index(number))
                return

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Left, Right, Space and Enter fold the heading the keyboard is on."""
        index = self.currentIndex()
        row = self._chats.row(index)
        if row is not None and row.folded is not None:
            wanted = {
                Qt.Key.Key_Left: True,
                Qt.Key.Key_Right: False,
                Qt.Key.Key_Space: not row.folded,
                Qt.Key.Key_Return: not row.folded,
                Qt.Key.Key_Enter: not row.folded,
            }.get(Qt.Key(event.key()))
            if wanted is not None:
                self.folding_wanted.emit(index, wanted)
                return
        super().keyPressEvent(event)
