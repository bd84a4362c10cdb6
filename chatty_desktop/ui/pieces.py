"""Small parts that panels are put together from."""

from __future__ import annotations

from typing import TypeVar

from PySide6.QtCore import QAbstractItemModel, QEvent, QSize, Qt, Signal
from PySide6.QtGui import QAction, QKeyEvent, QMouseEvent, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemDelegate,
    QAbstractItemView,
    QBoxLayout,
    QFrame,
    QHBoxLayout,
    QLabel,
    QLayout,
    QListView,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from chatty_desktop.ui.language import number, tr, translated
from chatty_desktop.ui.plain import Label, tip
from chatty_desktop.ui.readable import shortened
from chatty_desktop.ui.theme import Theme, set_tone
from chatty_desktop.ui.tokens import XS, L, M, S, Tone

CARD_CHARS, CARD_LINES = 700, 12
"""How much of a long text is shown before the person asks for all of it."""

MOST_CHARS = 20_000
"""How much is ever laid out in one box; all of it can be copied."""

LABEL_CHARS = 6_000
"""The same in a label, which lays out all of it several times."""

Box = TypeVar("Box", bound=QBoxLayout)


def row_list(name: str, model: QAbstractItemModel, delegate: QAbstractItemDelegate) -> QListView:
    """A list of rows of one height that a delegate draws; `name` is for screen readers."""
    rows = QListView()
    rows.setAccessibleName(name)
    rows.setModel(model)
    rows.setItemDelegate(delegate)
    rows.setUniformItemSizes(True)
    rows.setMouseTracking(True)
    rows.setFrameShape(QFrame.Shape.NoFrame)
    rows.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
    rows.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    return rows


class Words(Label):
    """Plain text that wraps and can be selected."""

    def __init__(self, text: str = "", tone: Tone = "text", parent: QWidget | None = None) -> None:
        super().__init__(parent=parent)
        self.setWordWrap(True)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse
            | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        # A long word without a break would otherwise widen the whole panel.
        self.setMinimumWidth(40)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        # Not `set_tone`: a label that was never shown need not be polished again.
        self.setProperty("tone", tone)
        self.setText(text)


class LongWords(QWidget):
    """Text of any length: its beginning, and the rest when the person asks for it."""

    def __init__(self, tone: Tone = "text", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._text = ""
        self._label = Words(tone=tone)
        self._more = TextButton("")
        self._more.setCheckable(True)
        self._more.toggled.connect(self._draw)
        column = edge_to_edge(QVBoxLayout(self))
        column.addWidget(self._label)
        column.addWidget(self._more, 0, Qt.AlignmentFlag.AlignLeft)

    def show_text(self, text: str) -> None:
        """Draw a text, folded up when it is long."""
        if text != self._text or not self._label.text():
            self._text = text
            self._draw()

    def set_tone(self, tone: Tone) -> None:
        set_tone(self._label, tone)

    def text(self) -> str:
        """What is on the screen."""
        return self._label.text()

    def _draw(self) -> None:
        short = shortened(self._text, CARD_CHARS, CARD_LINES)
        whole = self._text[:LABEL_CHARS]
        self._more.setVisible(short != self._text)
        opened = self._more.isChecked()
        count = number(len(self._text))
        more = tr("Show all {count} characters", count=count)
        if len(whole) < len(self._text):
            shown = number(len(whole))
            more = tr("Show {shown} of {count} characters", shown=shown, count=count)
        self._more.setText(tr("Show less") if opened else more)
        self._label.setText(whole if opened else short)


class TextButton(QPushButton):
    """A button that looks like a link and takes no more room than its words."""

    def __init__(self, text: str, parent: QWidget | None = None) -> None:
        super().__init__(text, parent)
        self.setProperty("kind", "link")
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAutoDefault(False)


class Card(QFrame):
    """A frame that can be pressed, by mouse and by keyboard."""

    pressed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("panel", "card")
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.column = QVBoxLayout(self)
        self.column.setContentsMargins(S, S, S, S)
        self.column.setSpacing(XS)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        inside = self.rect().contains(event.position().toPoint())
        if event.button() == Qt.MouseButton.LeftButton and inside:
            self.pressed.emit()
        super().mouseReleaseEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
            self.pressed.emit()
        else:
            super().keyPressEvent(event)


class Problem(QFrame):
    """A remark with an icon: something to know, or something that went wrong."""

    def __init__(
        self, theme: Theme, tone: Tone = "warning", icon: str = "", parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setProperty("panel", tone)
        row = QHBoxLayout(self)
        row.setContentsMargins(S, S, M, S)
        row.setSpacing(S)
        row.addWidget(IconLabel(theme, icon or "warning", tone), 0, Qt.AlignmentFlag.AlignTop)
        self._label = Words()
        row.addWidget(self._label, 1)
        self.hide()

    def say(self, text: str) -> None:
        """Show a text; "" hides the frame."""
        self._label.setText(translated(text))
        self.setVisible(bool(text))

    def text(self) -> str:
        return self._label.text()


class IconLabel(Label):
    """An icon of the set that follows the colour scheme, as high as the words beside it."""

    def __init__(
        self, theme: Theme, name: str, tone: Tone = "muted", parent: QWidget | None = None
    ) -> None:
        super().__init__(parent=parent)
        self._theme, self._name, self._tone = theme, name, tone
        theme.changed.connect(self._draw)
        self._draw()

    def show_icon(self, name: str, tone: Tone) -> None:
        self._name, self._tone = name, tone
        self._draw()

    def _draw(self) -> None:
        ratio = self.devicePixelRatioF()
        icon = self._theme.icon(self._name, self._tone)
        size = QSize(self._theme.icon_size, self._theme.icon_size)
        self.setFixedSize(size)
        self.setPixmap(icon.pixmap(size, ratio))


class Empty(QWidget):
    """An empty state: what is not there yet, and what to do next."""

    def __init__(self, theme: Theme, icon: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._title = Label()
        self._title.setFont(theme.heading())
        self._title.setWordWrap(True)
        self._title.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._hint = Label()
        self._hint.setProperty("tone", "muted")
        self._hint.setWordWrap(True)
        self._hint.setAlignment(Qt.AlignmentFlag.AlignCenter)
        column = QVBoxLayout(self)
        column.setContentsMargins(L, L, L, L)
        column.setSpacing(S)
        column.addStretch(2)
        self._icon = IconLabel(theme, icon, "muted")
        column.addWidget(self._icon, 0, Qt.AlignmentFlag.AlignHCenter)
        column.addWidget(self._title)
        column.addWidget(self._hint)
        column.addStretch(3)

    def say(self, title: str, hint: str) -> None:
        """Say something; without a title and a hint nothing at all is drawn."""
        self._title.setText(title)
        self._title.setVisible(bool(title))
        self._hint.setText(hint)
        self._fit()

    def text(self) -> str:
        return f"{self._title.text()}\n{self._hint.text()}"

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """Where there is no room for all, as with large letters, the words come first."""
        words = [label for label in (self._title, self._hint) if label.text()]
        width = self.width() - 2 * L
        high = sum(label.heightForWidth(width) + S for label in words)
        fits = high + self._theme.icon_size + 2 * L <= self.height()
        self._icon.setVisible(bool(words) and fits)


def icon_button(theme: Theme, icon: str, name: str) -> QToolButton:
    """A tool button with an icon, its name as tooltip and for screen readers."""
    button = QToolButton()
    theme.dress(button, icon)
    button.setToolTip(tip(name))
    button.setAccessibleName(name)
    button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    return button


def action_button(action: QAction) -> QToolButton:
    """A button for an action, in a row below a list."""
    button = QToolButton()
    button.setDefaultAction(action)
    button.setAccessibleName(action.text().removesuffix(" …"))
    button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    return button


def takes_escape(event: QEvent) -> bool:
    """Whether this asks if Esc, which in the window stops an answer, is wanted here instead; then
    it is."""
    if (
        event.type() == QEvent.Type.ShortcutOverride
        and isinstance(event, QKeyEvent)
        and event.key() == Qt.Key.Key_Escape
    ):
        event.accept()
        return True
    return False


def replace(holder: QWidget, old: QWidget, new: QWidget) -> None:
    """Put a widget in the place of another in the holder's layout; the old one goes."""
    layout = holder.layout()
    if layout is not None:
        layout.replaceWidget(old, new)
    old.hide()
    old.deleteLater()


def edge_to_edge(layout: Box) -> Box:
    """Let the parts of a layout touch each other, and the edges of what they are laid out in."""
    layout.setContentsMargins(0, 0, 0, 0)
    layout.setSpacing(0)
    return layout


def clear(layout: QLayout) -> None:
    """Take everything out of a layout, for good."""
    while (item := layout.takeAt(0)) is not None:
        if (widget := item.widget()) is not None:
            widget.hide()
            widget.deleteLater()
        elif (inner := item.layout()) is not None:
            clear(inner)


def emphasise(widget: QWidget) -> None:
    """Write a widget's words in semi-bold letters."""
    font = widget.font()
    font.setWeight(font.Weight.DemiBold)
    widget.setFont(font)


def caption(theme: Theme, text: str = "", tone: Tone = "muted") -> QLabel:
    """A small label of second rank."""
    label = Label(text)
    label.setFont(theme.small())
    label.setProperty("tone", tone)
    return label


def scrolled(content: QWidget, name: str = "") -> QScrollArea:
    """A widget in a frameless scroll area that grows with the panel's width.

    The keyboard goes to what is in it, and it scrolls along; with a name it can have the keyboard
    itself by Tab, for what is only read. Not by a click: what it shows then is no answer to one.
    """
    area = QScrollArea()
    area.setAccessibleName(name)
    area.setFocusPolicy(Qt.FocusPolicy.TabFocus if name else Qt.FocusPolicy.NoFocus)
    area.setWidgetResizable(True)
    area.setFrameShape(QFrame.Shape.NoFrame)
    area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    content.setProperty("scrolled", "true")
    area.setWidget(content)
    return area
