"""What MCP servers have comes to what is being written: prompts as text, resources as files."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from chatty_desktop.domain.events import Notice
from chatty_desktop.domain.mcp import McpText
from chatty_desktop.engine.ports import ServerOffers
from chatty_desktop.ui.chat.composer import Composer
from chatty_desktop.ui.language import number, tr
from chatty_desktop.ui.tasks import Tasks
from chatty_desktop.ui.theme import Theme

if TYPE_CHECKING:
    from chatty_desktop.ui.chat.offers.dialog import OffersDialog


class InsertingOffers(QObject):
    """`attach` attaches a text under a name; `tell` hears of one that was cut.

    dialog: the list of what there is, while it is open.
    """

    def __init__(
        self,
        composer: Composer,
        *,
        offers: ServerOffers,
        attach: Callable[[str, str], Awaitable[None]],
        tell: Callable[[Notice], None],
        theme: Theme,
        tasks: Tasks,
        parent: QWidget,
    ) -> None:
        super().__init__(parent)
        self._composer = composer
        self._offers = offers
        self._attach = attach
        self._tell = tell
        self._theme = theme
        self._tasks = tasks
        self._over = parent
        self.dialog: OffersDialog | None = None
        composer.insert_wanted.connect(self.open)
        self.show_offers()

    def open(self) -> None:
        """Show what there is."""
        from chatty_desktop.ui.chat.offers.dialog import OffersDialog

        if self.dialog is not None:
            return
        self.dialog = OffersDialog(
            offers=self._offers,
            insert=self._composer.put_in,
            attach=self._attach_text,
            theme=self._theme,
            tasks=self._tasks,
            parent=self._over,
        )
        self.dialog.finished.connect(self._closed)
        self.dialog.open()

    def show_offers(self) -> None:
        """Something may have changed in what the servers have."""
        self._composer.insert.setVisible(
            any(
                state.phase == "ready" and (state.prompts or state.resources)
                for state in self._offers.states().values()
            )
        )
        if self.dialog is not None:
            self.dialog.show_offers()

    async def _attach_text(self, read: McpText, name: str) -> None:
        await self._attach(read.text, name)
        if read.left_out:
            self._tell(
                Notice(
                    "warning",
                    tr(
                        "{name} is too long to attach all of it: the last {count} characters were"
                        " left out.",
                        name=name,
                        count=number(read.left_out),
                    ),
                )
            )

    def _closed(self) -> None:
        self.dialog = None
        self._composer.input.setFocus()
