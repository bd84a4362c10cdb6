"""One tool in an agent's form: a switch, what it can do, and whether it asks first."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QVBoxLayout, QWidget

from chatty_desktop.domain.tools import Policy, ToolSpec
from chatty_desktop.ui.controls import Choice
from chatty_desktop.ui.language import N_, tr
from chatty_desktop.ui.pieces import caption
from chatty_desktop.ui.readable import shortened
from chatty_desktop.ui.theme import Theme
from chatty_desktop.ui.tokens import XL, M, S
from chatty_desktop.ui.tool_words import tool_reach, tool_title

_POLICIES: dict[Policy, str] = {
    "ask": N_("Asks first"),
    "allow": N_("Runs at once"),
    "never": N_("Never runs"),
}
_LONGEST, _LINES = 300, 4


class ToolRow(QWidget):
    """A tool that is there, or, with `spec` None, one that the agent names and that is not.

    changed: the person switched it, or chose whether it asks.
    """

    changed = Signal()

    def __init__(
        self, name: str, spec: ToolSpec | None, theme: Theme, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.name = name
        self.spec = spec
        self._policy: Policy | None = None
        title = tool_title(name) if spec is None or not spec.source else name
        self.switch = QCheckBox(title)
        self.switch.setAccessibleName(tr("Use {tool}", tool=title))
        self.asks = Choice()
        self.asks.setAccessibleName(tr("Whether {tool} asks first", tool=title))
        default = spec.policy if spec else "ask"
        for policy, words in _POLICIES.items():
            text = tr("{policy} (default)", policy=tr(words)) if policy == default else tr(words)
            self.asks.addItem(text, policy)
        self._default = default
        self._harmless = caption(theme, tr("harmless"), "success")
        self._harmless.setVisible(bool(spec and spec.harmless))
        self._words = caption(theme, _words(name, spec), "muted" if spec else "warning")
        self._words.setWordWrap(True)
        self._words.setContentsMargins(XL - 2, 0, 0, 0)
        self.switch.setAccessibleDescription(self._words.text())
        row = QHBoxLayout()
        row.setSpacing(S)
        row.addWidget(self.switch)
        row.addWidget(self._harmless)
        row.addStretch(1)
        row.addWidget(self.asks)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, M)
        column.setSpacing(0)
        column.addLayout(row)
        column.addWidget(self._words)
        self.switch.toggled.connect(self._switched)
        self.asks.activated.connect(self._chosen)
        self._show_choice()

    @property
    def on(self) -> bool:
        """Whether the agent may use it."""
        return self.switch.isChecked()

    @property
    def policy(self) -> Policy | None:
        """What the agent says about it, None: nothing, so that its default holds."""
        return self._policy

    def set(self, on: bool, policy: Policy | None) -> None:
        """Show what the agent says, telling nobody."""
        self._policy = policy
        self.switch.blockSignals(True)
        self.switch.setChecked(on)
        self.switch.blockSignals(False)
        self._show_choice()

    def matches(self, words: str) -> bool:
        """Whether the name or the description holds all the words typed."""
        text = f"{self.switch.text()} {self.name} {self._words.text()}".casefold()
        return all(word in text for word in words.casefold().split())

    def _show_choice(self) -> None:
        self.asks.setCurrentIndex(self.asks.findData(self._policy or self._default))
        self.asks.setVisible(self.on)

    def _switched(self) -> None:
        self._show_choice()
        self.changed.emit()

    def _chosen(self) -> None:
        chosen: Policy = self.asks.currentData()
        self._policy = None if chosen == self._default else chosen
        self.changed.emit()


def _words(name: str, spec: ToolSpec | None) -> str:
    if spec is None:
        return tr("It is not there now. It is kept, and can be used once it is there again.")
    reach = "" if spec.source else tool_reach(name)
    words = reach or shortened(spec.description.strip(), _LONGEST, _LINES)
    return words or tr("Its server does not say what it does.")
