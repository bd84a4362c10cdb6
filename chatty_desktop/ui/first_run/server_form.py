"""A server's address, its key, and whether it answers."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QPushButton, QVBoxLayout, QWidget

from chatty_desktop.domain.first_run import ServerModel, server_at
from chatty_desktop.domain.provider_tests import ProviderTest
from chatty_desktop.domain.settings import ProviderSettings
from chatty_desktop.ui.controls import Choice, Field
from chatty_desktop.ui.language import tr, translated, trn
from chatty_desktop.ui.pieces import Words
from chatty_desktop.ui.theme import Theme, set_tone
from chatty_desktop.ui.tokens import M


class ServerForm(QWidget):
    """What is typed must be tested before it can be used: a typing error would show only with
    the first message.

    test_wanted: the person wants to know whether it answers.
    changed: there is a model to use now, or none any more.
    """

    test_wanted = Signal()
    changed = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._server: ProviderSettings | None = None
        self.address, self.key = QLineEdit(), QLineEdit()
        self.address.setPlaceholderText("http://192.168.1.20:8080")
        self.key.setEchoMode(QLineEdit.EchoMode.Password)
        self.address_field = Field(
            tr("Address"),
            self.address,
            theme,
            tr("As the server or the service names it: LM Studio, llama.cpp, vLLM, OpenAI, …"),
        )
        self._key_field = Field(
            tr("Key"),
            self.key,
            theme,
            tr("Only if it wants one. It is kept in the system's keyring."),
        )
        self.test = QPushButton(tr("Test"))
        self.test.clicked.connect(self.test_wanted)
        self.result = Words(tone="muted")
        self.model = Choice()
        self.model.setEditable(True)
        self.model_field = Field(
            tr("Model"), self.model, theme, tr("One that is not in the list can be typed.")
        )
        row = QHBoxLayout()
        row.setSpacing(M)
        row.addWidget(self.test, 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(self.result, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(M)
        column.addWidget(self.address_field)
        column.addWidget(self._key_field)
        column.addLayout(row)
        column.addWidget(self.model_field)
        self.model_field.hide()
        for line in (self.address, self.key):
            line.textEdited.connect(self._edited)
        self.model.editTextChanged.connect(self.changed)

    @property
    def typed(self) -> ProviderSettings | None:
        """The server as it is typed, None without an address."""
        text = self.address.text().strip()
        return server_at(text) if text else None

    @property
    def secret(self) -> str:
        return self.key.text().strip()

    def chosen(self) -> ServerModel | None:
        """The model to use, once the server has answered."""
        name = self.model.currentText().strip()
        if self._server is None or not name:
            return None
        return ServerModel(self._server, name, listed=self.model.findText(name) >= 0)

    def begin(self) -> None:
        """It is being asked."""
        self.test.setEnabled(False)
        self.address_field.say("")
        set_tone(self.result, "muted")
        self.result.setText(tr("Asking it …"))

    def show_test(self, server: ProviderSettings, tested: ProviderTest) -> None:
        """Show what came of it; `server` is the one that was asked."""
        if self.typed != server:
            return
        self.test.setEnabled(True)
        self.address_field.say(tested.problem)
        if tested.problem:
            self.result.setText("")
            return
        better = tested.better_address
        self._server = server.model_copy(update={"base_url": better}) if better else server
        count = len(tested.models)
        said = trn("It answers, with {count} model.", "It answers, with {count} models.", count)
        if not tested.lists:
            said = tr("It answers, but does not list its models. Type the name of one.")
        set_tone(self.result, "success")
        self.result.setText(" ".join(part for part in (said, translated(tested.remark)) if part))
        self.model.blockSignals(True)
        self.model.clear()
        self.model.addItems(list(tested.models))
        self.model.blockSignals(False)
        self.model_field.show()
        self.changed.emit()

    def _edited(self) -> None:
        """What was found out was found out of another server."""
        self._server = None
        self.test.setEnabled(True)
        self.address_field.say("")
        self.result.setText("")
        self.model_field.hide()
        self.changed.emit()
