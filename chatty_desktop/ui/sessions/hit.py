"""How a hit in a message is drawn: its chat and day, and two lines with what was found marked."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRect, Qt
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetrics,
    QPainter,
    QTextCharFormat,
    QTextLayout,
    QTextOption,
)

from chatty_desktop.ui.language import tr
from chatty_desktop.ui.sessions.model import speaker
from chatty_desktop.ui.sessions.rows import Row
from chatty_desktop.ui.sessions.when import when
from chatty_desktop.ui.theme import Theme
from chatty_desktop.ui.tokens import XS, S

_LINES = 2


def hit_height(metrics: QFontMetrics, theme: Theme) -> int:
    """Of a row, in pixels."""
    return metrics.height() + _LINES * QFontMetrics(theme.small()).height() + XS + 2 * 6


def paint_hit(painter: QPainter, rect: QRect, row: Row, font: QFont, theme: Theme) -> None:
    hit = row.hit
    if hit is None:
        return
    tokens = theme.tokens
    small = QFontMetrics(theme.small())
    top = QRect(rect.left(), rect.top() + 6, rect.width(), QFontMetrics(font).height())
    day = when(hit.at)
    if hit.archived:
        day = tr("Archived · {when}", when=day)
    painter.setFont(theme.small())
    painter.setPen(QColor(tokens.muted))
    painter.drawText(top, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, day)
    painter.setFont(font)
    painter.setPen(QColor(tokens.text))
    title = top.adjusted(0, 0, -small.horizontalAdvance(day) - S, 0)
    shown = QFontMetrics(font).elidedText(row.text, Qt.TextElideMode.ElideRight, title.width())
    painter.drawText(title, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, shown)

    before = tr("{speaker}: ", speaker=speaker(row))
    text = before + hit.excerpt.text
    marks = [(len(before) + start, len(before) + end) for start, end in hit.excerpt.marks]
    layout, shown_to = _laid_out(text, marks, rect.width(), theme)
    if shown_to < len(text):
        text = f"{text[: shown_to - 2].rstrip()} …"
        layout, _all = _laid_out(text, marks, rect.width(), theme)
    painter.setPen(QColor(tokens.muted))
    layout.draw(painter, QPointF(rect.left(), top.bottom() + XS))


def _laid_out(
    text: str, marks: list[tuple[int, int]], width: int, theme: Theme
) -> tuple[QTextLayout, int]:
    """The text in the lines there are, and how many of its characters that shows."""
    layout = QTextLayout(text, theme.small())
    option = QTextOption()
    option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
    layout.setTextOption(option)
    inside = [(start, min(end, len(text))) for start, end in marks if start < len(text)]
    layout.setFormats([_mark(start, end, text, theme) for start, end in inside])
    height = QFontMetrics(theme.small()).height()
    end = 0
    layout.beginLayout()
    for number in range(_LINES):
        line = layout.createLine()
        if not line.isValid():
            break
        line.setLineWidth(width)
        line.setPosition(QPointF(0, number * height))
        end = line.textStart() + line.textLength()
    layout.endLayout()
    return layout, len(
        text.encode("utf-16-le", "surrogatepass")[: 2 * end].decode("utf-16-le", "ignore")
    )


def _mark(start: int, end: int, text: str, theme: Theme) -> QTextLayout.FormatRange:
    """A marked piece; Qt counts in UTF-16, where rare characters take two."""
    found = QTextLayout.FormatRange()
    found.start = _utf16(text[:start])
    found.length = _utf16(text[start:end])
    look = QTextCharFormat()
    look.setForeground(QColor(theme.tokens.text))
    look.setBackground(QColor(theme.tokens.warning_soft))
    look.setFontWeight(QFont.Weight.DemiBold)
    found.format = look
    return found


def _utf16(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2
