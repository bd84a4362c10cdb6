"""What there is to say of a provider: its address, its name, its key, its context."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtWidgets import QLineEdit, QMenu, QVBoxLayout, QWidget

from chatty_desktop.domain.settings import ProviderKind, ProviderSettings
from chatty_desktop.ui.controls import Field, Number
from chatty_desktop.ui.language import tr
from chatty_desktop.ui.pieces import TextButton, Words
from chatty_desktop.ui.settings.providers.key_field import KeyField
from chatty_desktop.ui.settings.providers.trial import TrialView
from chatty_desktop.ui.settings.providers.words import KNOWN_ADDRESSES, OLLAMA_ADDRESS, KnownAddress
from chatty_desktop.ui.theme import Theme
from chatty_desktop.ui.tokens import XS, M

LEAST_CONTEXT = 256
"""Tokens; less is no context that a chat fits in."""


class ProviderForm(QWidget):
    """The fields of one provider, of one that is there or of a new one.

    address_written, name_written, context_written: the person is through with that field.
    address_known: the person picked one of the known addresses.
    edited: something is another than what was tested.
    page_wanted: another page of the settings is where they want to go.
    """

    address_written = Signal()
    name_written = Signal()
    context_written = Signal()
    address_known = Signal(object)
    edited = Signal()
    page_wanted = Signal(str)

    def __init__(
        self, theme: Theme, kind: ProviderKind, *, saves_key: bool, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._base = ProviderSettings(id="new", kind=kind)
        self.address = Field(tr("Address"), QLineEdit(), theme)
        self.known = TextButton(tr("Known addresses …"))
        self.known.clicked.connect(self._offer)
        self.name = Field(
            tr("Name"),
            QLineEdit(),
            theme,
            tr("What it is called in the names of its models, such as {name}/small.", name="lab"),
        )
        self.key = KeyField(theme, saves=saves_key)
        self.context = Field(tr("Context length"), _context(), theme)
        self.local = _Local()
        self.local.page_wanted.connect(self.page_wanted)
        self.trial = TrialView(theme)
        self.trial.page_wanted.connect(self.page_wanted)
        self.trial.address_wanted.connect(self._take)
        self._connect()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(M)
        place = QVBoxLayout()
        place.setSpacing(XS)
        place.addWidget(self.address)
        place.addWidget(self.known, 0, Qt.AlignmentFlag.AlignLeft)
        column.addLayout(place)
        for part in (self.name, self.key, self.context, self.local, self.trial):
            column.addWidget(part)
        self.show_kind(kind)

    # --- fields by their own types -------------------------------------------------------------

    @property
    def address_line(self) -> QLineEdit:
        assert isinstance(self.address.control, QLineEdit)
        return self.address.control

    @property
    def name_line(self) -> QLineEdit:
        assert isinstance(self.name.control, QLineEdit)
        return self.name.control

    @property
    def context_number(self) -> Number:
        assert isinstance(self.context.control, Number)
        return self.context.control

    # --- what it shows and says ----------------------------------------------------------------

    def show_kind(self, kind: ProviderKind) -> None:
        """Have the fields of that kind."""
        self._base = self._base.model_copy(update={"kind": kind})
        served = kind != "llama_cpp"
        for part in (self.address, self.key, self.context):
            part.setVisible(served)
        self.known.setVisible(kind == "openai")
        self.local.setVisible(not served)
        if kind == "ollama":
            self.address_line.setPlaceholderText(OLLAMA_ADDRESS)
            self.address.hint(tr("Leave it empty for the Ollama on this computer."))
            self.context.hint(
                tr(
                    "How much of a chat its models read at once, in tokens of about four letters."
                    " Automatic: 8192. More takes more memory."
                )
            )
        else:
            self.address_line.setPlaceholderText("http://127.0.0.1:8080/v1")
            self.address.hint(tr("With or without /v1 at its end: both are found."))
            self.context.hint(
                tr(
                    "How much of a chat its models read at once, in tokens of about four letters."
                    " Automatic: what the server says."
                )
            )

    def show_entry(self, entry: ProviderSettings) -> None:
        """Show what the settings hold. A field whose value did not change keeps what is written
        in it: that may be in the making, or wrong and waiting to be mended."""
        before, self._base = self._base, entry
        if before.kind != entry.kind:
            self.show_kind(entry.kind)
        first = not self.name_line.text()
        for line, was, now in (
            (self.address_line, before.base_url or "", entry.base_url or ""),
            (self.name_line, before.id, entry.id),
        ):
            if (first or was != now) and line.text() != now and not line.isModified():
                line.setText(now)
        if first or before.context_length != entry.context_length:
            self.context_number.setValue(entry.context_length or 0)

    def written_address(self) -> str | None:
        """The address as it stands there, None for none."""
        return self.address_line.text().strip() or None

    def written_name(self) -> str:
        return self.name_line.text().strip()

    def written_context(self) -> int | None:
        """Tokens, None for automatic."""
        return self.context_number.value() or None

    def written(self, name: str) -> ProviderSettings:
        """The provider as it stands there, under a name; not checked."""
        return self._base.model_copy(
            update={
                "id": name,
                "base_url": self.written_address(),
                "context_length": self.written_context(),
            }
        )

    def fits(self) -> bool:
        """Whether the context could be one; says so beside the field where not."""
        context = self.written_context()
        too_little = context is not None and context < LEAST_CONTEXT
        least = tr("At least {least} tokens, or 0 for automatic.", least=LEAST_CONTEXT)
        self.context.say(least if too_little else "")
        return not too_little

    # --- what happens in it --------------------------------------------------------------------

    def _connect(self) -> None:
        for line, signal in (
            (self.address_line, self.address_written),
            (self.name_line, self.name_written),
        ):
            line.editingFinished.connect(lambda line=line, signal=signal: _tell(line, signal))
        self.context_number.editingFinished.connect(self.context_written)
        self.address_line.textChanged.connect(self._mark)
        self.key.line.textChanged.connect(self._mark)

    def _mark(self) -> None:
        self.address.say("")
        self.trial.forget()
        self.edited.emit()

    def _offer(self) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for known in KNOWN_ADDRESSES:
            action = menu.addAction(f"{known.title}\t{known.address}")
            action.triggered.connect(lambda _checked=False, known=known: self.pick(known))
        menu.popup(self.known.mapToGlobal(QPoint(0, self.known.height())))

    def pick(self, known: KnownAddress) -> None:
        """Write one of the known addresses."""
        self._take(known.address)
        self.address_known.emit(known)

    def _take(self, address: str) -> None:
        self.address_line.setText(address)
        self.address_written.emit()


class _Local(QWidget):
    """Where the rest about the models that the app runs itself is."""

    page_wanted = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        words = Words(
            tr("Which model files it offers, and how they are run, is on pages of their own."),
            "muted",
        )
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(XS)
        column.addWidget(words)
        for text, page in (
            (tr("Get models"), "downloads"),
            (tr("Models"), "models"),
            (tr("Local engine"), "engine"),
        ):
            link = TextButton(text)
            link.clicked.connect(lambda _checked=False, page=page: self.page_wanted.emit(page))
            column.addWidget(link, 0, Qt.AlignmentFlag.AlignLeft)


def _context() -> Number:
    number = Number(0, 10_000_000)
    number.setSpecialValueText(tr("Automatic"))
    number.setSingleStep(1024)
    return number


def _tell(line: QLineEdit, signal: object) -> None:
    """Once for each change: the signal of the line comes with Enter and with the focus gone."""
    if line.isModified():
        line.setModified(False)
        signal.emit()  # type: ignore[attr-defined]
