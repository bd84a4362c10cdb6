"""State, in the editor: what Σ is for, its fields, how large it may be, and who folds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from PySide6.QtWidgets import QWidget

from chatty_desktop.domain.strategies import State
from chatty_desktop.ui.agents.fields_table import FieldsTable
from chatty_desktop.ui.agents.strategy_form import About, FormParts, Problems, StrategyForm
from chatty_desktop.ui.controls import Field, GrowingText, ModelPicker, Number
from chatty_desktop.ui.language import N_, tr


def _short(config: State) -> str:
    return tr("Keeps what matters in a state you can read")


def _sentence(config: State) -> str:
    names = [field.name.replace("_", " ") for field in config.fields]
    about = f" ({', '.join(names[:4])}{' …' if len(names) > 4 else ''})" if names else ""
    return tr(
        "This agent notes what matters{about} after each answer and goes on from its notes, "
        "not from the whole chat. Watch the notes fill on the right.",
        about=about,
    )


ABOUT = About(
    N_("State"),
    N_(
        "For long threads whose prompt must stop growing: a few keys hold what matters, and each"
        " reply folds what is new into them."
    ),
    _short,
    _sentence,
)
_FIELDS_HINT = N_(
    "Short names and plain descriptions serve small models best."
    " Drag a row, or press Alt+Up and Alt+Down, to move it."
)


class Form(StrategyForm):
    """The fields of a State strategy."""

    def __init__(self, parts: FormParts, parent: QWidget | None = None) -> None:
        super().__init__(parts, parent)
        theme = parts.theme
        self._spec = GrowingText(2, 8)
        self._spec.setPlaceholderText(
            tr("Keep what this person is working on and what is still open.")
        )
        self.table = FieldsTable(theme)
        self._fields_field = Field(tr("Fields"), self.table, theme, tr(_FIELDS_HINT))
        self._max_chars = Number(2, 1_000_000)
        self._max_chars.setSingleStep(500)
        self._model = ModelPicker(parts.choices, tr("Chosen by the settings"))
        self.add_field("spec", Field(tr("What to keep"), self._spec, theme))
        self.add_field("fields", self._fields_field)
        self.add_field(
            "max_chars",
            Field(
                tr("Most characters"),
                self._max_chars,
                theme,
                tr(
                    "Of all that is kept, as compact JSON. A change that would exceed it is"
                    " refused."
                ),
            ),
        )
        self.add_field(
            "model",
            Field(
                tr("Model that folds"),
                self._model,
                theme,
                tr("It is asked once after each reply. A small, quick one will do."),
            ),
        )
        self.set({})
        self._spec.textChanged.connect(self.changed)
        self.table.changed.connect(self._fields_changed)
        self._max_chars.valueChanged.connect(self.changed)
        self._model.edited.connect(self.changed)

    def set(self, config: Mapping[str, Any]) -> None:
        defaults = State()
        self._spec.setPlainText(config.get("spec", defaults.spec))
        self.table.model.set_fields(config.get("fields", ()))
        self._max_chars.setValue(config.get("max_chars", defaults.max_chars))
        self._model.set(config.get("model"))
        self._fields_field.hint(tr(_FIELDS_HINT))

    def value(self) -> dict[str, Any]:
        return {
            "kind": "state",
            "spec": self._spec.toPlainText(),
            "fields": self.table.model.fields(),
            "max_chars": self._max_chars.value(),
            "model": self._model.value(),
        }

    def show_problems(self, problems: Problems) -> list[tuple[str, str]]:
        cells = [
            (path.removeprefix("fields").removeprefix("."), reason)
            for path, reason in problems
            if path == "fields" or path.startswith("fields.")
        ]
        left = super().show_problems([p for p in problems if not p[0].startswith("fields")])
        self._fields_field.say(self.table.show_problems(cells))
        return left

    def _fields_changed(self) -> None:
        gone = self.table.model.gone()
        hint = tr(_FIELDS_HINT)
        if gone:
            names = ", ".join(gone)
            hint = tr(
                "Chats that already keep something under {names} keep it under that name; the"
                " inspector marks it as no longer a field.",
                names=names,
            )
        self._fields_field.hint(hint)
        self.changed.emit()
