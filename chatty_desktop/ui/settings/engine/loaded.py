"""What is loaded now, what it takes, and the memory there is."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QProgressBar, QPushButton, QVBoxLayout, QWidget

from chatty_desktop.domain.engines import LoadedModel, Memory
from chatty_desktop.ui.elided import ElidedLabel
from chatty_desktop.ui.language import tr, trn
from chatty_desktop.ui.pieces import Words, emphasise
from chatty_desktop.ui.readable import size, when
from chatty_desktop.ui.theme import Theme, set_tone
from chatty_desktop.ui.tokens import XS, M, S

_STEPS = 1000

Key = tuple[str, str]
"""A loaded model by its reference and what it is for."""


class LoadedModels(QWidget):
    """A row for each model in memory, and how much is left.

    unload_wanted: the `LoadedModel` whose button was pressed.
    """

    unload_wanted = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._rows: dict[Key, _Row] = {}
        self.nothing = Words(
            tr("Nothing. A model is loaded with the first message to it, and stays as set above."),
            "muted",
        )
        self._list = QVBoxLayout()
        self._list.setSpacing(S)
        self.left = Words(tone="muted")
        self.left.setFont(theme.small())
        self.bar = QProgressBar()
        self.bar.setRange(0, _STEPS)
        self.bar.setTextVisible(False)
        self.bar.setAccessibleName(tr("Memory of this computer in use"))
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(M)
        column.addWidget(self.nothing)
        column.addLayout(self._list)
        below = QVBoxLayout()
        below.setSpacing(XS)
        below.addWidget(self.bar)
        below.addWidget(self.left)
        column.addLayout(below)

    def show_models(self, models: Sequence[LoadedModel], memory: Memory, now: float) -> None:
        """Draw what is loaded at the time `now`, seconds since 1970 UTC."""
        keys = [_key(model) for model in models]
        for gone in [key for key in self._rows if key not in keys]:
            row = self._rows.pop(gone)
            row.hide()
            row.deleteLater()
        for model in models:
            self._row(model).show_model(model, now)
        self.nothing.setVisible(not models)
        used = max(memory.total - memory.available, 0)
        self.bar.setValue(_STEPS * used // max(memory.total, 1))
        self.left.setText(
            tr(
                "{available} of {total} of this computer's memory can still be had.",
                available=size(memory.available),
                total=size(memory.total),
            )
        )

    def _row(self, model: LoadedModel) -> _Row:
        key = _key(model)
        if key not in self._rows:
            row = self._rows[key] = _Row(self._theme)
            row.unload_wanted.connect(self.unload_wanted)
            self._list.addWidget(row)
        return self._rows[key]


class _Row(QFrame):
    """One model in memory."""

    unload_wanted = Signal(object)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._model: LoadedModel | None = None
        self.setProperty("panel", "raised")
        self.name = ElidedLabel()
        emphasise(self.name)
        self.facts = Words(tone="muted")
        self.facts.setFont(theme.small())
        self.unload = QPushButton(tr("Unload"))
        self.unload.clicked.connect(lambda: self.unload_wanted.emit(self._model))
        words = QVBoxLayout()
        words.setSpacing(XS)
        words.addWidget(self.name)
        words.addWidget(self.facts)
        row = QHBoxLayout(self)
        row.setContentsMargins(M, S, M, S)
        row.setSpacing(M)
        row.addLayout(words, 1)
        row.addWidget(self.unload)

    def show_model(self, model: LoadedModel, now: float) -> None:
        self._model = model
        self.name.setText(model.reference)
        self.facts.setText(" · ".join(_facts(model, now)))
        set_tone(self.facts, "accent" if model.state == "busy" else "muted")
        # Not hidden: the row would jump with each answer.
        self.unload.setEnabled(model.state == "ready")
        self.unload.setToolTip("" if model.state == "ready" else tr("It is at work."))
        self.unload.setAccessibleName(tr("Unload {model}", model=model.reference))


def _key(model: LoadedModel) -> Key:
    return model.reference, model.purpose


def _facts(model: LoadedModel, now: float) -> list[str]:
    facts = [tr("chats") if model.purpose == "chat" else tr("embeds")]
    if model.state == "loading":
        return [*facts, tr("is being loaded …")]
    if model.state == "busy":
        facts.append(tr("at work"))
    if model.memory is not None:
        facts.append(size(model.memory))
    facts.append(trn("{count} token of context", "{count} tokens of context", model.context_length))
    facts.append(trn("{count} thread", "{count} threads", model.threads))
    if model.gpu_layers is not None:
        facts.append(trn("{count} layer on the GPU", "{count} layers on the GPU", model.gpu_layers))
    facts.append(tr("since {time}", time=when(model.since, now)))
    if model.unload_at is not None:
        facts.append(tr("until {time}", time=when(model.unload_at, now)))
    return facts
