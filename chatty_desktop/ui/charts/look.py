"""How the series of a chart are told apart: by colour, and by the dashes and marks of a line."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import Qt

from chatty_desktop.ui.tokens import Tokens


@dataclass(frozen=True, slots=True)
class Look:
    """colour: `#rrggbb`. dash: of the line. mark: pyqtgraph's name of a symbol."""

    colour: str
    dash: Qt.PenStyle
    mark: str


def look_of(index: int, tokens: Tokens) -> Look:
    """The look of the series at a place; eight differ in colour, more in their dashes too."""
    colours = (
        tokens.accent,
        tokens.warning,
        tokens.memory,
        tokens.success,
        tokens.danger,
        tokens.muted,
        tokens.code_number,
        tokens.text,
    )
    dashes = (Qt.PenStyle.SolidLine, Qt.PenStyle.DashLine, Qt.PenStyle.DotLine)
    marks = ("o", "s", "t", "d", "star", "p", "h", "+")
    dash = dashes[(index + index // len(colours)) % len(dashes)]
    return Look(colours[index % len(colours)], dash, marks[index % len(marks)])
