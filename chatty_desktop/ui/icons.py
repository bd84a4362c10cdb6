"""Icons of the Phosphor set, drawn from its font at any size and in any colour."""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path

from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontDatabase, QIcon, QIconEngine, QPainter, QPixmap

_FONT = "phosphor-1.3.0.ttf"
_NAMES = "phosphor-charmap-1.3.0.json"
_SHARE = 0.875
"""Of the icon's height that a glyph takes."""


class Phosphor:
    """The icon font. It comes with QtAwesome, which is not imported for it: that would load Qt's
    OpenGL modules and cost a fifth of the time in which the window opens."""

    def __init__(self) -> None:
        folder = _fonts()
        self._glyphs: dict[str, str] = json.loads((folder / _NAMES).read_text("utf-8"))
        number = QFontDatabase.addApplicationFont(str(folder / _FONT))
        self._family = QFontDatabase.applicationFontFamilies(number)[0]

    def icon(self, name: str, colour: QColor) -> QIcon:
        """An icon by its name in the set, such as `trash`. Raises `KeyError` without one."""
        glyph = chr(int(self._glyphs[name], 16))
        return QIcon(_Glyph(self._family, glyph, colour))


class _Glyph(QIconEngine):
    """Draws one glyph; paler while its widget is disabled."""

    def __init__(self, family: str, glyph: str, colour: QColor) -> None:
        super().__init__()
        self._family = family
        self._glyph = glyph
        self._colour = colour

    def paint(self, painter: QPainter, rect: QRect, mode: QIcon.Mode, state: QIcon.State) -> None:
        if rect.isEmpty():
            return
        font = QFont(self._family)
        font.setPixelSize(max(1, round(rect.height() * _SHARE)))
        colour = QColor(self._colour)
        if mode == QIcon.Mode.Disabled:
            colour.setAlphaF(0.4)
        painter.save()
        painter.setFont(font)
        painter.setPen(colour)
        painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, self._glyph)
        painter.restore()

    def pixmap(self, size: QSize, mode: QIcon.Mode, state: QIcon.State) -> QPixmap:
        pixmap = QPixmap(size)
        if not size.isEmpty():
            pixmap.fill(Qt.GlobalColor.transparent)
            painter = QPainter(pixmap)
            self.paint(painter, QRect(QPoint(0, 0), size), mode, state)
            painter.end()
        return pixmap


def _fonts() -> Path:
    """The folder of QtAwesome's fonts."""
    package = find_spec("qtawesome")
    if package is None or not package.submodule_search_locations:
        raise ImportError("The package qtawesome is not installed; it brings the icons.")
    return Path(package.submodule_search_locations[0]) / "fonts"
