"""A value of Σ, written by the person: as text, as a list, or as JSON."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from PySide6.QtWidgets import QWidget

from chatty_desktop.domain.errors import Invalid
from chatty_desktop.domain.json_text import NotJson, read_json
from chatty_desktop.ui.controls import Choice, Field
from chatty_desktop.ui.inspector.words_dialog import WordsDialog
from chatty_desktop.ui.language import tr
from chatty_desktop.ui.theme import Theme

TEXT, LIST, JSON = "text", "list", "json"


class KeyDialog(WordsDialog):
    """`keep` is called with the value, what to call when it was kept, and what to call with the
    reason when it was refused."""

    def __init__(
        self,
        key: str,
        description: str,
        value: Any,
        keep: Callable[[Any, Callable[[], object], Callable[[str], None]], None],
        theme: Theme,
        parent: QWidget,
    ) -> None:
        form = form_of(value)
        super().__init__(
            tr("Edit “{key}”", key=key), key, written(value, form), self._keeping, theme, parent
        )
        self._keep = keep
        self.field.hint(description)
        self.form = Choice()
        for name, words in (
            (TEXT, tr("Text")),
            (LIST, tr("A list, one entry a line")),
            (JSON, tr("JSON")),
        ):
            self.form.addItem(words, name)
        self.form.setCurrentIndex(self.form.findData(form))
        self.column.insertWidget(1, Field(tr("Kept as"), self.form, theme))
        self.resize(self.width(), self.sizeHint().height())

    def _keeping(
        self, text: str, done: Callable[[], object], failed: Callable[[str], None]
    ) -> None:
        try:
            value = read(text, self.form.currentData())
        except Invalid as problem:
            failed(str(problem))
            return
        self._keep(value, done, failed)


def form_of(value: Any) -> str:
    """How a value is best written."""
    if value is None or isinstance(value, str):
        return TEXT
    plain = isinstance(value, list) and all(isinstance(i, str) and "\n" not in i for i in value)
    return LIST if plain else JSON


def written(value: Any, form: str) -> str:
    """A value as the person edits it."""
    if value is None:
        return ""
    if form == TEXT:
        return str(value)
    if form == LIST:
        return "\n".join(value)
    return json.dumps(value, ensure_ascii=False, indent=2)


def read(text: str, form: str) -> Any:
    """The value that was written. Raises `Invalid`."""
    if form == LIST:
        return [line.strip() for line in text.splitlines() if line.strip()]
    if form == TEXT:
        if not text.strip():
            raise Invalid(tr("Write something. To be rid of the key, forget it."))
        return text.strip()
    try:
        value = read_json(text)
    except NotJson as error:
        raise Invalid(tr("This is not JSON: {error}", error=error)) from error
    if value is None:
        raise Invalid(tr("Write something. To be rid of the key, forget it."))
    return value
