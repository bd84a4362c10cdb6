"""Σ as people read it: its keys, their values, when each changed, and how full it is."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QAbstractAnimation, QEasingCurve, Qt, QVariantAnimation, Signal
from PySide6.QtGui import QColor, QGuiApplication, QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QProgressBar,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from chatty_desktop.domain.memory import KeyChange, LayerSnapshot
from chatty_desktop.ui.elided import ElidedLabel
from chatty_desktop.ui.language import N_, number, tr
from chatty_desktop.ui.pieces import (
    LongWords,
    TextButton,
    Words,
    caption,
    emphasise,
    icon_button,
    replace,
    tip,
)
from chatty_desktop.ui.readable import readable, when
from chatty_desktop.ui.theme import Theme, set_tone
from chatty_desktop.ui.tokens import XS, L, S

FLASH_MS = 1400
NOT_KNOWN = N_("not known yet")


class StateView(QWidget):
    """One Σ. `message_wanted` carries the id of the message after which a key last changed."""

    message_wanted = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._state: dict[str, Any] | None = None
        self._rows: dict[str, KeyRow] = {}
        sigma = QLabel("Σ")
        sigma.setFont(theme.heading())
        set_tone(sigma, "memory")
        self._heading = ElidedLabel()
        self._heading.setFont(theme.heading())
        self._heading.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Preferred)
        set_tone(self._heading, "memory")
        self._size = caption(theme)
        self._copy = icon_button(theme, "copy", tr("Copy Σ as JSON"))
        self._copy.clicked.connect(self._to_clipboard)
        self._bar = QProgressBar()
        self._bar.setProperty("tone", "memory")
        self._bar.setTextVisible(False)
        self._hint = Words(tone="muted")
        self._keys = QWidget()

        top = QHBoxLayout()
        top.setSpacing(S)
        top.addWidget(sigma)
        top.addWidget(self._heading)
        top.addWidget(self._size)
        top.addStretch(1)
        top.addWidget(self._copy)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(S)
        column.addLayout(top)
        column.addWidget(self._bar)
        column.addWidget(self._hint)
        column.addWidget(self._keys)

    def show_state(self, layer: LayerSnapshot, fields: Sequence[tuple[str, str]]) -> None:
        """Draw Σ over its fields, (name, description) each; what changed lights up for a moment.

        Keys that the fields no longer have stand after the others.
        """
        state = layer.state or {}
        descriptions = dict(fields)
        names = [*descriptions, *(key for key in state if key not in descriptions)]
        self._head(layer, len(state), len(names))
        if names != list(self._rows):
            self._build(names)
        now = time.time()
        for name in names:
            row = self._rows[name]
            row.show_value(state.get(name), known=name in state)
            row.describe(descriptions.get(name))
            row.show_change(layer.changes.get(name), now)
            if self._state is not None and self._state.get(name) != state.get(name):
                row.flash()
        self._state = dict(state)

    def _head(self, layer: LayerSnapshot, known: int, total: int) -> None:
        self._heading.setText(tr("{known} of {total} keys", known=known, total=total))
        self._size.setText(f"{layer.size} / {layer.max_chars}")
        self._size.setToolTip(tr("Characters of Σ as compact JSON, and how many it may have"))
        self._bar.setRange(0, max(layer.max_chars, 1))
        self._bar.setValue(min(layer.size, layer.max_chars))
        self._bar.setAccessibleName(
            tr(
                "Σ holds {size} of {most} characters",
                size=number(layer.size),
                most=number(layer.max_chars),
            )
        )
        hint = ""
        if not total:
            hint = tr(
                "This memory has no fields, so nothing can be kept."
                " Add some in the agent editor, under Memory."
            )
        elif not known:
            hint = tr(
                "Nothing is known yet. Send a message: after the reply, what matters is"
                " folded into these keys."
            )
        self._hint.setText(hint)
        self._hint.setVisible(bool(hint))
        self._copy.setEnabled(bool(known))

    def _build(self, names: Sequence[str]) -> None:
        """Rows for other keys, all in a new widget: added to one on the screen, each row would
        have the whole panel laid out anew."""
        keys = QWidget()
        column = QVBoxLayout(keys)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(XS)
        self._rows = {}
        for name in names:
            row = self._rows[name] = KeyRow(name, self._theme)
            row.message_wanted.connect(self.message_wanted)
            column.addWidget(row)
        replace(self, self._keys, keys)
        self._keys = keys

    def _to_clipboard(self) -> None:
        text = json.dumps(self._state or {}, indent=2, ensure_ascii=False)
        QGuiApplication.clipboard().setText(text)


class KeyRow(QFrame):
    """One key of Σ: its name, its value, and the moment it last changed."""

    message_wanted = Signal(str)

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

        self._label = QLabel(name)
        self._label.setTextFormat(Qt.TextFormat.PlainText)
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

        top = QHBoxLayout()
        top.setSpacing(S)
        top.addWidget(self._label)
        top.addWidget(self._old)
        top.addWidget(self._missing)
        top.addStretch(1)
        top.addWidget(self._when)
        column = QVBoxLayout(self)
        column.setContentsMargins(L, XS, S, XS)
        column.setSpacing(2)
        column.addLayout(top)
        column.addWidget(self._value)

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
