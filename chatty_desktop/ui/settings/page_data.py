"""Settings: Data. Where it is, what takes room, backups, export, and deleting it all."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QStandardPaths, Qt, QUrl
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtWidgets import (
    QCheckBox,
    QFileDialog,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from chatty_desktop.domain.data_folder import Erasing, PlaceSize, StoredBackup
from chatty_desktop.domain.events import RestartWanted
from chatty_desktop.domain.settings import Settings
from chatty_desktop.ui.button_row import ButtonRow
from chatty_desktop.ui.language import tr, trn
from chatty_desktop.ui.pieces import Words
from chatty_desktop.ui.questions import confirm
from chatty_desktop.ui.settings.data import words
from chatty_desktop.ui.settings.data.backups import BackupList, StagedCard
from chatty_desktop.ui.settings.data.erase_question import EraseQuestion
from chatty_desktop.ui.settings.data.room import RoomView
from chatty_desktop.ui.settings.data.work_view import WorkView
from chatty_desktop.ui.settings.page import Page, Surroundings


class SettingsPage(Page):
    """All that lies in the data folder. Sizes and counts are taken when the page comes to the
    front, and after each thing that is done on it."""

    def __init__(self, around: Surroundings) -> None:
        super().__init__(around)
        theme, tasks = around.theme, around.tasks
        self.room = RoomView()
        self.backups = BackupList(theme)
        self.staged = StagedCard(theme)
        self.compacting, self.backing_up, self.exporting, self.erasing = self._works = tuple(
            WorkView(theme, tasks) for _ in range(4)
        )
        self._blocked: list[QWidget] = []
        self._counting = self._stale = False
        self._server = self.app.data.server
        self._place()
        self._room()
        self._backups()
        self._export()
        self._erase()
        self.close_column()
        for work in self._works:
            work.busy.connect(self._busy)
        self.backups.restore_wanted.connect(lambda b: self._ask_to_restore(Path(b.file)))
        self.backups.remove_wanted.connect(self._ask_to_remove)
        self.staged.restart_wanted.connect(lambda: self.app.events.publish(RestartWanted()))
        self.staged.call_off_wanted.connect(lambda: self.tasks.start(self._call_off()))

    def entered(self) -> None:
        self._look()

    # --- putting together --------------------------------------------------------------------

    def _place(self) -> None:
        column = self.group(
            tr("Where your data is"),
            words.said_of_places(self._server, self.app.data.index_place),
        )
        self.path = Words(str(self.app.paths.data))
        column.addWidget(self.path)
        self._buttons(
            column,
            (tr("Open folder"), self._open_folder),
            (tr("Copy path"), lambda: QGuiApplication.clipboard().setText(self.path.text())),
        )
        column.addWidget(
            Words(
                tr(
                    "To use another folder, start the app with --data-dir FOLDER, or set"
                    " CHATTY_DATA_DIR. What is in this one stays where it is."
                ),
                "muted",
            )
        )

    def _room(self) -> None:
        column = self.group(tr("What takes room"))
        column.addWidget(self.room)
        made = self._buttons(column, (tr("Compact now"), self._compact))
        self._blocked += made
        column.addWidget(self.compacting)
        column.addWidget(
            Words(
                tr(
                    "Gives back the room of what was deleted. The index is compacted by itself as"
                    " it grows. Chats can go on meanwhile."
                ),
                "muted",
            )
        )

    def _backups(self) -> None:
        column = self.group(
            tr("Backups"),
            tr(
                "A backup is one file with all chats, agents, memory and settings. Keys are never"
                " in it. Before an update or a restore one is made by itself."
            )
            if not self._server
            else tr(
                "A backup is one file with all chats, agents and memory of the server, and the"
                " settings of this computer. Keys are never in it. None is made by itself."
            ),
        )
        column.addWidget(self.staged)
        self.daily = QCheckBox(tr("Make one every day"))
        self.daily.clicked.connect(self._make_daily)
        self.daily.setVisible(not self._server)
        column.addWidget(self.daily)
        if not self._server:
            column.addWidget(
                Words(
                    tr(
                        "The last three of these are kept. What you delete is in them until newer"
                        " ones have taken their place."
                    ),
                    "muted",
                )
            )
        self._blocked += self._buttons(
            column,
            (tr("Back up now"), lambda: self._back_up(None)),
            (tr("Back up to …"), self._ask_where_to_back_up),
            (tr("Restore a file …"), self._ask_what_to_restore),
        )
        column.addWidget(self.backing_up)
        column.addWidget(self.backups)
        self._blocked.append(self.backups)

    def _export(self) -> None:
        column = self.group(
            tr("Export"),
            tr(
                "Every chat as Markdown, to read, and as JSON, with all its branches; every agent"
                " as a file that can be imported. All in one zip, without keys."
            ),
        )
        self._blocked += self._buttons(column, (tr("Export all …"), self._ask_where_to_export))
        column.addWidget(self.exporting)

    def _erase(self) -> None:
        column = self.group(
            tr("Delete"), tr("You are told first how much goes, and asked to type a word.")
        )
        made = self._buttons(
            column,
            (tr("Delete all chats and memory …"), lambda: self._ask_to_erase(everything=False)),
            (tr("Delete everything …"), lambda: self._ask_to_erase(everything=True)),
        )
        for button in made:
            button.setProperty("kind", "danger")
        self._blocked += made
        column.addWidget(self.erasing)

    @staticmethod
    def _buttons(
        column: QVBoxLayout, *named: tuple[str, Callable[[], object]]
    ) -> list[QPushButton]:
        row = ButtonRow(*named)
        column.addWidget(row)
        return row.buttons

    # --- looking -----------------------------------------------------------------------------

    def _look(self) -> None:
        """Count anew; when it is at it already, once more after that."""
        self._stale = True
        if not self._counting:
            self._counting = True
            self.tasks.start(self._count(), failed=self.say)

    async def _count(self) -> None:
        try:
            while self._stale:
                self._stale = False
                self.staged.show_staged(await self.app.data.staged_restore())
                self.backups.show_backups(await self.app.data.backups())
                self.room.show_counts(await self.app.data.counts(), await self.app.data.index())
                async for size in self.app.data.sizes():
                    self.room.show_size(size)
        finally:
            self._counting = False

    def _busy(self, busy: bool) -> None:
        """One thing at a time."""
        for widget in self._blocked:
            widget.setEnabled(not busy)
        if busy:
            for work in self._works:
                if work is not self.sender():
                    work.say("")
        else:
            self._look()

    def show_settings(self, settings: Settings) -> None:
        self.daily.setChecked(settings.daily_backups)

    # --- what is done ------------------------------------------------------------------------

    def _open_folder(self) -> None:
        if not QDesktopServices.openUrl(QUrl.fromLocalFile(str(self.app.paths.data))):
            self.say(
                tr("No program here opens folders. The folder is {path}.", path=self.path.text())
            )

    def _compact(self) -> None:
        self.compacting.start(tr("Compacting"), self.app.data.compact, words.compacted)

    def _make_daily(self, wanted: bool) -> None:
        self.apply(lambda now: now.model_copy(update={"daily_backups": wanted}))

    def _ask_where_to_back_up(self) -> None:
        name = time.strftime("chatty-desktop-%Y%m%d-%H%M%S.zip")
        self._ask_where(tr("Back up to"), name, self._back_up)

    def _back_up(self, to: Path | None) -> None:
        self.backing_up.start(
            tr("Backing up"),
            lambda work: self.app.data.back_up(to, work),
            lambda made: tr(
                "Backed up: {file} ({size})", file=made.file, size=words.size(made.bytes)
            ),
        )

    def _ask_what_to_restore(self) -> None:
        dialog = QFileDialog(
            self, tr("Restore a file"), _documents(), f"{tr('Backups')} (*.zip *.db)"
        )
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        self._open(dialog, self._restore)

    def _ask_to_restore(self, file: Path) -> None:
        confirm(
            self,
            tr("Restore {name}?", name=file.name),
            tr(
                "It takes the place of all chats, agents, memory and settings when the app starts"
                " next. What is here by then is backed up first."
            ),
            tr("Restore"),
            lambda: self._restore(file),
        )

    def _restore(self, file: Path) -> None:
        self.backing_up.start(
            tr("Checking"),
            lambda work: self.app.data.stage_restore(file, work),
            lambda _contents: "",
        )

    async def _call_off(self) -> None:
        await self.app.data.call_off_restore()
        self._look()

    def _ask_to_remove(self, backup: StoredBackup) -> None:
        confirm(
            self,
            tr("Remove the backup of {when}?", when=words.moment(backup.made_at)),
            backup.file,
            tr("Remove"),
            lambda: self.tasks.start(self._remove(backup), failed=self.say),
            danger=True,
        )

    async def _remove(self, backup: StoredBackup) -> None:
        await self.app.data.remove_backup(backup)
        self._look()

    def _ask_where_to_export(self) -> None:
        name = time.strftime("chatty-desktop-export-%Y%m%d.zip")
        self._ask_where(tr("Export all"), name, self._export_to)

    def _export_to(self, file: Path) -> None:
        def came(counts: tuple[int, int]) -> str:
            return tr(
                "Exported {chats} and {agents} to {file}.",
                chats=trn("{count} chat", "{count} chats", counts[0]),
                agents=trn("{count} agent", "{count} agents", counts[1]),
                file=file,
            )

        self.exporting.start(tr("Exporting"), lambda work: self.app.data.export(file, work), came)

    def _ask_to_erase(self, *, everything: bool) -> None:
        self.tasks.start(self._count_and_ask(everything), failed=self.say)

    async def _count_and_ask(self, everything: bool) -> None:
        """Counted anew: what is told must be what goes."""
        counts = await self.app.data.counts()
        sizes: dict[str, PlaceSize] = {s.kind: s async for s in self.app.data.sizes()}
        question = EraseQuestion(
            self.theme,
            everything=everything,
            counts=counts,
            models=sizes["models"],
            backups=sizes["backups"],
            parent=self,
        )
        question.erase_wanted.connect(self._erase_all)
        question.open()

    def _erase_all(self, what: Erasing) -> None:
        self.erasing.start(
            tr("Deleting"), lambda work: self.app.erase(what, work), words.erased, stoppable=False
        )

    # --- asking for files --------------------------------------------------------------------

    def _ask_where(self, title: str, name: str, chosen: Callable[[Path], object]) -> None:
        dialog = QFileDialog(self, title, _documents(), "Zip (*.zip)")
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix("zip")
        dialog.selectFile(name)
        self._open(dialog, chosen)

    def _open(self, dialog: QFileDialog, chosen: Callable[[Path], object]) -> None:
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(lambda file: chosen(Path(file)))
        dialog.open()


def _documents() -> str:
    return QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DocumentsLocation)
