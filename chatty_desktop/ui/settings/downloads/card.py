"""One model on a card: what it is, what can be done with it, how far its download is."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from chatty_desktop.domain.downloads import Download
from chatty_desktop.ui.elided import ElidedLabel
from chatty_desktop.ui.language import tr, translated
from chatty_desktop.ui.pieces import IconLabel, Words, caption, emphasise, icon_button
from chatty_desktop.ui.settings.downloads.transfer import TransferView
from chatty_desktop.ui.theme import Theme, set_tone
from chatty_desktop.ui.tokens import XS, M, S, Tone


class ModelCard(QFrame):
    """Signals say what was asked for. The transfer's own come from `transfer`.

    get: download it. use: chat, or embed, with it. add: have it in the list of models.
    delete: remove it from the disk.
    """

    get_wanted = Signal()
    use_wanted = Signal()
    add_wanted = Signal()
    delete_wanted = Signal()

    def __init__(self, theme: Theme, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("panel", "raised")
        self.name = name
        title = ElidedLabel(name)
        emphasise(title)
        self.mark = IconLabel(theme, "check-circle", "success")
        self.standing = caption(theme, tone="success")
        self.get = QPushButton(tr("Download"))
        self.use = QPushButton(tr("Use"))
        self.add = QPushButton(tr("Add"))
        self.add.setToolTip(tr("Have it in the list of models, and leave new chats as they are"))
        self.add.setProperty("kind", "quiet")
        self.delete = icon_button(theme, "trash", tr("Delete {model}", model=name))
        self.purpose = Words()
        self.facts = Words(tone="muted")
        self.facts.setFont(theme.small())
        self.problem = Words(tone="warning")
        self.problem.setFont(theme.small())
        self.transfer = TransferView(theme)
        for button, wanted, says in (
            (self.get, self.get_wanted, tr("Download {model}", model=name)),
            (self.use, self.use_wanted, tr("Use {model}", model=name)),
            (self.add, self.add_wanted, tr("Add {model} to the list", model=name)),
        ):
            button.setAccessibleName(says)
            button.setAutoDefault(False)
            button.clicked.connect(wanted)
        self.delete.clicked.connect(self.delete_wanted)
        top = QHBoxLayout()
        top.setSpacing(S)
        top.addWidget(title, 1)
        for part in (self.mark, self.standing, self.add, self.use, self.get, self.delete):
            top.addWidget(part, 0, Qt.AlignmentFlag.AlignVCenter)
        column = QVBoxLayout(self)
        column.setContentsMargins(M, S, M, S)
        column.setSpacing(XS)
        column.addLayout(top)
        for words in (self.purpose, self.facts, self.problem):
            column.addWidget(words)
        column.addWidget(self.transfer)
        self.say()
        self.offer()
        self.stand("")

    def say(self, *, purpose: str = "", facts: str = "", problem: str = "") -> None:
        """What it is for, its numbers, and what speaks against it."""
        for label, text in (
            (self.purpose, purpose),
            (self.facts, facts),
            (self.problem, problem),
        ):
            label.setText(translated(text))
            label.setVisible(bool(text))

    def offer(
        self, *, get: bool = False, use: bool = False, add: bool = False, delete: bool = False
    ) -> None:
        """Which buttons are there."""
        for button, offered in (
            (self.get, get),
            (self.use, use),
            (self.add, add),
            (self.delete, delete),
        ):
            button.setVisible(offered)

    def stand(self, words: str, tone: Tone = "success") -> None:
        """What it is chosen for, "" for nothing."""
        self.standing.setText(words)
        set_tone(self.standing, tone)
        self.standing.setVisible(bool(words))
        self.mark.setVisible(bool(words) and tone == "success")

    def show_download(self, download: Download | None) -> None:
        """How far its download is, None without one."""
        self.transfer.show_download(download)
