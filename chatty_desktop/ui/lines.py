"""Thin lines: between two parts of a window, and beside what is of memory."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame


def hairline(way: Qt.Orientation = Qt.Orientation.Horizontal) -> QFrame:
    """A line of one pixel between what stands on its two sides."""
    return _line("true", way, 1)


def memory_line(way: Qt.Orientation = Qt.Orientation.Vertical) -> QFrame:
    """A line in memory's colour: upright and broad beside what is remembered, lying and thin where
    memory begins."""
    return _line("memory", way, 3 if way == Qt.Orientation.Vertical else 1)


def _line(kind: str, way: Qt.Orientation, pixels: int) -> QFrame:
    line = QFrame()
    line.setProperty("line", kind)
    if way == Qt.Orientation.Vertical:
        line.setFixedWidth(pixels)
    else:
        line.setFixedHeight(pixels)
    return line
