"""One part of the status line: an icon and a few words that can be pressed."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QToolButton, QWidget

from chatty_desktop.ui.plain import tip
from chatty_desktop.ui.theme import Theme, set_tone
from chatty_desktop.ui.tokens import Tone

_GAP = " "
"""Between the icon and the words."""

_LEAST = 96
"""Pixels below which a part does not shrink."""


class Part(QToolButton):
    """Words with an ellipsis in their middle where the room ends: what matters stands at both ends.

    `steady`: while it is shown it does not grow narrower, so that counting numbers in it move
    nothing.
    """

    def __init__(
        self, theme: Theme, name: str, *, steady: bool = False, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._theme = theme
        self._name = name
        self._steady = steady
        self._words = ""
        self._icon: tuple[str, Tone] = ("circle", "muted")
        self._widest = 0
        self.setProperty("kind", "status")
        self.setFont(theme.small())
        self.setIconSize(QSize(14, 14))
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Preferred)
        self.setAccessibleName(name)
        theme.changed.connect(self._redraw)
        self._draw_icon()

    @property
    def words(self) -> str:
        """All that it says, cut off or not."""
        return self._words

    def say(self, words: str, icon: str, tone: Tone, story: str) -> None:
        """Show words; `story` is all there is to know, as the tooltip and for screen readers."""
        if (icon, tone) != self._icon:
            self._icon = (icon, tone)
            self._draw_icon()
        if story != self.accessibleDescription():
            self.setToolTip(tip(story))
            self.setAccessibleDescription(story)
        set_tone(self, "danger" if tone == "danger" else "muted")
        if words != self._words:
            self._words = words
            self.setAccessibleName(f"{self._name}: {words}")
            self._fit()
            self.updateGeometry()

    def sizeHint(self) -> QSize:
        hint = super().sizeHint()
        width = self._around() + self.fontMetrics().horizontalAdvance(_GAP + self._words) + 4
        self._widest = max(self._widest, width) if self._steady else width
        return QSize(self._widest, hint.height())

    def minimumSizeHint(self) -> QSize:
        hint = self.sizeHint()
        return QSize(min(_LEAST, hint.width()), hint.height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def rest(self) -> None:
        """Hide, and forget how wide it was."""
        self.hide()
        self._widest = 0

    def _fit(self) -> None:
        room = max(self.width() - self._around(), 0)
        cut = self.fontMetrics().elidedText(_GAP + self._words, Qt.TextElideMode.ElideMiddle, room)
        # An ampersand would underline the letter after it.
        self.setText(cut.replace("&", "&&"))

    def _around(self) -> int:
        """Pixels beside the words: the icon and the padding."""
        shown = self.fontMetrics().horizontalAdvance(self.text().replace("&&", "&"))
        return super().sizeHint().width() - shown

    def _redraw(self) -> None:
        """The colours, or the size of the letters, are not what they were."""
        self._draw_icon()
        self._widest = 0
        self.updateGeometry()
        self._fit()

    def _draw_icon(self) -> None:
        self.setIcon(self._theme.icon(*self._icon))
