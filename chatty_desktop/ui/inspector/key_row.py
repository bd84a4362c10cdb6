"""One key of Σ in the inspector: its value, when it last changed, and what can be done about it."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QAbstractAnimation, QEasingCurve, Qt, QVariantAnimation, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QMenu,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from chatty_desktop.domain.by_hand import PinAttempt
from chatty_desktop.domain.memory import KeyChange
from chatty_desktop.ui.elided import ElidedLabel
from chatty_desktop.ui.inspector.clicks import Clicks
from chatty_desktop.ui.language import N_, tr, trn
from chatty_desktop.ui.pieces import (
    IconLabel,
    LongWords,
    TextButton,
    Words,
    caption,
    emphasise,
    icon_button,
)
from chatty_desktop.ui.plain import Label, tip
from chatty_desktop.ui.readable import readable, shortened, when
from chatty_desktop.ui.theme import Theme, set_tone
from chatty_desktop.ui.tokens import XS, L, S

FLASH_MS = 1400
NOT_KNOWN = N_("not known yet")


class KeyRow(QFrame):
    """One key of Σ: its name, its value, and the moment it last changed. A click on the value asks
    where it is from.

    row_wanted: the id of the ledger row in which a fold tried to change the pinned key.
    pin_wanted: whether it is to be pinned.
    """

    message_wanted = Signal(str)
    row_wanted = Signal(str)
    edit_wanted = Signal()
    pin_wanted = Signal(bool)
    forget_wanted = Signal()
    origin_wanted = Signal()

    def __init__(self, name: str, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._name = name
        self._change: KeyChange | None = None
        self._strength = 0.0
        self._fade = QVariantAnimation(self)
        self._fade.setDuration(FLASH_MS)
        self._fade.setStartValue(1.0)
        self._fade.setEndValue(0.0)
        self._fade.setEasingCurve(QEasingCurve.Type.InQuad)
        self._fade.valueChanged.connect(self._fading)

        self._label = Label(name)
        emphasise(self._label)
        self._old = caption(theme, tr("no longer a field"), "warning")
        self._old.hide()
        self._missing = ElidedLabel(tr(NOT_KNOWN))
        self._missing.setFont(theme.small())
        self._missing.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Preferred)
        set_tone(self._missing, "muted")
        self._when = TextButton("")
        self._when.setFont(theme.small())
        self._when.setProperty("tone", "muted")
        self._when.clicked.connect(self._wanted)
        self._value = LongWords()
        self._value.setAccessibleName(tr("Value of {name}", name=name))
        for label in self._value.findChildren(QLabel):
            Clicks(label).clicked.connect(self._clicked)
        self._attempt: PinAttempt | None = None
        self._pinned = IconLabel(theme, "push-pin", "memory")
        self._pinned.setToolTip(tr("Pinned: no fold changes this key"))
        self._pinned.hide()
        self._tried = Words(tone="warning")
        self._tried.setFont(theme.small())
        self.show_tried = TextButton(tr("Show it in the ledger"))
        self.show_tried.setFont(theme.small())
        self.show_tried.clicked.connect(self._tried_wanted)
        self._tried.hide()
        self.show_tried.hide()
        self._menu = QMenu(self)
        self.edit = self._menu.addAction(tr("Edit …"))
        self.pin = self._menu.addAction(tr("Pin: no fold may change it"))
        self.pin.setCheckable(True)
        self.origin = self._menu.addAction(tr("Where is this from?"))
        self._menu.addSeparator()
        self.forget = self._menu.addAction(tr("Forget"))
        self.edit.triggered.connect(lambda _checked: self.edit_wanted.emit())
        self.pin.triggered.connect(self.pin_wanted)
        self.origin.triggered.connect(lambda _checked: self.origin_wanted.emit())
        self.forget.triggered.connect(lambda _checked: self.forget_wanted.emit())
        self.more = icon_button(theme, "dots-three", tr("What to do about “{name}”", name=name))
        self.more.setProperty("kind", "line")
        self.more.setFixedHeight(self._label.fontMetrics().height())
        self.more.setMenu(self._menu)
        self.more.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.more.hide()

        top = QHBoxLayout()
        top.setSpacing(S)
        top.addWidget(self._label)
        top.addWidget(self._pinned)
        top.addWidget(self._old)
        top.addWidget(self._missing)
        top.addStretch(1)
        top.addWidget(self._when)
        top.addWidget(self.more)
        column = QVBoxLayout(self)
        column.setContentsMargins(L, XS, S, XS)
        column.setSpacing(2)
        column.addLayout(top)
        column.addWidget(self._value)
        column.addWidget(self._tried)
        column.addWidget(self.show_tried, 0, Qt.AlignmentFlag.AlignLeft)

    def show_pin(self, pinned: bool, attempt: PinAttempt | None) -> None:
        """Say that folds may not change the key, and what they tried."""
        self._pinned.setVisible(pinned)
        self._attempt = attempt
        self._tried.setVisible(attempt is not None)
        self.show_tried.setVisible(attempt is not None)
        if attempt is not None:
            said = tr("forget it") if attempt.forget else readable(attempt.value)
            self._tried.setText(
                trn(
                    "A fold tried: {value}",
                    "{count} folds tried, the last: {value}",
                    attempt.count,
                    value=shortened(" ".join(said.split()), 80, 1),
                )
            )
            self._tried.setToolTip(tip(said))

    def let_act(self, may: bool, *, pinned: bool, known: bool) -> None:
        """Offer what can be done, or not: the past is to be read only."""
        self.more.setVisible(may)
        self.edit.setEnabled(self._old.isHidden())
        self.pin.setChecked(pinned)
        self.forget.setEnabled(known)

    def show_value(self, value: Any, *, known: bool) -> None:
        """Draw a value, or that there is none."""
        self._missing.setVisible(not known)
        self._value.setVisible(known)
        set_tone(self._label, "memory" if known else "muted")
        if known:
            self._value.show_text(readable(value))
        self.setAccessibleName(self._name if known else f"{self._name}, {tr(NOT_KNOWN)}")

    def describe(self, description: str | None) -> None:
        """Say what the key is for; None: the fields do not have it any more."""
        self._old.setVisible(description is None)
        self._label.setToolTip(
            tr("The agent's fields no longer have this key; it stays until it is forgotten.")
            if description is None
            else tip(description)
        )

    def show_change(self, change: KeyChange | None, now: float) -> None:
        """Offer the message after which the key last changed."""
        self._change = change
        self._when.setVisible(change is not None)
        if change is not None:
            moment = when(change.at, now)
            self._when.setText(moment)
            self._when.setToolTip(tr("Show the message after which this changed"))
            self._when.setAccessibleName(
                tr(
                    "{name} last changed {moment}; show the message after which it did",
                    name=self._name,
                    moment=moment,
                )
            )

    def flash(self) -> None:
        """Light up in memory's colour and fade: this is new."""
        self._fade.stop()
        self._fade.start()

    @property
    def flashing(self) -> bool:
        return self._fade.state() == QAbstractAnimation.State.Running

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        tokens = self._theme.tokens
        if self._strength > 0:
            glow = QColor(tokens.memory_soft)
            glow.setAlphaF(self._strength)
            painter.setBrush(glow)
            painter.setPen(QColor(0, 0, 0, 0))
            painter.drawRoundedRect(self.rect().adjusted(4, 0, 0, 0), 6, 6)
        line = QColor(tokens.memory if self._missing.isHidden() else tokens.border)
        painter.fillRect(0, 2, 3, self.height() - 4, line)
        painter.end()
        super().paintEvent(event)

    def _fading(self, strength: Any) -> None:
        self._strength = float(strength)
        self.update()

    def _wanted(self) -> None:
        if self._change is not None:
            self.message_wanted.emit(self._change.message_id)

    def _tried_wanted(self) -> None:
        if self._attempt is not None:
            self.row_wanted.emit(self._attempt.ledger_id)

    def _clicked(self) -> None:
        if not self.more.isHidden():
            self.origin_wanted.emit()
