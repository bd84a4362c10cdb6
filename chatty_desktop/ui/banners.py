"""What the person should know, above the chat until it is put away."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from chatty_desktop.domain.events import Level, Notice
from chatty_desktop.ui.chat.body import MessageBody
from chatty_desktop.ui.language import tr, translated
from chatty_desktop.ui.pieces import IconLabel, TextButton, clear, icon_button
from chatty_desktop.ui.theme import Theme
from chatty_desktop.ui.tokens import XS, L, M, S, Tone

MOST = 3
"""Banners shown at once; older ones come back as these are put away."""

_LOOKS: dict[Level, tuple[str, str, Tone]] = {
    "info": ("accent", "info", "accent"),
    "warning": ("warning", "warning", "warning"),
    "error": ("danger", "warning-circle", "danger"),
}


@dataclass(frozen=True, slots=True)
class BannerAction:
    """What can be done about a notice: the words of its button, and what it does. Done, the
    notice goes."""

    text: str
    call: Callable[[], object]


class Banners(QWidget):
    """The notices of the app and of the chat that is open, newest first.

    Those of other chats wait until their chat is opened.
    """

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._notices: list[Notice] = []
        self._actions: dict[Notice, BannerAction] = {}
        self._session: str | None = None
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(M, 0, M, 0)
        self._column.setSpacing(S)
        self._draw()

    def add(self, notice: Notice, action: BannerAction | None = None) -> None:
        """Show a notice; one that is there already comes to the front."""
        if notice in self._notices:
            self._notices.remove(notice)
        self._notices.insert(0, notice)
        self._actions.pop(notice, None)
        if action is not None:
            self._actions[notice] = action
        self._draw()

    def drop(self, notice: Notice) -> None:
        """Put a notice away."""
        self._actions.pop(notice, None)
        if notice in self._notices:
            self._notices.remove(notice)
        self._draw()

    def set_session(self, session_id: str | None) -> None:
        """The chat that is open now."""
        self._session = session_id
        self._draw()

    def forget_session(self, session_id: str) -> None:
        """Drop the notices of a chat: a new message was sent, or it was deleted."""
        self._notices = [n for n in self._notices if n.session_id != session_id]
        self._draw()

    def shown(self) -> list[str]:
        """The texts on the screen, first to last."""
        return [translated(notice.text) for notice in self._visible()]

    def _visible(self) -> list[Notice]:
        return [n for n in self._notices if n.session_id in (None, self._session)][:MOST]

    def _draw(self) -> None:
        clear(self._column)
        visible = self._visible()
        for notice in visible:
            self._column.addWidget(self._banner(notice))
        self._column.setContentsMargins(M, S if visible else 0, M, 0)
        self.setVisible(bool(visible))

    def _banner(self, notice: Notice) -> QFrame:
        panel, icon, tone = _LOOKS[notice.level]
        banner = QFrame()
        banner.setProperty("panel", panel)
        banner.setAccessibleName(f"{notice.level}: {translated(notice.text)}")
        # Not a label: those do not break a long path, and cut it off.
        words = MessageBody(self._theme)
        words.show_plain(translated(notice.text))
        words.setAccessibleName(banner.accessibleName())
        close = icon_button(self._theme, "x", tr("Dismiss"))
        close.setFixedSize(L + XS, L + XS)
        close.clicked.connect(lambda: self.drop(notice))
        row = QHBoxLayout(banner)
        row.setContentsMargins(M, S, S, S)
        row.setSpacing(S)
        row.addWidget(IconLabel(self._theme, icon, tone), 0, Qt.AlignmentFlag.AlignTop)
        said = QVBoxLayout()
        said.setSpacing(XS)
        said.addWidget(words)
        action = self._actions.get(notice)
        if action is not None:
            button = TextButton(action.text)
            button.clicked.connect(lambda: self._act(notice, action))
            said.addWidget(button, 0, Qt.AlignmentFlag.AlignLeft)
        row.addLayout(said, 1)
        row.addWidget(close, 0, Qt.AlignmentFlag.AlignTop)
        return banner

    def _act(self, notice: Notice, action: BannerAction) -> None:
        self.drop(notice)
        action.call()
