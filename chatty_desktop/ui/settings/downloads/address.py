"""A model from any address, and downloads that belong to no card."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QPushButton, QVBoxLayout, QWidget

from chatty_desktop.domain.downloads import Download
from chatty_desktop.ui.controls import Field
from chatty_desktop.ui.language import tr
from chatty_desktop.ui.plain import tip
from chatty_desktop.ui.settings.downloads.card import ModelCard
from chatty_desktop.ui.theme import Theme
from chatty_desktop.ui.tokens import M, S


class AddressForm(QWidget):
    """get_wanted: with the address and the checksum, "" for none."""

    get_wanted = Signal(str, str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.address = QLineEdit()
        self.address.setPlaceholderText("https://…/model.gguf")
        self.checksum = QLineEdit()
        self.checksum.setPlaceholderText(tr("Optional"))
        self.field = Field(
            tr("Address of the file"),
            self.address,
            theme,
            tr("A file that ends in .gguf; the page of one file on Hugging Face will do."),
        )
        self.checksum_field = Field(
            tr("Checksum (SHA-256)"),
            self.checksum,
            theme,
            tr("If the source tells it: what comes is held against it."),
        )
        self.button = QPushButton(tr("Download"))
        self.button.setAccessibleName(tr("Download from the address"))
        self.button.setAutoDefault(False)
        self.button.setEnabled(False)
        self.button.clicked.connect(self._get)
        for line in (self.address, self.checksum):
            line.returnPressed.connect(self._get)
        self.address.textChanged.connect(self._typed)
        self.checksum.textChanged.connect(lambda: self.checksum_field.say(""))
        last = QHBoxLayout()
        last.addWidget(self.button)
        last.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(M)
        column.addWidget(self.field)
        column.addWidget(self.checksum_field)
        column.addLayout(last)

    def clear(self) -> None:
        """What was given is on its way."""
        self.address.clear()
        self.checksum.clear()

    def _typed(self, text: str) -> None:
        self.field.say("")
        self.button.setEnabled(bool(text.strip()))

    def _get(self) -> None:
        if self.address.text().strip():
            self.get_wanted.emit(self.address.text(), self.checksum.text())


class OtherDownloads(QWidget):
    """Downloads of models that nothing else on the page stands for.

    made: a new card has come, with the `ModelCard`.
    """

    made = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.cards: dict[str, ModelCard] = {}
        self._rows = QVBoxLayout(self)
        self._rows.setContentsMargins(0, 0, 0, 0)
        self._rows.setSpacing(S)
        self.hide()

    def show_downloads(self, downloads: Sequence[Download]) -> None:
        """Draw them as they stand; those that are through are gone from here."""
        shown = {d.id: d for d in downloads if d.state not in ("finished", "gone")}
        for download_id in [known for known in self.cards if known not in shown]:
            card = self.cards.pop(download_id)
            self._rows.removeWidget(card)
            card.hide()
            card.deleteLater()
        for download_id, download in shown.items():
            if download_id not in self.cards:
                self.cards[download_id] = ModelCard(self._theme, download.name)
                self._rows.addWidget(self.cards[download_id])
                self.made.emit(self.cards[download_id])
            self.cards[download_id].setToolTip(tip(download.url))
            self.cards[download_id].show_download(download)
        self.setVisible(bool(shown))
