"""Said before sending: the model does not look at images."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QWidget

from chatty_desktop.domain.attachments import Attachment
from chatty_desktop.domain.runs import NextRequest
from chatty_desktop.ui.language import tr
from chatty_desktop.ui.pieces import IconLabel, TextButton, Words
from chatty_desktop.ui.theme import Theme
from chatty_desktop.ui.tokens import XS, S


class UnseenImages(QFrame):
    """remove_wanted: the message is to go without its images."""

    remove_wanted = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("panel", "warning")
        self._words = Words()
        self._words.setFont(theme.small())
        self.remove = TextButton(tr("Remove images"))
        self.remove.setFont(theme.small())
        self.remove.clicked.connect(self.remove_wanted)
        row = QHBoxLayout(self)
        row.setContentsMargins(S, XS, S, XS)
        row.setSpacing(S)
        row.addWidget(IconLabel(theme, "eye-slash", "warning"))
        row.addWidget(self._words, 1)
        row.addWidget(self.remove)
        self.hide()

    def show_files(self, files: Sequence[Attachment], request: NextRequest | None) -> None:
        """Say it where it is known, and there is an image."""
        unseen = request is not None and request.sees_images is False
        shown = unseen and any(file.is_image for file in files)
        if shown and request is not None:
            self._words.setText(
                tr(
                    "{model} does not look at images: it is only told that they are there.",
                    model=request.model,
                )
            )
        self.setVisible(shown)
