"""Chats brought in from files, and the open chat written to one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from chatty_desktop.app import App
from chatty_desktop.domain.events import Notice
from chatty_desktop.ui.chat.pane import ChatPane
from chatty_desktop.ui.language import tr
from chatty_desktop.ui.tasks import Tasks
from chatty_desktop.ui.theme import Theme

if TYPE_CHECKING:
    from pathlib import Path

    from chatty_desktop.engine.exchange import ExportKind


class ExchangeActs(QObject):
    """Carries out the two, over a window. What they need is imported when it is wanted: the window
    opens sooner without."""

    def __init__(
        self, *, app: App, chat: ChatPane, theme: Theme, tasks: Tasks, parent: QWidget
    ) -> None:
        super().__init__(parent)
        self._app = app
        self._chat = chat
        self._theme = theme
        self._tasks = tasks
        self._over = parent

    def import_chats(self) -> None:
        """Ask for a file of chats, show what is in it, and take in what the person chooses."""
        from chatty_desktop.ui.exchange.import_dialog import ImportDialog

        dialog = ImportDialog(
            exchange=self._app.exchange,
            memories=self._app.memories,
            agents=self._app.agents,
            theme=self._theme,
            tasks=self._tasks,
            parent=self._over,
        )
        dialog.imported.connect(self._chat.open)
        dialog.open()

    def export_chat(self) -> None:
        """Write the open chat to a file that the person chooses; nothing on the empty page."""
        session_id = self._chat.session_id
        if session_id is None:
            return
        from chatty_desktop.ui.exchange.files import ask_where_to_export

        def write(file: Path, kind: ExportKind) -> None:
            self._tasks.start(self._write(session_id, file, kind))

        ask_where_to_export(self._over, self._chat.header.title, session_id, write)

    async def _write(self, session_id: str, file: Path, kind: ExportKind) -> None:
        from chatty_desktop.ui.exchange.files import write_chat_file

        await write_chat_file(file, await self._app.exchange.text(session_id, kind))
        self._chat.banners.add(Notice("info", tr("Written to {file}.", file=file), session_id))
