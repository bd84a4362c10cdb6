"""The agents whose thresholds were hardly set for the present embedder."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from chatty_desktop.domain.agents import Agent
from chatty_desktop.domain.embedder_choice import suits, thresholds
from chatty_desktop.ui.language import tr
from chatty_desktop.ui.pieces import Words, clear
from chatty_desktop.ui.tokens import M, S


class Thresholds(QWidget):
    """A line for each such agent, with a click to take the suggestion over.

    wanted: the ids of the agents that are to have it.
    """

    wanted = Signal(list)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.agents: list[Agent] = []
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(S)

    def show_agents(self, agents: Sequence[Agent], name: str, suggested: float | None) -> None:
        """Draw the agents that recall by similarity where their threshold does not suit the
        embedder of that name ("": none); None: no suggestion is known for it."""
        self.agents = [agent for agent in agents if unsuited(agent, suggested)]
        clear(self._column)
        if not name:
            self._say(tr("There is no embedder to set them for."))
        elif suggested is None:
            self._say(
                tr(
                    "Which threshold suits {name} is not known. One between the two scores of the"
                    " test is a start; the memory inspector shows the scores of your own chats.",
                    name=name,
                )
            )
        elif not self.agents:
            self._say(
                tr("{value} suits {name}. No agent is far off.", value=f"{suggested:g}", name=name)
            )
        else:
            self._say(
                tr(
                    "{value} suits {name}. These agents are far off:",
                    value=f"{suggested:g}",
                    name=name,
                )
            )
        if suggested is None:
            return
        for agent in self.agents:
            self._column.addLayout(self._row(agent, suggested))
        if len(self.agents) > 1:
            every = QPushButton(tr("Use {value} for all", value=f"{suggested:g}"))
            ids = [agent.id for agent in self.agents]
            every.clicked.connect(lambda: self.wanted.emit(ids))
            row = QHBoxLayout()
            row.addStretch(1)
            row.addWidget(every)
            self._column.addLayout(row)

    def _say(self, text: str) -> None:
        self._column.addWidget(Words(text, "muted"))

    def _row(self, agent: Agent, suggested: float) -> QHBoxLayout:
        ours = ", ".join(f"{each:g}" for each in thresholds(agent.definition.memory_strategy))
        use = QPushButton(tr("Use {value}", value=f"{suggested:g}"))
        use.setAccessibleName(
            tr("Use {value} for {agent}", value=f"{suggested:g}", agent=agent.name)
        )
        use.clicked.connect(lambda: self.wanted.emit([agent.id]))
        row = QHBoxLayout()
        row.setSpacing(M)
        row.addWidget(
            Words(tr("{agent} recalls from {threshold} on", agent=agent.name, threshold=ours)), 1
        )
        row.addWidget(use)
        return row


def unsuited(agent: Agent, suggested: float | None) -> bool:
    """Whether a threshold of the agent is not near the suggested one; False without one."""
    ours = thresholds(agent.definition.memory_strategy)
    return suggested is not None and not all(suits(each, suggested) for each in ours)
