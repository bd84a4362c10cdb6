"""The panels that blocks of code stand on in a message, and what can be done to each."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject, QRectF, Qt
from PySide6.QtGui import QColor, QGuiApplication, QPainter, QTextFrame
from PySide6.QtWidgets import QTextEdit, QToolButton

from chatty_desktop.ui.chat.markdown import CODE_SIDE, CODE_TOP, Block
from chatty_desktop.ui.language import tr
from chatty_desktop.ui.pieces import icon_button
from chatty_desktop.ui.theme import Theme


class CodePanels(QObject):
    """Those of the text that a view shows, which calls `paint` before it paints the text. `save`
    is called with the code and its language, to have it saved."""

    def __init__(self, view: QTextEdit, theme: Theme, save: Callable[[str, str], None]) -> None:
        super().__init__(view)
        self._view = view
        self._theme = theme
        self._save = save
        self._panels: list[tuple[QTextFrame, Block, tuple[QToolButton, ...]]] = []

    def show(self, blocks: Sequence[Block]) -> None:
        """The view shows another text now, with these blocks in it, of which some are code."""
        frames = sorted(self._frames(), key=lambda frame: frame.firstPosition())
        for frame, block in zip(frames, blocks, strict=False):
            if block.kind == "code":
                self._panels.append((frame, block, self._buttons(block)))

    def clear(self) -> None:
        """The text goes."""
        for _, _, buttons in self._panels:
            for button in buttons:
                button.hide()
                button.deleteLater()
        self._panels.clear()

    def paint(self) -> None:
        """Draw the panels, and put the buttons on them: until then a text is laid out many times
        at other widths."""
        if not self._panels:
            return
        tokens = self._theme.tokens
        painter = QPainter(self._view.viewport())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(self._theme.small())
        for frame, block, buttons in self._panels:
            rect = self._rect(frame)
            right = round(rect.right())
            for button in buttons:
                right -= button.sizeHint().width() + 4
                button.move(right, round(rect.top()) + 5)
            painter.setPen(QColor(tokens.border))
            painter.setBrush(QColor(tokens.code_background))
            painter.drawRoundedRect(rect.adjusted(0.5, 0.5, -0.5, -0.5), 8, 8)
            painter.setPen(QColor(tokens.muted))
            title = QRectF(rect.left() + 12, rect.top() + 2, rect.width() - 90, CODE_TOP - 4)
            painter.drawText(title, Qt.AlignmentFlag.AlignVCenter, block.language or "code")
        painter.end()

    def _buttons(self, block: Block) -> tuple[QToolButton, ...]:
        """What can be done to a block of code, from the right."""
        copy = self._button("copy", tr("Copy this code"))
        save = self._button("download-simple", tr("Save this code …"))

        def copied() -> None:
            QGuiApplication.clipboard().setText(block.text)
            self._theme.dress(copy, "check", "success")
            copy.setToolTip(tr("Copied"))

        copy.clicked.connect(copied)
        save.clicked.connect(lambda: self._save(block.text, block.language))
        return copy, save

    def _button(self, icon: str, name: str) -> QToolButton:
        button = icon_button(self._theme, icon, name)
        button.setParent(self._view.viewport())
        button.setCursor(Qt.CursorShape.ArrowCursor)
        button.show()
        return button

    def _frames(self) -> list[QTextFrame]:
        found: list[QTextFrame] = []
        waiting = list(self._view.document().rootFrame().childFrames())
        while waiting:
            frame = waiting.pop()
            found.append(frame)
            waiting += frame.childFrames()
        return found

    def _rect(self, frame: QTextFrame) -> QRectF:
        """Where the panel of a code block is drawn, from the text within.

        `frameBoundingRect` is off by the cell's padding.
        """
        layout = self._view.document().documentLayout()
        first = layout.blockBoundingRect(frame.firstCursorPosition().block())
        last = layout.blockBoundingRect(frame.lastCursorPosition().block())
        panel = first.united(last).adjusted(-CODE_SIDE, -CODE_TOP, CODE_SIDE, CODE_SIDE)
        panel.translate(-self._view.horizontalScrollBar().value(), 0)
        panel.setRight(min(panel.right(), self._view.viewport().width() - 1))
        return panel
