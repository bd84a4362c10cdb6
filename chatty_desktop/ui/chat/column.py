"""The scrolling column of messages: where each one stands, and what the reader keeps in sight."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence, QResizeEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QToolButton, QWidget

from chatty_desktop.ui.chat.message_place import MessagePlace
from chatty_desktop.ui.language import tr
from chatty_desktop.ui.pieces import takes_escape
from chatty_desktop.ui.reading_order import PASSED_BY
from chatty_desktop.ui.theme import Theme
from chatty_desktop.ui.tokens import L, M

WIDEST = 780
"""Pixels; longer lines are hard to read."""

_AT_END = 24
"""Pixels from the end within which the reader counts as being at the end."""

_EDGE = 32
"""Pixels from the border in which a drawn selection scrolls the column along."""


class MessageColumn(QScrollArea):
    """Stacks messages, keeping still what the reader looks at.

    At the end it follows what is added there; anywhere else the first message in sight stays
    where it is, whatever grows, comes or goes above and below it.

    near_top, near_end: the reader is within two screens of the first or the last view.
    jump_wanted: the person wants to be at the end of the chat.
    drawn_over: a selection begun in a view is drawn to another one, or back to the same.
    copy_wanted, all_wanted, unselect_wanted: of the keyboard, wherever in the column it is.

    holds_selection: whether there is something that Esc unselects.
    """

    near_top = Signal()
    near_end = Signal()
    jump_wanted = Signal()
    drawn_over = Signal(object, object)
    copy_wanted = Signal()
    all_wanted = Signal()
    unselect_wanted = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.views: list[MessagePlace] = []
        self.following = True
        self.holds_selection = False
        self._heights: dict[MessagePlace, int] = {}
        self._moving = False
        self._laid_out_for = 0
        self._anchor: tuple[MessagePlace, int] | None = None
        self._content = QWidget()
        self._content.setProperty("panel", "surface")
        self.setWidget(self._content)
        self.setWidgetResizable(False)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setProperty(PASSED_BY, True)
        self.setAccessibleName(tr("Messages"))
        self.viewport().setProperty("panel", "surface")
        self.verticalScrollBar().setSingleStep(40)
        self.verticalScrollBar().valueChanged.connect(self._scrolled)
        # Many views may ask in one go; they are laid out once.
        self._due = QTimer(self)
        self._due.setSingleShot(True)
        self._due.timeout.connect(self.lay_out)
        # Not within the layout itself: more views would be made in the middle of it.
        self._asking = QTimer(self)
        self._asking.setSingleShot(True)
        self._asking.timeout.connect(self._ask_for_more)
        self._beyond = False
        self._jump = QToolButton(self)
        self._jump.setText(tr("Jump to end"))
        self._jump.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self._jump.setToolTip(tr("Go to the newest message (Ctrl+End)"))
        self._jump.setAccessibleName(tr("Jump to the end of the chat"))
        self._jump.setProperty("kind", "floating")
        self._jump.clicked.connect(self.jump_wanted)
        self._jump.hide()
        theme.dress(self._jump, "arrow-down", "text")

    @property
    def full(self) -> bool:
        """Whether the views are higher than what can be seen of them at once."""
        return sum(self._heights.values()) >= self.viewport().height()

    def margins(self, width: int) -> tuple[int, int]:
        """The room left and right of the messages, less the `M` each keeps of its own, in a
        column of that width."""
        bar = self.verticalScrollBar().sizeHint().width()
        left = max(0, (width - bar - WIDEST) // 2 - M)
        return left, left + bar

    # --- views ---------------------------------------------------------------------------

    def insert(self, index: int, views: Sequence[MessagePlace]) -> None:
        """Put views in front of the one at `index`."""
        self._keep_anchor()
        for view in views:
            view.setParent(self._content)
            view.resized.connect(self._grown)
            view.dragged.connect(self._follow_selection)
        self.views[index:index] = views
        self.lay_out()

    def remove(self, start: int, end: int) -> None:
        """Take the views from `start` up to `end` away."""
        if start >= end:
            return
        self._keep_anchor()
        gone = self.views[start:end]
        del self.views[start:end]
        for view in gone:
            self._heights.pop(view, None)
            view.hide()
            view.deleteLater()
        if self._anchor and self._anchor[0] in gone:
            self._anchor = None
        self.lay_out()

    def set_end_beyond(self, beyond: bool) -> None:
        """Whether the chat goes on below the last view."""
        self._beyond = beyond
        self._place_jump()

    # --- scrolling -----------------------------------------------------------------------

    def to_end(self) -> None:
        """Go to the end, and follow from now on."""
        self.following = True
        self.lay_out()

    def to_view(self, view: MessagePlace) -> None:
        """Bring a message into sight, a little below the top."""
        self.following = False
        self.lay_out()
        self._anchor = None
        self.verticalScrollBar().setValue(max(0, view.y() - L))

    def to_place(self, view: MessagePlace, place: QRect) -> None:
        """Bring a part of a message into sight, if it is not; `place` is in the view."""
        self.following = False
        self.lay_out()
        self._anchor = None
        bar = self.verticalScrollBar()
        y = view.y() + place.top()
        bottom = bar.value() + self.viewport().height() - L
        if y < bar.value() + L or y + place.height() > bottom:
            bar.setValue(max(0, y - self.viewport().height() // 3))

    # --- geometry ------------------------------------------------------------------------

    def lay_out(self) -> None:
        """Place every view, then bring what the reader looks at back to where it was."""
        self._due.stop()
        room = self._laid_out_for = self._room()
        width = max(1, min(room - 2 * M, WIDEST))
        left = (room - width) // 2
        self._moving = True
        y = M
        for view in self.views:
            height = self._heights.get(view)
            if height is None:
                height = view.heightForWidth(width)
                if height < 0:
                    # What it consists of was just made, and the layout shows it a moment later.
                    height = view.height()
                    self._due.start(0)
                else:
                    self._heights[view] = height
            view.setGeometry(left, y, width, height)
            # Not isVisible: while the window is hidden that is always false.
            if view.isHidden():
                view.show()
            y += height
        self._content.resize(room, max(y + M, self.viewport().height()))
        bar = self.verticalScrollBar()
        if self.following:
            bar.setValue(bar.maximum())
        elif self._anchor and self._anchor[0] in self._heights:
            view, offset = self._anchor
            bar.setValue(view.y() - offset)
        self._anchor = None
        self._moving = False
        self._place_jump()
        self._asking.start(0)

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._keep_anchor()
        super().resizeEvent(event)
        if self._room() != self._laid_out_for:
            self._heights.clear()
        self.lay_out()

    def _room(self) -> int:
        """The width that is there with and without a scroll bar: it comes and goes, and messages
        are not to be laid out again for it."""
        return self.width() - self.verticalScrollBar().sizeHint().width()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        # QScrollArea would resize the content by its own idea of it.
        if watched is self._content and event.type() == QEvent.Type.LayoutRequest:
            return False
        return super().eventFilter(watched, event)

    def _grown(self) -> None:
        view = self.sender()
        if isinstance(view, MessagePlace):
            self._keep_anchor()
            self._heights.pop(view, None)
            self._due.start(0)

    def in_sight(self) -> range:
        """Which of the views can be seen, be it in part."""
        top = self.verticalScrollBar().value()
        bottom = top + self.viewport().height()
        seen = [
            index
            for index, view in enumerate(self.views)
            if view in self._heights and view.y() < bottom and view.y() + view.height() > top
        ]
        return range(seen[0], seen[-1] + 1) if seen else range(0)

    def first_in_sight(self) -> MessagePlace | None:
        """The first message of which something can be seen."""
        top = self.verticalScrollBar().value()
        for view in self.views:
            if view in self._heights and view.y() + view.height() > top:
                return view
        return None

    def _keep_anchor(self) -> None:
        """Remember the first message in sight and how far down the viewport it begins."""
        if self.following or self._anchor is not None:
            return
        if (view := self.first_in_sight()) is not None:
            self._anchor = (view, view.y() - self.verticalScrollBar().value())

    def _scrolled(self, value: int) -> None:
        if self._moving:
            return
        self._anchor = None
        self.following = value >= self.verticalScrollBar().maximum() - _AT_END
        self._place_jump()
        self._asking.start(0)

    def _ask_for_more(self) -> None:
        bar = self.verticalScrollBar()
        screens = 2 * self.viewport().height()
        if bar.value() < screens:
            self.near_top.emit()
        if bar.maximum() - bar.value() < screens:
            self.near_end.emit()

    def _follow_selection(self, at: QPoint) -> None:
        """Scroll along while a selection is drawn beyond the border."""
        view = self.sender()
        if not isinstance(view, QWidget):
            return
        self.drawn_over.emit(view, self._view_at(view.y() + at.y()) or view)
        y = view.mapTo(self.viewport(), at).y()
        bar = self.verticalScrollBar()
        if y < _EDGE:
            bar.setValue(bar.value() - (_EDGE - y))
        elif y > self.viewport().height() - _EDGE:
            bar.setValue(bar.value() + y - self.viewport().height() + _EDGE)

    def _view_at(self, y: int) -> MessagePlace | None:
        """The view at a height of the content, the nearest where there is none."""
        below = next((view for view in self.views if y < view.y() + view.height()), None)
        return below or (self.views[-1] if self.views else None)

    def event(self, event: QEvent) -> bool:
        return (self.holds_selection and takes_escape(event)) or super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy_wanted.emit()
        elif event.matches(QKeySequence.StandardKey.SelectAll):
            self.all_wanted.emit()
        elif event.key() == Qt.Key.Key_Escape and self.holds_selection:
            self.unselect_wanted.emit()
        else:
            super().keyPressEvent(event)

    def _place_jump(self) -> None:
        bar = self.verticalScrollBar()
        below = not self.following and bar.value() < bar.maximum()
        wanted = bool(self.views) and (self._beyond or below)
        self._jump.setVisible(wanted)
        if wanted:
            size = self._jump.sizeHint()
            area = self.viewport()
            self._jump.resize(size)
            self._jump.move((area.width() - size.width()) // 2, area.height() - size.height() - L)
            self._jump.raise_()
