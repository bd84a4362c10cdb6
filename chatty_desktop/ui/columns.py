"""The three columns of the window: how they share the room, hide, and come back as they were."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QSplitter, QWidget

from chatty_desktop.ui.window_state import WindowState


class Columns(QSplitter):
    """Left: chats above agents above graphs. Middle: the chat. Right: memory above the run log.

    The middle takes what room is left over; a column without a panel to show is hidden.
    """

    def __init__(
        self,
        *,
        sessions: QWidget,
        agents: QWidget,
        graphs: QWidget,
        chat: QWidget,
        inspector: QWidget,
        run_log: QWidget,
    ) -> None:
        super().__init__(Qt.Orientation.Horizontal)
        self._inspector = inspector
        self._run_log = run_log
        self._left = _stack((sessions, 3), (agents, 2), (graphs, 1))
        self._left.setMinimumWidth(190)
        self._right = _stack((inspector, 3), (run_log, 1))
        self._right.setMinimumWidth(250)
        self.setHandleWidth(1)
        self.setChildrenCollapsible(False)
        for at, (widget, stretch) in enumerate(((self._left, 0), (chat, 1), (self._right, 0))):
            self.addWidget(widget)
            self.setStretchFactor(at, stretch)
        self.setSizes([240, 600, 340])
        self._splitters = {"columns": self, "left_of_three": self._left, "right": self._right}

    def show_panels(self, *, sidebar: bool, inspector: bool, run_log: bool) -> None:
        """Show and hide panels."""
        self._left.setVisible(sidebar)
        self._inspector.setVisible(inspector)
        self._run_log.setVisible(run_log)
        self._right.setVisible(inspector or run_log)

    def remember(self, state: WindowState) -> None:
        """Write down how the room is shared."""
        for name, splitter in self._splitters.items():
            state.set(name, splitter.saveState())

    def restore(self, state: WindowState) -> None:
        """Share the room as it was last."""
        for name, splitter in self._splitters.items():
            if (saved := state.bytes(name)) is not None:
                splitter.restoreState(saved)


def _stack(*parts: tuple[QWidget, int]) -> QSplitter:
    splitter = QSplitter(Qt.Orientation.Vertical)
    splitter.setHandleWidth(1)
    splitter.setChildrenCollapsible(False)
    for at, (widget, share) in enumerate(parts):
        splitter.addWidget(widget)
        splitter.setStretchFactor(at, share)
    splitter.setSizes([share * 200 for _widget, share in parts])
    return splitter
