"""The graph that is being drawn, with every step that led to it."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QUndoCommand, QUndoStack

from chatty_desktop.domain.graphs import Graph

EMPTY = Graph.model_construct(name="")


class Draft(QObject):
    """Holds a graph; each change is a step that can be undone.

    changed: the graph is another one.
    """

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.graph: Graph = EMPTY
        self.stack = QUndoStack(self)
        self._last: _Step | None = None

    def begin(self, graph: Graph) -> None:
        """Start from a graph; what was before cannot be come back to."""
        self.stack.clear()
        self._last = None
        self._show(graph)

    def change(self, graph: Graph, words: str, key: str = "") -> None:
        """Take a step, which the menu calls `words`. Steps of one `key` that follow each other,
        as the letters of a text, are one."""
        if graph == self.graph:
            return
        last = self._last
        newest = last is not None and self.stack.index() == self.stack.count() > 0
        if key and last is not None and newest and last.key == key:
            last.after = graph
            self._show(graph)
            return
        self._last = _Step(self.graph, graph, key, self._show)
        self._last.setText(words)
        self.stack.push(self._last)

    def end_step(self) -> None:
        """Let the next change be a step of its own."""
        self._last = None

    def _show(self, graph: Graph) -> None:
        self.graph = graph
        self.changed.emit()


class _Step(QUndoCommand):
    """From one graph to the next; graphs are values, so both are simply kept."""

    def __init__(
        self, before: Graph, after: Graph, key: str, show: Callable[[Graph], None]
    ) -> None:
        super().__init__()
        self.before, self.after, self.key = before, after, key
        self._to = show

    def redo(self) -> None:
        self._to(self.after)

    def undo(self) -> None:
        self._to(self.before)
