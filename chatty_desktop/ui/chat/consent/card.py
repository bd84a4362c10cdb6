"""The question whether a tool may run: who asks, what for, exactly with what, and the answers."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from chatty_desktop.domain.events import ConsentWanted
from chatty_desktop.domain.hidden import all_revealed, revealed
from chatty_desktop.domain.tools import Consent, ToolUse
from chatty_desktop.ui.button_row import ButtonRow
from chatty_desktop.ui.chat.consent.diff import DiffColours
from chatty_desktop.ui.chat.consent.preview import Change, change_of
from chatty_desktop.ui.chat.links import on_the_wire
from chatty_desktop.ui.fitting_area import FittingArea
from chatty_desktop.ui.language import N_, tr
from chatty_desktop.ui.pieces import IconLabel, TextButton, Words, caption, emphasise
from chatty_desktop.ui.plain import Label
from chatty_desktop.ui.readable import shortened
from chatty_desktop.ui.tasks import Tasks
from chatty_desktop.ui.theme import Theme
from chatty_desktop.ui.tokens import XS, M, S
from chatty_desktop.ui.tool_words import gist, origin_words, pretty, tool_icon, tool_title
from chatty_desktop.ui.verbatim import Verbatim

SAFE_MS = 500
"""For so long a new question takes no answer: a click or key meant for what was there before
would else be one."""

_LINES = 8
"""Lines of arguments in sight at once."""

_BODY = 40
"""Pixels that are left of it in a small window; the rest scrolls."""

_ANSWERS: tuple[tuple[Consent, str, str, str], ...] = (
    ("once", N_("Allow once"), "Alt+1", "primary"),
    ("chat", N_("Allow in this chat"), "Alt+2", ""),
    ("refused", N_("Don’t allow"), "Alt+3", ""),
)


class ConsentCard(QFrame):
    """One question. It takes the keyboard itself, not a button: no key answers by mistake.

    answered: the question's id and the `Consent`. tools_wanted: the id of the agent whose tools
    the person wants to see.
    """

    answered = Signal(str, str)
    tools_wanted = Signal(str)

    def __init__(self, theme: Theme, tasks: Tasks, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._tasks = tasks
        self._wanted: ConsentWanted | None = None
        self.setProperty("panel", "question")
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._icon = IconLabel(theme, "wrench", "accent")
        self.title = Label()
        self.title.setWordWrap(True)
        emphasise(self.title)
        self._count = caption(theme)
        self._origin = caption(theme)
        self._origin.setWordWrap(True)
        self.about = Words()
        self.about.setFont(theme.monospace())
        self.change = Verbatim("", theme, _LINES)
        self._colours = DiffColours(self.change.box.document(), theme)
        self.arguments = Verbatim(tr("Arguments"), theme, _LINES)
        self.exact = TextButton("")
        self.exact.clicked.connect(lambda: self._show_exact(self.arguments.isHidden()))
        self.buttons: dict[Consent, QPushButton] = {}
        self._safe = QTimer(self)
        self._safe.setSingleShot(True)
        self._safe.setInterval(SAFE_MS)
        self._safe.timeout.connect(lambda: self._enable(True))
        self._arrange()

    @property
    def question_id(self) -> str:
        """The question shown, "" before the first."""
        return self._wanted.question_id if self._wanted else ""

    def ask(self, wanted: ConsentWanted, agent: str, place: int, count: int) -> None:
        """Show a question; it is the `place`th of `count` that wait in the chat."""
        self._count.setText(tr("{place} of {count}", place=place, count=count))
        self._count.setVisible(count > 1)
        if self._wanted == wanted:
            return
        self._wanted = wanted
        self._enable(False)
        self._safe.start()
        use = wanted.use
        name, agent = tool_title(use.tool.name), shortened(agent, 100, 1)
        self._icon.show_icon(tool_icon(use.tool.name), "accent")
        self.title.setText(tr("{agent} wants to use: {tool}", agent=agent, tool=name))
        self._origin.setText(
            tr(
                "{tool}, {origin}",
                tool=shortened(all_revealed(use.tool.name), 200, 1),
                origin=origin_words(use.tool.source),
            )
        )
        self._tools.setText(tr("Tools of {agent} …", agent=revealed(agent)))
        self._show_use(use)
        self.setAccessibleName(self.title.text())
        self.setAccessibleDescription(
            tr(
                "{origin}. {about}. Answer with {once} for this once, {chat} for this chat,"
                " {refused} to refuse.",
                origin=self._origin.text(),
                about=gist(use.arguments),
                once="Alt+1",
                chat="Alt+2",
                refused="Alt+3",
            )
        )

    # --- what is asked for -------------------------------------------------------------------

    def _show_use(self, use: ToolUse) -> None:
        arguments = use.arguments
        self.arguments.show_text(pretty(arguments))
        built_in = not use.tool.source
        path, text = arguments.get("path"), arguments.get("content", arguments.get("text"))
        writes = built_in and use.tool.name == "write_file"
        address = arguments.get("url") if built_in and use.tool.name == "fetch_page" else None
        self.change.hide()
        if writes and isinstance(path, str) and isinstance(text, str):
            self.about.setText(all_revealed(path))
            self._tasks.start(self._look_at_change(use, path, text))
        elif isinstance(address, str):
            self.about.setText(all_revealed(on_the_wire(address)))
        else:
            self.about.setText("")
        self.about.setVisible(bool(self.about.text()))
        self.exact.setVisible(bool(self.about.text()))
        self._show_exact(not self.about.text())
        self.arguments.setHidden(bool(self.about.text()) or not arguments)

    def _show_exact(self, shown: bool) -> None:
        self.arguments.setVisible(shown)
        text = tr("Hide the exact arguments") if shown else tr("Show the exact arguments")
        self.exact.setText(text)

    async def _look_at_change(self, use: ToolUse, path: str, text: str) -> None:
        change = await change_of(path, text, use.folders)
        if self._wanted is not None and self._wanted.use is use:
            self._show_change(change)

    def _show_change(self, change: Change) -> None:
        if change.exists and change.diff:
            remark = tr("The file is there. This would change in it:")
        elif change.exists:
            remark = tr("The file is there. All that is in it would be replaced:")
        elif change.known:
            remark = tr("A new file:")
        else:
            remark = tr("This would be written:")
        self.change.set_name(remark)
        self._colours.set_on(bool(change.diff))
        self.change.show_text(change.diff or change.text)
        self.change.show()

    # --- answering ---------------------------------------------------------------------------

    def _answer(self, consent: Consent) -> None:
        if self._wanted is not None and self.buttons[consent].isEnabled():
            self._enable(False)
            self.answered.emit(self._wanted.question_id, consent)

    def _enable(self, enabled: bool) -> None:
        for button in self.buttons.values():
            button.setEnabled(enabled)

    def _arrange(self) -> None:
        above = QHBoxLayout()
        above.setSpacing(S)
        above.addWidget(self._icon, 0, Qt.AlignmentFlag.AlignTop)
        above.addWidget(self.title, 1)
        above.addWidget(self._count, 0, Qt.AlignmentFlag.AlignTop)
        body = QWidget()
        within = QVBoxLayout(body)
        within.setContentsMargins(0, 0, 0, 0)
        within.setSpacing(XS)
        for part in (self._origin, self.about, self.change, self.arguments):
            within.addWidget(part)
        self._tools = TextButton("")
        self._tools.clicked.connect(self._show_tools)
        for link in (self.exact, self._tools):
            within.addWidget(link, 0, Qt.AlignmentFlag.AlignLeft)
        within.addStretch(1)
        answers = ButtonRow(*((tr(words), self._pressed(each)) for each, words, _, _ in _ANSWERS))
        for button, (consent, words, key, kind) in zip(answers.buttons, _ANSWERS, strict=True):
            shown = QKeySequence(key).toString(QKeySequence.SequenceFormat.NativeText)
            button.setText(tr("{what}  ({key})", what=tr(words), key=shown))
            button.setAccessibleName(tr(words))
            button.setProperty("kind", kind)
            QShortcut(QKeySequence(key), self, self._pressed(consent))
            self.buttons[consent] = button
        column = QVBoxLayout(self)
        column.setContentsMargins(M, M, M, M)
        column.setSpacing(S)
        column.addLayout(above)
        area = FittingArea(body)
        area.setMinimumHeight(_BODY)
        column.addWidget(area, 1)
        column.addWidget(answers)

    def _pressed(self, consent: Consent) -> Callable[[], None]:
        return lambda: self._answer(consent)

    def _show_tools(self) -> None:
        if self._wanted is not None:
            self.tools_wanted.emit(self._wanted.use.scope.agent_id)
