"""One download on the screen: the bar, how far it is, and what can be done with it."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QProgressBar, QToolButton, QVBoxLayout, QWidget

from chatty_desktop.domain.downloads import Download, DownloadState
from chatty_desktop.ui.elided import ElidedLabel
from chatty_desktop.ui.language import tr, translated
from chatty_desktop.ui.pieces import Words, icon_button
from chatty_desktop.ui.plain import tip
from chatty_desktop.ui.settings.downloads.amounts import progress
from chatty_desktop.ui.theme import Theme, set_tone
from chatty_desktop.ui.tokens import XS, S

_STEPS = 1000


class TransferView(QWidget):
    """Hidden until there is a download under way, or one that cannot go on.

    pause_wanted, resume_wanted, cancel_wanted: with the id of the download.
    """

    pause_wanted = Signal(str)
    resume_wanted = Signal(str)
    cancel_wanted = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._id = ""
        self.bar = QProgressBar()
        self.bar.setTextVisible(False)
        self.bar.setAccessibleName(tr("Progress of the download"))
        self.words = ElidedLabel()
        self.words.setFont(theme.small())
        set_tone(self.words, "muted")
        self.reason = Words()
        self.pause = icon_button(theme, "pause", tr("Pause"))
        self.resume = icon_button(theme, "play", tr("Go on"))
        self.cancel = icon_button(theme, "x", tr("Cancel"))
        self.pause.clicked.connect(lambda: self.pause_wanted.emit(self._id))
        self.resume.clicked.connect(lambda: self.resume_wanted.emit(self._id))
        self.cancel.clicked.connect(lambda: self.cancel_wanted.emit(self._id))
        told = QVBoxLayout()
        told.setSpacing(XS)
        told.addWidget(self.bar)
        told.addWidget(self.words)
        row = QHBoxLayout()
        row.setSpacing(XS)
        row.addLayout(told, 1)
        row.addSpacing(S)
        for button in (self.pause, self.resume, self.cancel):
            row.addWidget(button)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, XS, 0, 0)
        column.setSpacing(XS)
        column.addLayout(row)
        column.addWidget(self.reason)
        self.hide()

    def show_download(self, download: Download | None) -> None:
        """Draw a download; None and one that is through leave nothing to see."""
        if download is None or download.state in ("finished", "gone"):
            self._id = ""
            self.hide()
            return
        self._id = download.id
        self.bar.setVisible(download.state != "failed")
        total = download.total
        if download.active and not total:
            self.bar.setRange(0, 0)  # moves, and promises nothing
        else:
            self.bar.setRange(0, _STEPS)
            self.bar.setValue(_STEPS * min(download.done, total) // total if total else 0)
        told = [_state(download.state), progress(download)]
        self.words.setText(" · ".join(part for part in told if part))
        self.reason.setText(translated(download.reason))
        self.reason.setVisible(bool(download.reason))
        set_tone(self.reason, "danger" if download.state == "failed" else "muted")
        self._offer(download)
        self.show()

    def _offer(self, download: Download) -> None:
        focused = any(b.hasFocus() for b in (self.pause, self.resume))
        self.pause.setVisible(download.active)
        self.resume.setVisible(not download.active)
        name = tr("Try again") if download.state == "failed" else tr("Go on")
        _call(self.resume, name)
        _call(self.cancel, tr("Put away") if download.state == "failed" else tr("Cancel"))
        if focused:
            # Keys that paused it are there to go on with it.
            (self.pause if download.active else self.resume).setFocus()


def _call(button: QToolButton, name: str) -> None:
    button.setToolTip(tip(name))
    button.setAccessibleName(name)


def _state(state: DownloadState) -> str:
    if state == "waiting":
        return tr("Waiting")
    if state == "checking":
        return tr("Checking")
    if state == "paused":
        return tr("Paused")
    return tr("Not downloaded") if state == "failed" else ""
