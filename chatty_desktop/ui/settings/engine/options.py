"""How the local engine of one provider works: threads, context, graphics processor, memory."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QLocale, Signal
from PySide6.QtWidgets import QAbstractSpinBox, QSizePolicy, QVBoxLayout, QWidget

from chatty_desktop.domain.engines import GpuDevice, ModelNeeds
from chatty_desktop.domain.settings import ProviderSettings
from chatty_desktop.ui.controls import Choice, Field, Number
from chatty_desktop.ui.language import number, tr, translated, trn
from chatty_desktop.ui.pieces import Words
from chatty_desktop.ui.readable import size
from chatty_desktop.ui.theme import Theme
from chatty_desktop.ui.tokens import M

USUAL_CONTEXT = 8192
"""Tokens the engine is started with where nothing is set."""

_LONGEST_CONTEXT = 4_194_304
_STEP = 1024
_WIDEST = 320
"""Pixels."""

_MOST_THREADS, _MOST_LAYERS = 1024, 10_000
_MINUTES = (None, 0.0, 5.0, 15.0, 30.0, 60.0, 240.0)
"""For how long a model may stay loaded: what is offered."""


class EngineOptions(QWidget):
    """The fields of one provider.

    changed: the name of a field of `ProviderSettings`, its new value, and the `Field` beside which
    it is said what speaks against it.
    """

    changed = Signal(str, object, object)

    def __init__(self, cores: int, theme: Theme, parent: QWidget | None = None) -> None:
        """`cores`: how many processor cores this computer has."""
        super().__init__(parent)
        self._entry: ProviderSettings | None = None
        self._model = ""
        self._needs: ModelNeeds | None = None
        self._made_for: int | None = None
        self.threads = _field(0, _MOST_THREADS, tr("Automatic"))
        self.context = _field(
            0, _LONGEST_CONTEXT, tr("Usual ({count})", count=number(USUAL_CONTEXT))
        )
        self.context.setSingleStep(_STEP)
        self.gpu_layers = _field(-1, _MOST_LAYERS, tr("As many as fit"))
        self.stay = Choice()
        self.stay.setMaximumWidth(_WIDEST)
        self.no_gpu = Words(tone="muted")
        self.threads_field = Field(tr("Threads"), self.threads, theme, _threads_hint(cores))
        self.context_field = Field(tr("Context length in tokens"), self.context, theme)
        self.gpu_field = Field(tr("Layers on the graphics processor"), self.gpu_layers, theme)
        self.stay_field = Field(
            tr("A model stays loaded"),
            self.stay,
            theme,
            tr(
                "A loaded model answers at once, and holds its memory all the while. Loading it"
                " again takes some seconds."
            ),
        )
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(M)
        for field in (self.threads_field, self.context_field, self.gpu_field):
            column.addWidget(field)
        column.addWidget(self.no_gpu)
        column.addWidget(self.stay_field)
        self.gpu_field.hide()
        self.no_gpu.hide()
        self.threads.editingFinished.connect(
            lambda: self._tell("threads", self.threads.value() or None, self.threads_field)
        )
        self.context.editingFinished.connect(
            lambda: self._tell("context_length", self.context.value() or None, self.context_field)
        )
        self.gpu_layers.editingFinished.connect(self._tell_layers)
        self.context.valueChanged.connect(self._show_cost)
        self.stay.activated.connect(
            lambda _row: self._tell("keep_alive_minutes", self.stay.currentData(), self.stay_field)
        )

    def show_entry(self, entry: ProviderSettings) -> None:
        """Draw what is set; what is being typed stays."""
        self._entry = entry
        _show(self.threads, entry.threads or 0)
        _show(self.context, entry.context_length or 0)
        _show(self.gpu_layers, -1 if entry.gpu_layers is None else entry.gpu_layers)
        self._fill_stay(entry.keep_alive_minutes)
        self._show_cost()

    def show_model(self, model: str, needs: ModelNeeds | None, made_for: int | None) -> None:
        """The model whose memory stands beside the context, by its name for people; `made_for` is
        the longest context it was made for, in tokens, None where that is not known."""
        self._model, self._needs, self._made_for = model, needs, made_for
        self._show_cost()

    def show_gpus(self, devices: Sequence[GpuDevice], problem: str = "") -> None:
        """The graphics processors there are for the engine, or why that cannot be told."""
        self.gpu_field.setVisible(bool(devices))
        self.no_gpu.setVisible(not devices)
        self.no_gpu.setText(
            translated(problem)
            or tr(
                "This build of the engine has no GPU support, or there is no GPU that it can use:"
                " models run on the processor."
            )
        )
        names = ", ".join(_told(device) for device in devices)
        self.gpu_field.hint(
            tr(
                "How much of a model is worked on by {names}. More is faster, until its memory is"
                " full; 0 leaves it to the processor.",
                names=names,
            )
        )

    # --- what is changed ---------------------------------------------------------------------

    def _tell_layers(self) -> None:
        layers = self.gpu_layers.value()
        self._tell("gpu_layers", None if layers < 0 else layers, self.gpu_field)

    def _tell(self, name: str, value: object, field: Field) -> None:
        if self._entry is not None and getattr(self._entry, name) != value:
            self.changed.emit(name, value, field)

    # --- drawing -----------------------------------------------------------------------------

    def _fill_stay(self, minutes: float | None) -> None:
        offered = list(_MINUTES)
        if minutes not in offered:
            offered.append(minutes)
        if self.stay.count() != len(offered) or self.stay.currentData() != minutes:
            self.stay.clear()
            for each in offered:
                self.stay.addItem(_stay(each), each)
            self.stay.setCurrentIndex(offered.index(minutes))

    def _show_cost(self) -> None:
        context = self.context.value() or USUAL_CONTEXT
        lines = [
            tr(
                "How much of a chat the model can see at once; a token is about four letters."
                " Models for which another length is set keep that."
            )
        ]
        if self._needs is not None:
            lines.append(self._cost(self._needs, context))
        if self._made_for is not None and context > self._made_for:
            lines.append(
                tr(
                    "{model} was made for {count} at most, and answers badly beyond.",
                    model=self._model,
                    count=number(self._made_for),
                )
            )
        self.context_field.hint(" ".join(lines))

    def _cost(self, needs: ModelNeeds, context: int) -> str:
        with_it = tr(
            "{model} takes about {size} of memory with it.",
            model=self._model,
            size=size(needs.of(context)),
        )
        more = needs.of(2 * context) - needs.of(context)
        if not more:
            return with_it
        twice = tr(
            "{count} would take about {size} more.", count=number(2 * context), size=size(more)
        )
        return f"{with_it} {twice}"


def _field(least: int, most: int, least_words: str) -> Number:
    """A number whose least value stands for a choice that is not the person's."""
    field = Number(least, most)
    field.setSpecialValueText(least_words)
    field.setGroupSeparatorShown(True)
    # As wide as its longest words want, in letters of any size.
    field.setMaximumWidth(_WIDEST)
    field.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
    # What is typed is not a choice before it is whole.
    field.setKeyboardTracking(False)
    field.setCorrectionMode(QAbstractSpinBox.CorrectionMode.CorrectToNearestValue)
    return field


def _show(field: Number, value: int) -> None:
    if not field.hasFocus():
        field.setValue(value)


def _threads_hint(cores: int) -> str:
    has = trn("This computer has {count} core", "This computer has {count} cores", cores)
    return tr(
        "How many cores of the processor work on an answer at once. {has}; automatic takes what"
        " suits it. More than there are makes it slower.",
        has=has,
    )


def _told(device: GpuDevice) -> str:
    return tr(
        "{name} ({free} of {total} free)",
        name=device.name,
        free=size(device.memory_free),
        total=size(device.memory_total),
    )


def _stay(minutes: float | None) -> str:
    if minutes is None:
        return tr("Until another one takes its place")
    if minutes == 0:
        return tr("Only while it answers")
    if minutes >= 60 and minutes % 60 == 0:
        return trn(
            "{count} hour after its last use",
            "{count} hours after its last use",
            int(minutes // 60),
        )
    if minutes == int(minutes):
        return trn(
            "{count} minute after its last use", "{count} minutes after its last use", int(minutes)
        )
    return tr("{minutes} minutes after its last use", minutes=QLocale().toString(minutes))
