"""A provider that is not there yet."""

from __future__ import annotations

from collections.abc import Callable, Collection
from urllib.parse import urlsplit

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from chatty_desktop.domain.settings import ProviderSettings
from chatty_desktop.ui.controls import Choice, Field
from chatty_desktop.ui.language import tr
from chatty_desktop.ui.pieces import emphasise
from chatty_desktop.ui.plain import Label
from chatty_desktop.ui.settings.providers.form import ProviderForm
from chatty_desktop.ui.settings.providers.words import KINDS, Kind, KnownAddress
from chatty_desktop.ui.theme import Theme
from chatty_desktop.ui.tokens import M, S

Taken = Callable[[], Collection[str]]
"""The names that other providers have."""


class NewProvider(QFrame):
    """The form of a provider to add.

    add_wanted: this one, with this key ("" for none). cancelled: none after all.
    """

    add_wanted = Signal(object, str)
    cancelled = Signal()

    def __init__(self, theme: Theme, taken: Taken, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("panel", "raised")
        self._taken = taken
        self._suggested = ""
        title = self.title = Label(tr("Add a provider"))
        emphasise(title)
        self.kinds = Choice()
        for kind in KINDS:
            self.kinds.addItem(tr(kind.title))
        self.kind = Field(tr("What is it?"), self.kinds, theme)
        self.form = ProviderForm(theme, KINDS[0].kind, saves_key=False)
        self.add = QPushButton(tr("Add"))
        self.add.setProperty("kind", "primary")
        self.cancel = QPushButton(tr("Cancel"))
        self.cancel.setProperty("kind", "quiet")
        buttons = QHBoxLayout()
        buttons.setSpacing(S)
        buttons.addWidget(self.add)
        buttons.addWidget(self.cancel)
        buttons.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(M, M, M, M)
        column.setSpacing(M)
        column.addWidget(title)
        column.addWidget(self.kind)
        column.addWidget(self.form)
        column.addLayout(buttons)
        self.kinds.currentIndexChanged.connect(self._show_kind)
        self.form.address_known.connect(self._called)
        self.form.address_written.connect(self._suggest_by_address)
        self.form.name_line.textEdited.connect(lambda _text: self.form.name.say(""))
        self.form.key.line.returnPressed.connect(self._add)
        self.add.clicked.connect(self._add)
        self.cancel.clicked.connect(self.cancelled)
        self._show_kind()

    @property
    def chosen(self) -> Kind:
        return KINDS[self.kinds.currentIndex()]

    def written(self) -> ProviderSettings:
        """The provider as it stands there; not checked."""
        entry = self.form.written(self.form.written_name())
        if self.chosen.kind == "llama_cpp":
            entry = entry.model_copy(update={"base_url": None, "context_length": None})
        return entry

    def written_key(self) -> str:
        """The key as it stands there, "" for none."""
        return self.form.key.typed() or ""

    def _show_kind(self) -> None:
        self.kind.hint(tr(self.chosen.hint))
        self.form.show_kind(self.chosen.kind)
        self.form.trial.forget()
        self._suggest(self.chosen.name)

    def _called(self, known: KnownAddress) -> None:
        self._suggest(known.name)

    def _suggest_by_address(self) -> None:
        """Name it after its computer, unless it is this one."""
        if self._suggested not in (self._free(self.chosen.name), ""):
            return
        text = self.form.written_address() or ""
        try:
            host = urlsplit(text if "://" in text else f"http://{text}").hostname or ""
        except ValueError:
            return
        labels = [label for label in host.split(".") if label not in ("www", "api")]
        if labels and not host.replace(".", "").isdigit() and host != "localhost":
            self._suggest(labels[0])

    def _suggest(self, name: str) -> None:
        """Write a name that is free, unless the person wrote one."""
        if self.form.written_name() in ("", self._suggested):
            self._suggested = self._free(name)
            self.form.name_line.setText(self._suggested)

    def _free(self, name: str) -> str:
        taken = self._taken()
        numbers = (f"{name}-{number}" for number in range(2, len(taken) + 3))
        return next((n for n in (name, *numbers) if n not in taken), name)

    def _add(self) -> None:
        form = self.form
        problem = name_problem(form.written_name(), self._taken())
        form.name.say(problem)
        needs_address = self.chosen.kind == "openai" and not form.written_address()
        form.address.say(tr("Write the address of the server.") if needs_address else "")
        if problem or needs_address or not form.fits():
            return
        self.add_wanted.emit(self.written(), self.written_key())


def name_problem(name: str, taken: Collection[str]) -> str:
    """What speaks against a provider's name, "" when nothing does."""
    if not name:
        return tr("Give it a name.")
    if "/" in name:
        return tr("A name has no slash in it: that divides it from the names of its models.")
    if len(name) > 64:
        return tr("A name has at most 64 letters.")
    return tr("There is a provider of that name already.") if name in taken else ""
