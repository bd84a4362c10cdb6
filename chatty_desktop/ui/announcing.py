"""What is said to people who hear the window in place of seeing it."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent
from PySide6.QtWidgets import QWidget

from chatty_desktop.domain.events import Event, MessageCommitted, Notice, RunPhaseChanged
from chatty_desktop.domain.messages import Message, Status
from chatty_desktop.ui.language import N_, tr, translated

_ENDINGS = {
    Status.STOPPED: N_("Stopped."),
    Status.CUT: N_("The reply was cut off."),
    Status.TRUNCATED: N_("The reply was cut off."),
}


class Announcer(QObject):
    """Has a screen reader say something where nothing has the keyboard that would.

    announced: (text, at once), with every text that was handed to the system. At once: in place of
    what is being said.
    """

    announced = Signal(str, bool)

    def __init__(self, widget: QWidget) -> None:
        super().__init__(widget)
        self._widget = widget

    def say(self, text: str, *, at_once: bool = False) -> None:
        if not text:
            return
        event = QAccessibleAnnouncementEvent(self._widget, text)
        politeness = QAccessible.AnnouncementPoliteness
        event.setPoliteness(politeness.Assertive if at_once else politeness.Polite)
        QAccessible.updateAccessibility(event)
        self.announced.emit(text, at_once)


class ChatAnnouncements:
    """Says of the chat that is shown: who answers, the reply when it is all there, notices.

    `shown` is the id of the chat, `speaker` names an agent by its id.
    """

    def __init__(
        self,
        announcer: Announcer,
        shown: Callable[[], str | None],
        speaker: Callable[[str], str],
    ) -> None:
        self._announcer = announcer
        self._shown = shown
        self._speaker = speaker
        self._written: set[str] = set()
        self._answering: set[str] = set()

    def take(self, event: Event) -> None:
        """Say what there is to say of an event."""
        match event:
            case MessageCommitted(message=message) if message.role == "assistant":
                self._reply(message)
            case RunPhaseChanged(session_id=session_id, phase="idle" | "settling"):
                self._answering.discard(session_id)
            case RunPhaseChanged(session_id=session_id):
                if session_id not in self._answering:
                    self._answering.add(session_id)
                    if session_id == self._shown():
                        name = self._speaker(event.agent_id)
                        self._announcer.say(tr("{name} is answering.", name=name))
            case Notice(session_id=session_id) if session_id in (None, self._shown()):
                self._announcer.say(translated(event.text), at_once=event.level == "error")
            case _:
                pass

    def _reply(self, message: Message) -> None:
        """A reply that was being written is there; one that comes from elsewhere says nothing."""
        if message.status is Status.STREAMING:
            self._written.add(message.id)
            return
        failed = message.status is Status.FAILED
        if message.id not in self._written and not failed:
            return
        self._written.discard(message.id)
        if message.session_id != self._shown():
            return
        ending = _ENDINGS.get(message.status, "")
        parts = [message.content.strip(), translated(message.error), tr(ending) if ending else ""]
        text = " ".join(part for part in parts if part)
        if text:
            said = tr("{speaker}: ", speaker=self._speaker(message.agent_id)) + text
            self._announcer.say(said, at_once=failed)
