"""The questions of tools in the chat that is open, one after the other, above the composer."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QApplication, QVBoxLayout, QWidget

from chatty_desktop.domain.events import ConsentSettled, ConsentWanted, Event
from chatty_desktop.engine.consents import PersonsConsents
from chatty_desktop.ui.chat.consent.card import ConsentCard
from chatty_desktop.ui.language import tr
from chatty_desktop.ui.tasks import Tasks
from chatty_desktop.ui.theme import Theme
from chatty_desktop.ui.tokens import M, S


class Questions(QWidget):
    """Holds none of them itself: what is open is asked of the engine, so that each window shows
    the same and nothing is lost by looking elsewhere.

    answered: the person has answered the last one that was open, just now.
    changed: other questions may be open than before. came: a question came, of the chat shown.
    tools_wanted: the id of the agent whose tools the person wants to see.
    """

    changed = Signal()
    came = Signal()
    tools_wanted = Signal(str)

    def __init__(
        self,
        consents: PersonsConsents,
        agent_name: Callable[[str], str],
        theme: Theme,
        tasks: Tasks,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._consents = consents
        self._agent_name = agent_name
        self._theme = theme
        self._tasks = tasks
        self._session_id: str | None = None
        self._answered = 0
        self.answered = False
        self.card: ConsentCard | None = None
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(M, S, M, S)
        self.hide()

    def set_session(self, session_id: str | None) -> None:
        """The chat that is open."""
        self._session_id = session_id
        self._answered = 0
        self.draw()

    def take(self, event: Event) -> None:
        """Follow what is asked and answered."""
        if isinstance(event, ConsentWanted) and event.use.scope.session_id == self._session_id:
            self.draw()
            self.came.emit()
        elif isinstance(event, ConsentSettled) and event.session_id == self._session_id:
            self._answered += 1
            self.draw()

    def call_ids(self) -> frozenset[str]:
        """The calls that wait for an answer in the chat."""
        return frozenset(wanted.use.call_id for wanted in self._waiting())

    def draw(self) -> None:
        """Show the oldest of the open questions."""
        waiting = self._waiting()
        focused = QApplication.focusWidget()
        within = self.card is not None and focused is not None and self.isAncestorOf(focused)
        self.answered = within and not waiting
        if waiting:
            self._show(waiting)
        else:
            self._answered = 0
            self.hide()
            if self.card is not None:
                self._column.removeWidget(self.card)
                self.card.hide()
                self.card.deleteLater()
                self.card = None
        self.changed.emit()

    def _show(self, waiting: Sequence[ConsentWanted]) -> None:
        if self.card is None:
            self.card = ConsentCard(self._theme, self._tasks)
            self.card.answered.connect(self._answer)
            self.card.tools_wanted.connect(self.tools_wanted)
            self._column.addWidget(self.card)
        count = self._answered + len(waiting)
        first = waiting[0]
        name = self._agent_name(first.use.scope.agent_id) or tr("The agent")
        self.card.ask(first, name, self._answered + 1, count)
        self.show()

    def _waiting(self) -> tuple[ConsentWanted, ...]:
        return self._consents.waiting(self._session_id) if self._session_id else ()

    def _answer(self, question_id: str, consent: str) -> None:
        match consent:
            case "once" | "chat" | "refused":
                self._consents.answer(question_id, consent)
                self.draw()
            case _:
                raise ValueError(consent)
