"""The backups in the data folder, and the one that waits to be restored."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from chatty_desktop.domain.data_folder import BackupContents, StoredBackup
from chatty_desktop.ui.button_row import ButtonRow
from chatty_desktop.ui.elided import ElidedLabel
from chatty_desktop.ui.language import tr
from chatty_desktop.ui.pieces import Words, clear, icon_button
from chatty_desktop.ui.plain import tip
from chatty_desktop.ui.settings.data import words
from chatty_desktop.ui.theme import Theme, set_tone
from chatty_desktop.ui.tokens import M, S


class BackupList(QWidget):
    """A row for each backup, newest first.

    restore_wanted, remove_wanted: with the `StoredBackup`.
    """

    restore_wanted = Signal(object)
    remove_wanted = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._shown: list[StoredBackup] | None = None
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(S)

    def show_backups(self, backups: Sequence[StoredBackup]) -> None:
        """Draw the list; where nothing has changed it stays, with the focus in it."""
        if self._shown == list(backups):
            return
        self._shown = list(backups)
        clear(self._column)
        for backup in backups:
            self._column.addWidget(self._row(backup))
        if not backups:
            self._column.addWidget(Words(tr("No backups yet."), "muted"))

    def _row(self, backup: StoredBackup) -> QFrame:
        row = QFrame()
        row.setProperty("panel", "raised")
        when, name = words.moment(backup.made_at), PurePath(backup.file).name
        title, detail = ElidedLabel(), ElidedLabel()
        title.setText(when)
        detail.setText(f"{words.size(backup.bytes)} · {tr(words.BACKUPS[backup.kind])}")
        detail.setFont(self._theme.small())
        set_tone(detail, "muted")
        row.setToolTip(tip(backup.file))
        said = QVBoxLayout()
        said.setSpacing(0)
        said.addWidget(title)
        said.addWidget(detail)
        restore = QPushButton(tr("Restore …"))
        restore.setAccessibleName(tr("Restore the backup {name}", name=name))
        restore.clicked.connect(lambda: self.restore_wanted.emit(backup))
        restore.setVisible(backup.kind != "damaged")
        remove = icon_button(self._theme, "trash", tr("Remove the backup {name}", name=name))
        remove.clicked.connect(lambda: self.remove_wanted.emit(backup))
        line = QHBoxLayout(row)
        line.setContentsMargins(M, S, S, S)
        line.setSpacing(S)
        line.addLayout(said, 1)
        line.addWidget(restore)
        line.addWidget(remove)
        return row


class StagedCard(QFrame):
    """Says that a backup takes the place of everything at the next start; hidden while none does.

    restart_wanted, call_off_wanted: its two buttons.
    """

    restart_wanted = Signal()
    call_off_wanted = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("panel", "accent")
        self.words = Words()
        row = ButtonRow(
            (tr("Restart now"), self.restart_wanted.emit),
            (tr("Call it off"), self.call_off_wanted.emit),
        )
        for button, kind in zip(row.buttons, ("primary", "quiet"), strict=True):
            button.setProperty("kind", kind)
        column = QVBoxLayout(self)
        column.setContentsMargins(M, M, M, M)
        column.setSpacing(M)
        column.addWidget(self.words)
        column.addWidget(row)
        self.hide()

    def show_staged(self, contents: BackupContents | None) -> None:
        """Say what waits; None hides the card."""
        self.setVisible(contents is not None)
        if contents is not None:
            self.words.setText(
                tr(
                    "The backup of {when} was checked and is ready: {what}. It takes the place of"
                    " what is here now when the app starts next; what is here now is backed up"
                    " first.",
                    when=words.moment(contents.made_at),
                    what=", ".join(words.amounts(contents.counts)) or tr("nothing is in it"),
                )
            )
