"""All that can be done to one message, as a menu."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtWidgets import QMenu, QWidget

from chatty_desktop.domain.agents import Agent
from chatty_desktop.domain.messages import Message, Status
from chatty_desktop.ui.controls import ModelChoices
from chatty_desktop.ui.language import tr
from chatty_desktop.ui.theme import Theme
from chatty_desktop.ui.tokens import Tone

MOST_MODELS = 60
"""Models in the menu; more than that are found in the settings."""

UNFINISHED = (Status.STOPPED, Status.CUT, Status.TRUNCATED)


class MessageMenu(QMenu):
    """The acts that make sense for a message; `do` is called with the name of the one chosen, and
    with the model or the agent that goes with it.

    Names: copy_markdown, copy_plain, edit, again, again_by (a model), ask (an agent), go_on,
    prompt, compare, branch, delete, delete_following, forget.
    """

    def __init__(
        self,
        message: Message,
        *,
        agents: Sequence[Agent],
        choices: ModelChoices,
        do: Callable[[str, str], None],
        theme: Theme,
        parent: QWidget,
    ) -> None:
        super().__init__(parent)
        self._theme = theme
        self._do = do
        own = message.role == "user"
        self._act("copy_markdown", tr("Copy as Markdown"), "copy")
        self._act("copy_plain", tr("Copy as plain text"), "text-aa")
        self.addSeparator()
        if own:
            self._act("edit", tr("Edit and send again"), "pencil-simple")
        if message.role == "assistant" and message.status in UNFINISHED and message.content:
            self._act("go_on", tr("Go on with this reply"), "play")
        self._act("again", tr("Answer again"), "arrow-clockwise")
        self._models = self.addMenu(tr("Answer again with another model"))
        self._models.aboutToShow.connect(self._fill_models)
        self._choices = choices
        choices.changed.connect(self._fill_models)
        others = [agent for agent in agents if agent.id != message.agent_id]
        if others:
            asked = self.addMenu(tr("Ask another agent"))
            for agent in others:
                self._act("ask", agent.name, "", agent.id, menu=asked)
        self.addSeparator()
        if message.role == "assistant" and message.run_id:
            self._act("prompt", tr("Show what the model was given"), "file-text")
            self._act("compare", tr("Compare without a part of memory …"), "columns")
        self._act("branch", tr("Go on from here"), "git-branch")
        self.addSeparator()
        delete = tr("Delete message and answer …") if own else tr("Delete message …")
        self._act("delete", delete, "trash", tone="danger")
        self._act("delete_following", tr("Delete from here to the end …"), "trash", tone="danger")
        self._act("forget", tr("Forget with proof …"), "eraser", tone="danger")
        self.aboutToHide.connect(self.deleteLater)

    def _fill_models(self) -> None:
        self._models.clear()
        for choice in self._choices.choices[:MOST_MODELS]:
            self._act("again_by", choice.label, "", choice.reference, menu=self._models)
        if not self._choices.choices:
            self._models.addAction(tr("No model was found")).setEnabled(False)

    def _act(
        self,
        name: str,
        text: str,
        icon: str,
        with_: str = "",
        *,
        tone: Tone = "muted",
        menu: QMenu | None = None,
    ) -> None:
        action = (menu or self).addAction(text.replace("&", "&&"))
        if icon:
            self._theme.dress(action, icon, tone)
        action.triggered.connect(lambda: self._do(name, with_))
