"""One provider in the list: its name, whether it answers, and what can be done with it."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeySequence, QMouseEvent, QShortcut
from PySide6.QtWidgets import QFrame, QHBoxLayout, QToolButton, QVBoxLayout, QWidget

from chatty_desktop.domain.keys import KeyState
from chatty_desktop.domain.provider_tests import ProviderTest
from chatty_desktop.domain.settings import ProviderSettings
from chatty_desktop.ui.elided import ElidedLabel
from chatty_desktop.ui.language import tr, translated
from chatty_desktop.ui.pieces import IconLabel, TextButton, Words, clear, emphasise, icon_button
from chatty_desktop.ui.settings.providers.words import key_words, kind_of, where, works
from chatty_desktop.ui.theme import Theme, restyle, set_tone
from chatty_desktop.ui.tokens import XS, M, S


class ProviderCard(QFrame):
    """A provider of the settings.

    edit_toggled: the form below is wanted, or no longer. check_wanted: ask it again.
    move_wanted: one place up (-1) or down (1). delete_wanted: the person wants it gone.
    dragged: the handle is held, at that height of the screen. dropped: it was let go.
    """

    edit_toggled = Signal(bool)
    check_wanted = Signal()
    move_wanted = Signal(int)
    delete_wanted = Signal()
    dragged = Signal(float)
    dropped = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("panel", "raised")
        self._theme = theme
        self.handle = _Handle(theme)
        self.handle.dragged.connect(self.dragged)
        self.handle.dropped.connect(self.dropped)
        self._kind = IconLabel(theme, "cpu", "muted")
        self.name = ElidedLabel()
        emphasise(self.name)
        self.up = icon_button(theme, "arrow-up", tr("Move up"))
        self.up.clicked.connect(lambda: self.move_wanted.emit(-1))
        self.down = icon_button(theme, "arrow-down", tr("Move down"))
        self.down.clicked.connect(lambda: self.move_wanted.emit(1))
        self.edit = icon_button(theme, "pencil-simple", tr("Edit"))
        self.edit.setCheckable(True)
        self.edit.toggled.connect(self.edit_toggled)
        self.delete = icon_button(theme, "trash", tr("Delete"))
        self.delete.clicked.connect(self.delete_wanted)
        self._mark = IconLabel(theme, "circle-dashed", "muted")
        self.state = Words(tone="muted")
        self.again = TextButton(tr("Check again"))
        self.again.clicked.connect(self.check_wanted)
        self.about = Words(tone="muted")
        self.about.setFont(theme.small())
        self.below = QVBoxLayout()
        self._lay_out()
        # Not in a key event: buttons take the arrows for themselves.
        for keys, step in (("Alt+Up", -1), ("Alt+Down", 1)):
            shortcut = QShortcut(QKeySequence(keys), self)
            shortcut.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
            shortcut.activated.connect(lambda step=step: self.move_wanted.emit(step))
        self.show_checking()

    def show_provider(self, entry: ProviderSettings, key: KeyState | None) -> None:
        """What the settings say of it, and where its key comes from."""
        self.name.setText(entry.id)
        self._kind.show_icon(kind_of(entry).icon, "muted")
        key_said = key_words(key) if key is not None and entry.kind != "llama_cpp" else ""
        self.about.setText(" · ".join(filter(None, (where(entry), key_said))))
        for button, words in (
            (self.up, tr("Move {name} up", name=entry.id)),
            (self.down, tr("Move {name} down", name=entry.id)),
            (self.edit, tr("Edit {name}", name=entry.id)),
            (self.delete, tr("Delete {name}", name=entry.id)),
            (self.again, tr("Check {name} again", name=entry.id)),
        ):
            button.setAccessibleName(words)
        self.handle.setAccessibleName(tr("Drag {name} to another place", name=entry.id))

    def show_place(self, first: bool, last: bool) -> None:
        """Where it stands; a button that is pressed to the end keeps the focus in the card."""
        for button, ends, other in ((self.up, first, self.down), (self.down, last, self.up)):
            if ends and button.hasFocus():
                other.setEnabled(True)
                other.setFocus()
            button.setEnabled(not ends)
        self.handle.setVisible(not (first and last))

    def show_checking(self) -> None:
        """It is being asked."""
        self._show("circle-dashed", "muted", tr("Checking …"))
        self.again.hide()

    def show_test(self, test: ProviderTest) -> None:
        """Whether it answered."""
        if test.usable and test.lists and not test.models:
            self._show("warning", "warning", translated(test.remark))
        elif test.usable:
            said = tr("Ready · {what}", what=works(test))
            self._show("check-circle", "success", f"{said}\n{translated(test.remark)}".strip())
        else:
            self._show("warning-circle", "danger", translated(test.problem))
        self.again.setVisible(not test.usable)

    def unfold(self, form: QWidget) -> None:
        """Have the form below."""
        self.below.addSpacing(M)
        self.below.addWidget(form)

    def fold(self) -> None:
        """Have nothing below."""
        clear(self.below)

    def show_dragged(self, held: bool) -> None:
        """Whether it is the one in the person's hand."""
        restyle(self, "panel", "accent" if held else "raised")

    def _show(self, icon: str, tone: str, text: str) -> None:
        self._mark.show_icon(icon, tone)  # type: ignore[arg-type]
        self.state.setText(text)
        set_tone(self.state, "text" if tone == "success" else tone)  # type: ignore[arg-type]

    def _lay_out(self) -> None:
        top = QHBoxLayout()
        top.setSpacing(XS)
        top.addWidget(self.handle)
        top.addWidget(self._kind)
        top.addSpacing(XS)
        top.addWidget(self.name, 1)
        for button in (self.up, self.down, self.edit, self.delete):
            top.addWidget(button)
        state = QHBoxLayout()
        state.setSpacing(S)
        state.addWidget(self._mark, 0, Qt.AlignmentFlag.AlignTop)
        state.addWidget(self.state, 1)
        words = QVBoxLayout()
        words.setContentsMargins(XS, 0, S, 0)
        words.setSpacing(XS)
        words.addLayout(state)
        second = QVBoxLayout()
        second.setContentsMargins(self._mark.width() + S, 0, 0, 0)
        second.setSpacing(XS)
        second.addWidget(self.again, 0, Qt.AlignmentFlag.AlignLeft)
        second.addWidget(self.about)
        words.addLayout(second)
        self.below.setContentsMargins(XS, 0, S, 0)
        self.below.setSpacing(0)
        column = QVBoxLayout(self)
        column.setContentsMargins(S, S, S, M)
        column.setSpacing(XS)
        column.addLayout(top)
        column.addLayout(words)
        column.addLayout(self.below)


class _Handle(QToolButton):
    """What a card is dragged by; the arrow buttons do the same for the keyboard."""

    dragged = Signal(float)
    dropped = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        theme.dress(self, "dots-six-vertical")
        self.setToolTip(tr("Drag to another place, or Alt with the arrow keys"))
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setCursor(Qt.CursorShape.OpenHandCursor)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self.setCursor(Qt.CursorShape.ClosedHandCursor)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if event.buttons() & Qt.MouseButton.LeftButton:
            self.dragged.emit(event.globalPosition().y())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self.setCursor(Qt.CursorShape.OpenHandCursor)
        self.dropped.emit()
