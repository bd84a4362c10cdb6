"""What a prompt of an MCP server wants filled in."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from chatty_desktop.domain.mcp import McpPrompt
from chatty_desktop.ui.chat.offers.rows import about, name_of
from chatty_desktop.ui.controls import Field, GrowingText
from chatty_desktop.ui.language import tr
from chatty_desktop.ui.pieces import Words, emphasise
from chatty_desktop.ui.readable import shortened
from chatty_desktop.ui.theme import Theme
from chatty_desktop.ui.tokens import XS, L

_LABEL_CHARS, _HINT_CHARS = 80, 500


class _Value(GrowingText):
    """Enter sends the form; Shift+Enter begins a new line, as in the composer."""

    submitted = Signal()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if enter and not event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            self.submitted.emit()
        else:
            super().keyPressEvent(event)


class ArgumentForm(QWidget):
    """One field for each argument. submitted: Enter was pressed in one."""

    submitted = Signal()

    def __init__(self, prompt: McpPrompt, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.prompt = prompt
        self.fields: dict[str, Field] = {}
        title = Words(name_of(prompt))
        emphasise(title)
        words = QVBoxLayout()
        words.setSpacing(XS)
        words.addWidget(title)
        if prompt.description:
            words.addWidget(Words(about(prompt), "muted"))
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, XS, 0)
        column.setSpacing(L)
        column.addLayout(words)
        for argument in prompt.arguments:
            name = shortened(" ".join(argument.name.split()), _LABEL_CHARS, 1)
            label = tr("{name} (required)", name=name) if argument.required else name
            value = _Value(1, 6)
            value.submitted.connect(self.submitted)
            hint = shortened(" ".join(argument.description.split()), _HINT_CHARS, 1)
            self.fields[argument.name] = Field(label.replace("&", "&&"), value, theme, hint)
            value.setAccessibleName(label)
            column.addWidget(self.fields[argument.name])
        column.addStretch(1)

    def begin(self) -> None:
        """Put the keyboard into the first field."""
        next(iter(self.fields.values())).control.setFocus()

    def values(self) -> dict[str, str] | None:
        """What was filled in; None when something is missing, which is said beside its field."""
        filled: dict[str, str] = {}
        missing: list[Field] = []
        for argument in self.prompt.arguments:
            field = self.fields[argument.name]
            assert isinstance(field.control, GrowingText)
            text = field.control.toPlainText()
            lacks = argument.required and not text.strip()
            field.say(tr("This has to be filled in.") if lacks else "")
            if lacks:
                missing.append(field)
            elif text:
                filled[argument.name] = text
        if missing:
            missing[0].control.setFocus()
            return None
        return filled
