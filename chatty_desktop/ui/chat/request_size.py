"""How much the next request is, in the composer: a quiet figure that grows as the person writes."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from PySide6.QtCore import QPoint, QTimer, Signal
from PySide6.QtWidgets import QToolButton, QToolTip, QWidget

from chatty_desktop.domain.attachments import Attachment
from chatty_desktop.domain.errors import ChattyError
from chatty_desktop.domain.events import (
    AgentsChanged,
    BranchChanged,
    Event,
    MemoryChanged,
    RunPhaseChanged,
    SettingsChanged,
)
from chatty_desktop.domain.messages import Scope
from chatty_desktop.domain.runs import NextRequest, RequestPart
from chatty_desktop.ui.language import N_, number, tr
from chatty_desktop.ui.plain import tip
from chatty_desktop.ui.tasks import Tasks
from chatty_desktop.ui.theme import Theme, set_tone
from chatty_desktop.ui.throttle import Throttle
from chatty_desktop.ui.tokens import Tone

NEAR = 0.8
"""From this part of the context on little room is left, as for the answer."""

WAITED_MS = 300
"""After what happened last; several things mostly happen at once."""

WRITING_MS = 250

_PARTS: tuple[tuple[RequestPart, str], ...] = (
    ("system", N_("System prompt: {count}")),
    ("tools", N_("Tools: {count}")),
    ("memory", N_("Memory: {count}")),
    ("recalled", N_("Recalled: about {count}, as for the message before")),
    ("earlier", N_("Earlier messages, word for word: {count}")),
)


class RequestSize(QToolButton):
    """Tokens of the next request against what the model takes in. Pressed, it tells them by part.

    Only `written`, the text and the files of the new message, is counted as it is typed; the rest
    is asked for in the background when `refresh` is called.

    known: the rest is another one.
    """

    known = Signal()

    def __init__(
        self,
        written: Callable[[], tuple[str, Sequence[Attachment]]],
        theme: Theme,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._written = written
        self._rest: NextRequest | None = None
        self.setProperty("kind", "status")
        self.setFont(theme.small())
        self.setAccessibleName(tr("Size of the next request"))
        self.clicked.connect(self._tell)
        self._counting = Throttle(WRITING_MS, self._draw, self)
        self.hide()

    def show_request(self, rest: NextRequest | None) -> None:
        """Show the size of a request; None: not known."""
        self._rest = rest
        self._draw()
        self.known.emit()

    @property
    def rest(self) -> NextRequest | None:
        """What was last shown."""
        return self._rest

    def count_again(self) -> None:
        """Another text is written."""
        self._counting.request()

    def _draw(self) -> None:
        rest = self._rest
        self.setVisible(rest is not None)
        if rest is None:
            return
        text, files = self._written()
        tokens = rest.tokens(text, files)
        about = number(tokens)
        if rest.context is None:
            self.setText(tr("about {count} tokens", count=about))
        else:
            self.setText(
                tr("about {count} of {context} tokens", count=about, context=number(rest.context))
            )
        tone, remark = _judged(tokens, rest.context)
        set_tone(self, tone)
        lines = [tr("The next request, in estimated tokens:")]
        lines += [
            tr(words, count=number(rest.parts[part]))
            for part, words in _PARTS
            if part in rest.parts
        ]
        if text or files:
            new = number(rest.new_tokens(text, files))
            lines.append(tr("New message: {count}", count=new))
        if rest.model:
            lines.append(tr("Model: {model}", model=rest.model))
        story = "\n".join([*lines, *([remark] if remark else [])])
        self.setToolTip(tip(story))
        self.setAccessibleDescription(f"{self.text()}. {story}")

    def _tell(self) -> None:
        QToolTip.showText(self.mapToGlobal(QPoint(0, 0)), self.toolTip(), self)


class NextRequestSize:
    """Asks for the size of the next request of a scope, one question at a time, and shows it.

    `ask` gives it, `scope` the agent and chat that the next message goes to (None: there is no
    agent), `busy` whether a reply is being written, after which it is asked for anyway.
    """

    def __init__(
        self,
        shown: RequestSize,
        *,
        ask: Callable[[Scope], Awaitable[NextRequest]],
        scope: Callable[[], Scope | None],
        busy: Callable[[], bool],
        tasks: Tasks,
    ) -> None:
        self._shown = shown
        self._ask = ask
        self._scope = scope
        self._busy = busy
        self._tasks = tasks
        self._asking = False
        self._known_of: Scope | None = None
        self._timer = QTimer(shown)
        self._timer.setSingleShot(True)
        self._timer.setInterval(WAITED_MS)
        self._timer.timeout.connect(self._due)

    def refresh(self) -> None:
        """What the next request is made of may be different by now."""
        if self._scope() != self._known_of:
            self._show(None, None)
        self._timer.start()

    def take(self, event: Event) -> None:
        """Something happened in the app, that may have to do with the next request."""
        scope = self._scope()
        if scope is not None and _changes(scope.session_id, event):
            self.refresh()

    def _due(self) -> None:
        if self._asking:
            self._timer.start()
        elif not self._busy() and not self._tasks.closed:
            self._asking = True
            self._tasks.start(self._refresh())

    async def _refresh(self) -> None:
        scope = self._scope()
        found: NextRequest | None = None
        try:
            if scope is not None:
                found = await self._ask(scope)
        except ChattyError:
            # What is wrong is said where it can be mended, and when a message is sent.
            found = None
        finally:
            self._asking = False
        if scope == self._scope():
            self._show(scope, found)

    def _show(self, scope: Scope | None, found: NextRequest | None) -> None:
        self._known_of = scope
        self._shown.show_request(found)


def _judged(tokens: int, context: int | None) -> tuple[Tone, str]:
    """The tone of a size, and what is to be said of it."""
    if context is not None and tokens > context:
        return "danger", tr("That is more than the model takes in: it does not see all of it.")
    if context is not None and tokens > NEAR * context:
        return "warning", tr("Little room is left for the answer.")
    return "muted", ""


def _changes(session_id: str, event: Event) -> bool:
    """Whether an event changes what the next request of a session is made of."""
    match event:
        case BranchChanged(session_id=changed) | RunPhaseChanged(session_id=changed):
            return changed == session_id
        case MemoryChanged(scope=scope):
            return scope.session_id == session_id
        case AgentsChanged() | SettingsChanged():
            return True
        case _:
            return False
