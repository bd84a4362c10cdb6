"""Clicks on words that can also be chosen with the mouse."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QPoint, Qt, Signal
from PySide6.QtGui import QMouseEvent, QTextLayout, QTextOption
from PySide6.QtWidgets import QLabel

from chatty_desktop.domain.history import sentences


class Clicks(QObject):
    """clicked: where in the label, when nothing is chosen in it."""

    clicked = Signal(QPoint)

    def __init__(self, label: QLabel) -> None:
        super().__init__(label)
        label.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if (
            event.type() == QEvent.Type.MouseButtonRelease
            and isinstance(event, QMouseEvent)
            and event.button() == Qt.MouseButton.LeftButton
            and isinstance(watched, QLabel)
            and not watched.hasSelectedText()
        ):
            self.clicked.emit(event.position().toPoint())
        return super().eventFilter(watched, event)


def sentence_at(label: QLabel, at: QPoint) -> str:
    """The sentence of a label of plain text that wraps under a point of it; the last one where the
    point is below all."""
    text = label.text()
    place = _place_at(label, text, at)
    end = 0
    found = ""
    for found in sentences(text):
        end = text.index(found, end) + len(found)
        if place < end:
            break
    return found


def _place_at(label: QLabel, text: str, at: QPoint) -> int:
    """The place of the letter under a point: the label lays lines out as a text layout does."""
    inner = label.contentsRect()
    top = float(inner.top())
    begin = 0
    for paragraph in text.split("\n"):
        layout = QTextLayout(paragraph, label.font())
        option = QTextOption()
        option.setWrapMode(QTextOption.WrapMode.WordWrap)
        layout.setTextOption(option)
        layout.beginLayout()
        while (line := layout.createLine()).isValid():
            line.setLineWidth(inner.width())
            top += line.height()
            if at.y() < top:
                place = line.xToCursor(at.x() - inner.left())
                layout.endLayout()
                return begin + int(place)
        layout.endLayout()
        begin += len(paragraph) + 1
    return len(text)
