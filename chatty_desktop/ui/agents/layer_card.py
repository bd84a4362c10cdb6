"""One layer of a composite memory in the editor: its place, its kind, and the form of its kind."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from chatty_desktop.ui.agents.strategy_form import FormParts, Problems, about, build_form
from chatty_desktop.ui.language import tr
from chatty_desktop.ui.pieces import IconLabel, Problem, emphasise, icon_button
from chatty_desktop.ui.plain import Label
from chatty_desktop.ui.tokens import XS, M, S


class LayerCard(QFrame):
    """A layer.

    changed: something in its form changed.
    move_wanted: up (-1) or down (1). remove_wanted: away with it.
    dragged: while its head is dragged, where on the screen the mouse is.
    """

    changed = Signal()
    move_wanted = Signal(int)
    remove_wanted = Signal()
    dragged = Signal(QPoint)

    def __init__(
        self, config: Mapping[str, Any], parts: FormParts, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.kind = str(config["kind"])
        self._title = about(self.kind).title
        self.form = build_form(self.kind, parts)
        self.setProperty("panel", "raised")
        self.head = _Head(parts, self)
        self.up = icon_button(parts.theme, "arrow-up", tr("Move layer up (Alt+Up)"))
        self.down = icon_button(parts.theme, "arrow-down", tr("Move layer down (Alt+Down)"))
        self.remove = icon_button(parts.theme, "trash", tr("Remove layer (Delete)"))
        self.head.row.addWidget(self.up)
        self.head.row.addWidget(self.down)
        self.head.row.addWidget(self.remove)
        self._problem = Problem(parts.theme, "danger", "warning-circle")
        column = QVBoxLayout(self)
        column.setContentsMargins(S, S, S, S)
        column.setSpacing(S)
        column.addWidget(self.head)
        column.addWidget(self._problem)
        self.form.set(config)
        self.form.column.setContentsMargins(M, 0, M, S)
        self.form.changed.connect(self.changed)
        self.form.setVisible(self.form.column.count() > 0)
        column.addWidget(self.form)
        self.up.clicked.connect(lambda: self.move_wanted.emit(-1))
        self.down.clicked.connect(lambda: self.move_wanted.emit(1))
        self.remove.clicked.connect(self.remove_wanted)

    def show_place(self, number: int, count: int) -> None:
        """Say which layer it is, from 1 on, of how many."""
        self.head.say(f"{number}.  {self._title}")
        self.head.setAccessibleName(
            tr("Layer {number} of {count}: {title}", number=number, count=count, title=self._title)
        )
        self.up.setEnabled(number > 1)
        self.down.setEnabled(number < count)

    def value(self) -> dict[str, Any]:
        """The layer's configuration as it stands."""
        return self.form.value()

    def show_problems(self, problems: Problems) -> None:
        """Show each problem, by its path within the layer, beside its field or above them."""
        left = self.form.show_problems(problems)
        said = (f"{path}: {reason}" if path else reason for path, reason in left)
        self._problem.say("\n".join(said))


class _Head(QFrame):
    """The line with the layer's name; it can be dragged, and takes keys when it has the focus."""

    def __init__(self, parts: FormParts, card: LayerCard) -> None:
        super().__init__(card)
        self._card = card
        self._pressed = False
        self._name = Label()
        emphasise(self._name)
        self.setProperty("panel", "handle")
        self.setCursor(Qt.CursorShape.OpenHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setToolTip(tr("Drag to change the order of the layers"))
        self.row = QHBoxLayout(self)
        self.row.setContentsMargins(S, XS, XS, XS)
        self.row.setSpacing(XS)
        self.row.addWidget(IconLabel(parts.theme, "dots-six-vertical"))
        self.row.addWidget(self._name)
        self.row.addStretch(1)

    def say(self, name: str) -> None:
        self._name.setText(name)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Also of the buttons in the line, which leave these keys to it."""
        alt = event.modifiers() & Qt.KeyboardModifier.AltModifier
        if alt and event.key() in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            self._card.move_wanted.emit(-1 if event.key() == Qt.Key.Key_Up else 1)
        elif event.key() == Qt.Key.Key_Delete:
            self._card.remove_wanted.emit()
        else:
            super().keyPressEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self._pressed = True
            self.setCursor(Qt.CursorShape.ClosedHandCursor)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._pressed:
            self._card.dragged.emit(event.globalPosition().toPoint())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._pressed = False
        self.setCursor(Qt.CursorShape.OpenHandCursor)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.update()
