"""The prompts and resources of MCP servers, one of which is put into what is being written."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QCloseEvent, QFontMetrics, QKeyEvent
from PySide6.QtWidgets import (
    QApplication,
    QDialog,
    QHBoxLayout,
    QLineEdit,
    QPushButton,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from chatty_desktop.domain.errors import ChattyError, Invalid
from chatty_desktop.domain.mcp import McpPrompt, McpResource, McpText
from chatty_desktop.engine.ports import ServerOffers
from chatty_desktop.ui.announcing import Announcer
from chatty_desktop.ui.chat.offers.form import ArgumentForm
from chatty_desktop.ui.chat.offers.rows import (
    Offer,
    OfferDelegate,
    OfferModel,
    found,
    name_of,
    offers_of,
    spoken,
)
from chatty_desktop.ui.elided import ElidedLabel
from chatty_desktop.ui.language import tr, translated
from chatty_desktop.ui.pieces import Empty, Problem, row_list, scrolled
from chatty_desktop.ui.tasks import Tasks
from chatty_desktop.ui.theme import Theme, set_tone
from chatty_desktop.ui.tokens import L, M, S

_MOVES = (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown)


class OffersDialog(QDialog):
    """`insert` is called with the text of a prompt; `attach` with the text of a resource and its
    name, and may raise `Invalid`. Servers that do not run are started while it is open."""

    def __init__(
        self,
        *,
        offers: ServerOffers,
        insert: Callable[[str], None],
        attach: Callable[[McpText, str], Awaitable[None]],
        theme: Theme,
        tasks: Tasks,
        parent: QWidget,
    ) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(tr("Insert from an MCP server"))
        self._offers, self._put_in, self._attach = offers, insert, attach
        self._theme, self._tasks = theme, tasks
        self._asking: asyncio.Task[None] | None = None
        self._asked = ""
        self._starting: asyncio.Task[None] | None = None
        self._ask_again: Callable[[], None] | None = None
        self._failed = ""
        self.form: ArgumentForm | None = None
        # What is marked, for those who hear it: the keyboard is on the letters typed.
        self.announcer = Announcer(self)
        self.search = QLineEdit()
        self.search.setPlaceholderText(tr("Search prompts and resources"))
        self.search.setAccessibleName(tr("Search prompts and resources"))
        self.search.setClearButtonEnabled(True)
        self.search.textChanged.connect(self._show)
        self.search.installEventFilter(self)
        self.model = OfferModel()
        self._delegate = OfferDelegate(theme)
        self.list = row_list(tr("Prompts and resources"), self.model, self._delegate)
        self.list.doubleClicked.connect(lambda _index: self.take())
        self.list.selectionModel().currentChanged.connect(lambda *_: self._show_buttons())
        self.empty = Empty(theme, "puzzle-piece")
        self.problem = Problem(theme)
        self.again = QPushButton(tr("Retry"))
        self.again.setAutoDefault(False)
        self.again.clicked.connect(self._try_again)
        self._status = ElidedLabel()
        set_tone(self._status, "muted")
        self._status.setAccessibleName(tr("What is being done"))
        self.back = QPushButton(tr("Back"))
        self.back.setAutoDefault(False)
        self.back.clicked.connect(self._to_list)
        self.insert = QPushButton()
        self.insert.setProperty("kind", "primary")
        self.insert.setDefault(True)
        self.insert.clicked.connect(self.take)
        self.cancel = QPushButton(tr("Cancel"))
        self.cancel.setAutoDefault(False)
        self.cancel.clicked.connect(self.reject)
        self._lay_out()
        self.show_offers()
        self._start()
        self.search.setFocus()

    # --- what is shown -----------------------------------------------------------------------

    def show_offers(self) -> None:
        """Draw what there is now; the one that is marked stays so."""
        self._show(keep=True)

    @property
    def chosen(self) -> Offer | None:
        """What Enter would take."""
        return self.model.offer(self.list.currentIndex().row())

    def _show(self, _typed: str = "", *, keep: bool = False) -> None:
        marked = self.chosen if keep else None
        states = self._offers.states()
        offers = offers_of(states)
        shown = found(offers, self.search.text())
        self.model.show_offers(shown)
        self.list.setCurrentIndex(self.model.index(self.model.row_of(marked)))
        if not keep and self.chosen is not None:
            self.announcer.say(spoken(self.chosen))
        self._pages.setCurrentWidget(self.list if shown else self.empty)
        if offers:
            self.empty.say(tr("Nothing is called that."), "")
        elif self._starting is not None:
            self.empty.say("", tr("Looking at what the MCP servers have …"))
        else:
            self.empty.say(
                tr("No MCP server has anything to insert."),
                tr(
                    "Servers are set up in the settings, under Tools. What can be inserted are"
                    " their prompts and resources."
                ),
            )
        if not self._failed and self._starting is None:
            # Of a server that failed, its name stands before what it says.
            lines = [
                f"{name}: {translated(state.reason)}"
                for name, state in states.items()
                if state.phase == "failed"
            ]
            self.problem.say("\n".join(lines))
        self._show_buttons()

    def _show_buttons(self) -> None:
        offer = self.form.prompt if self.form is not None else self.chosen
        if isinstance(offer, McpResource):
            self.insert.setText(tr("Attach"))
        else:
            fills_in = offer is not None and bool(offer.arguments) and self.form is None
            self.insert.setText(tr("Fill in …") if fills_in else tr("Insert"))
        asking = self._asking is not None
        self.insert.setEnabled(offer is not None and not asking)
        self.again.setVisible(bool(self.problem.text()))
        self.again.setEnabled(not asking)
        self.back.setVisible(self.form is not None)
        self.back.setEnabled(not asking)
        self.cancel.setText(tr("Stop") if asking else tr("Cancel"))
        waiting = self._starting is not None and self.model.rowCount() > 0
        starting = tr("Looking at what the other servers have …") if waiting else ""
        self._status.setText(tr("Asking {server} …", server=self._asked) if asking else starting)

    # --- what is done ------------------------------------------------------------------------

    def take(self) -> None:
        """Insert what is marked, or show first what it wants filled in."""
        if self._asking is not None:
            return
        if self.form is not None:
            if (values := self.form.values()) is not None:
                self._ask(self.form.prompt, values)
            return
        offer = self.chosen
        if isinstance(offer, McpPrompt) and offer.arguments:
            self._to_form(offer)
        elif offer is not None:
            self._ask(offer, {})

    def reject(self) -> None:
        """What is being asked for is stopped first; then a form goes, then the dialog."""
        if self._asking is not None:
            self._asking.cancel()
        elif self.form is not None:
            self._to_list()
        else:
            super().reject()

    def closeEvent(self, event: QCloseEvent) -> None:
        """By its frame it is closed at once."""
        event.accept()
        self.done(QDialog.DialogCode.Rejected)

    def done(self, result: int) -> None:
        for task in (self._asking, self._starting):
            if task is not None:
                task.cancel()
        self._asking = None
        super().done(result)

    def _ask(self, offer: Offer, values: dict[str, str]) -> None:
        self._say("")
        self._asked = offer.server
        self._asking = self._tasks.start(self._get(offer, values), failed=self._say)
        self._asking.add_done_callback(lambda _task: self._ended())
        self._ask_again = lambda: self._ask(offer, values)
        self._show_buttons()

    async def _get(self, offer: Offer, values: dict[str, str]) -> None:
        if isinstance(offer, McpPrompt):
            text = await self._offers.prompt(offer.name, values, offer.server)
            if not text.strip():
                raise Invalid(tr("The prompt {name} has no text.", name=name_of(offer)))
            self._put_in(text)
        else:
            read = await self._offers.read(offer.uri, offer.server)
            await self._attach(read, name_of(offer))
        self._asking = None
        self.accept()

    def _try_again(self) -> None:
        if self._failed and self._ask_again is not None:
            self._ask_again()
        else:
            self._start_failed()

    def _say(self, problem: str) -> None:
        self._failed = problem
        self.problem.say(problem)

    def _ended(self) -> None:
        if self._asking is not None:  # not because it is done
            self._asking = None
            self._show_buttons()

    def _start(self) -> None:
        self._starting = self._tasks.start(self._have_ready(), failed=self._say)

    async def _have_ready(self) -> None:
        try:
            await self._offers.have_ready()
        finally:
            self._starting = None
        self.show_offers()

    def _start_failed(self) -> None:
        for name, state in self._offers.states().items():
            if state.phase == "failed":
                try:
                    self._offers.start(name)
                except ChattyError as error:
                    self._say(translated(str(error)))
        self._start()
        self.problem.say(self._failed)
        self.show_offers()

    def _to_form(self, prompt: McpPrompt) -> None:
        self._say("")
        self.form = ArgumentForm(prompt, self._theme)
        self.form.submitted.connect(self.take)
        area = scrolled(self.form)
        self._form_area = area
        self._whole.addWidget(area)
        self._whole.setCurrentWidget(area)
        self._show_buttons()
        self.form.begin()

    def _to_list(self) -> None:
        self.form = None
        area = self._form_area
        self._whole.setCurrentIndex(0)
        self._whole.removeWidget(area)
        area.deleteLater()
        self._say("")
        self.show_offers()
        self.search.setFocus()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """The keys that move in the list do so from the letters typed, too."""
        if (
            watched is self.search
            and isinstance(event, QKeyEvent)
            and event.type() == QEvent.Type.KeyPress
            and event.key() in _MOVES
        ):
            QApplication.sendEvent(self.list, event)
            if self.chosen is not None:
                self.announcer.say(spoken(self.chosen))
            return True
        return super().eventFilter(watched, event)

    # --- putting together --------------------------------------------------------------------

    def _lay_out(self) -> None:
        self.list.setProperty("panel", "framed")
        self._pages = QStackedWidget()
        self._pages.addWidget(self.list)
        self._pages.addWidget(self.empty)
        choosing = QWidget()
        column = QVBoxLayout(choosing)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(M)
        column.addWidget(self.search)
        column.addWidget(self._pages, 1)
        self._whole = QStackedWidget()
        self._whole.addWidget(choosing)
        trouble = QHBoxLayout()
        trouble.setSpacing(S)
        trouble.addWidget(self.problem, 1)
        trouble.addWidget(self.again, 0, Qt.AlignmentFlag.AlignVCenter)
        foot = QHBoxLayout()
        foot.setSpacing(S)
        foot.addWidget(self._status, 1)
        foot.addWidget(self.back)
        foot.addWidget(self.insert)
        foot.addWidget(self.cancel)
        around = QVBoxLayout(self)
        around.setContentsMargins(L, L, L, L)
        around.setSpacing(M)
        around.addWidget(self._whole, 1)
        around.addLayout(trouble)
        around.addLayout(foot)
        letters = QFontMetrics(self._theme.words())
        room = self.screen().availableSize()
        self.resize(
            min(room.width(), max(540, 76 * letters.averageCharWidth())),
            min(room.height(), max(440, 26 * letters.height())),
        )
