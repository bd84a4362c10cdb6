"""The question before everything is deleted: what goes, how much of it, and a word to type."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QDialog,
    QHBoxLayout,
    QLineEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from chatty_desktop.domain.data_folder import DataCounts, Erasing, PlaceSize
from chatty_desktop.ui.controls import Field
from chatty_desktop.ui.language import tr, trn
from chatty_desktop.ui.pieces import Words
from chatty_desktop.ui.plain import Label
from chatty_desktop.ui.settings.data import words
from chatty_desktop.ui.theme import Theme
from chatty_desktop.ui.tokens import L, M, S


class EraseQuestion(QDialog):
    """Asks in a box of its own.

    erase_wanted: the person typed the word and pressed Delete; with an `Erasing`.
    """

    erase_wanted = Signal(object)

    def __init__(
        self,
        theme: Theme,
        *,
        everything: bool,
        counts: DataCounts,
        models: PlaceSize,
        backups: PlaceSize,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._everything = everything
        self._word = tr("delete")
        title = tr("Delete everything") if everything else tr("Delete all chats and memory")
        self.setWindowTitle(title)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        heading = Label(title)
        heading.setFont(theme.heading())
        self.what = Words("\n".join(_lines(everything, counts, models)))
        self.stays = Words(
            tr("Settings and keys stay.")
            if everything
            else tr("Agents, models and settings stay."),
            "muted",
        )
        self.backups = QCheckBox(
            trn(
                "Delete the backup in the data folder too ({size})",
                "Delete the {count} backups in the data folder too ({size})",
                backups.files,
                size=words.size(backups.bytes),
            )
        )
        self.backups.setChecked(True)
        self.backups.setVisible(backups.files > 0)
        self.typed = QLineEdit()
        field = Field(
            tr("Type “{word}” to go on", word=self._word),
            self.typed,
            theme,
            tr("This cannot be undone."),
        )
        self.delete = QPushButton(tr("Delete"))
        self.delete.setProperty("kind", "danger")
        self.delete.setEnabled(False)
        self.delete.setAutoDefault(False)
        self.cancel = QPushButton(tr("Cancel"))
        self.cancel.setDefault(True)
        self.typed.textChanged.connect(self._typed)
        self.delete.clicked.connect(self._delete)
        self.cancel.clicked.connect(self.reject)
        buttons = QHBoxLayout()
        buttons.setSpacing(S)
        buttons.addStretch(1)
        buttons.addWidget(self.cancel)
        buttons.addWidget(self.delete)
        column = QVBoxLayout(self)
        column.setContentsMargins(L, L, L, L)
        column.setSpacing(M)
        for part in (heading, self.what, self.stays, self.backups, field):
            column.addWidget(part)
        column.addLayout(buttons)
        self.setMinimumWidth(420)
        self.typed.setFocus()

    def _typed(self, text: str) -> None:
        self.delete.setEnabled(text.strip().casefold() == self._word.casefold())

    def _delete(self) -> None:
        what = Erasing(
            agents=self._everything,
            models=self._everything,
            backups=self.backups.isChecked(),
        )
        self.accept()
        self.erase_wanted.emit(what)


def _lines(everything: bool, counts: DataCounts, models: PlaceSize) -> list[str]:
    gone = words.amounts(counts, agents=everything)
    if everything and models.files:
        files = trn("{count} model file", "{count} model files", models.files)
        gone.append(f"{files} ({words.size(models.bytes)})")
    lines = [tr("These go for good:")] if gone else [tr("There is nothing to delete.")]
    return lines + [f"•  {each}" for each in gone]
