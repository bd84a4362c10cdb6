"""The Prompt tab: the last request to the model, section by section."""

from __future__ import annotations

import time

from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtWidgets import (
    QPlainTextEdit,
    QSplitter,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from chatty_desktop.domain.runs import SentRequest
from chatty_desktop.ui.inspector.prompt_list import PromptDelegate, PromptModel
from chatty_desktop.ui.language import number, tr, trn
from chatty_desktop.ui.pieces import Empty, Words, row_list
from chatty_desktop.ui.readable import when
from chatty_desktop.ui.theme import Theme
from chatty_desktop.ui.tokens import XS, L, M


class PromptView(QStackedWidget):
    """What was sent: where each part came from, how large it was, and its text."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._empty = Empty(theme, "file-text")
        self._meta = Words(tone="muted")
        self._meta.setFont(theme.small())
        self._meta.setContentsMargins(L, M, L, 0)
        self.model = PromptModel()
        self._delegate = PromptDelegate(theme)
        self.list = row_list(tr("Sections of the last request"), self.model, self._delegate)
        self.list.selectionModel().currentChanged.connect(self._chosen)
        self.content = QPlainTextEdit()
        self.content.setAccessibleName(tr("Content of the chosen section"))
        self.content.setReadOnly(True)
        self.content.setProperty("bare", True)
        self.content.setTabChangesFocus(True)
        framed = QWidget()
        around = QVBoxLayout(framed)
        around.setContentsMargins(L, M, L, L)
        around.addWidget(self.content)

        above = QWidget()
        column = QVBoxLayout(above)
        column.setContentsMargins(XS, 0, XS, XS)
        column.setSpacing(XS)
        column.addWidget(self._meta)
        column.addWidget(self.list, 1)
        split = QSplitter(Qt.Orientation.Vertical)
        split.addWidget(above)
        split.addWidget(framed)
        split.setChildrenCollapsible(False)
        split.setSizes([320, 260])
        self.addWidget(self._empty)
        self.addWidget(split)
        theme.changed.connect(self.list.viewport().update)

    def say(self, title: str, hint: str) -> None:
        """Show a sentence in place of a request."""
        self.model.show_sections(())
        self._empty.say(title, hint)
        self.setCurrentIndex(0)

    def show_request(self, request: SentRequest | None) -> None:
        """Draw a request; None: there was none yet."""
        if request is None:
            self.say(
                tr("Nothing was sent yet"),
                tr("Send a message; then all that the model was given stands here, part by part."),
            )
            return
        self._meta.setText(meta(request, time.time()))
        if self.model.show_sections(request.sections):
            self.list.setCurrentIndex(self.model.index(0))
        self.setCurrentIndex(1)

    def _chosen(self, index: QModelIndex, _before: QModelIndex) -> None:
        section = self.model.section(index)
        self.content.setPlainText(section.content if section else "")


def meta(request: SentRequest, now: float) -> str:
    """When, to which model, and how many tokens: as estimated, and as the server counted."""
    parts = [
        when(request.at, now),
        request.model,
        trn("about {count} token", "about {count} tokens", request.estimated_tokens),
    ]
    if request.usage.prompt_tokens is not None:
        parts.append(tr("the server counted {tokens}", tokens=number(request.usage.prompt_tokens)))
    return " · ".join(part for part in parts if part)
