"""Keeping what has keys in it, with the question about a file where there is no keyring."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any

from PySide6.QtWidgets import QMessageBox, QWidget

from chatty_desktop.domain.errors import NoKeyring
from chatty_desktop.ui.language import tr, translated
from chatty_desktop.ui.questions import ask
from chatty_desktop.ui.tasks import Failed, Tasks

Saving = Callable[[bool], Coroutine[Any, Any, None]]
"""Saves something with keys; whether they may go into a file."""


@dataclass(frozen=True, slots=True)
class FileWords:
    """The question about the file: what it asks and explains, and what its buttons say."""

    question: str
    detail: str
    keep: str
    leave: str


def keep_keys(
    over: QWidget,
    tasks: Tasks,
    saving: Saving,
    words: Callable[[str], FileWords],
    failed: Failed | None = None,
) -> None:
    """Save into the keyring; where there is none, ask over a widget whether the keys may go into
    a file. `words` gets what the keyring says of itself."""

    async def trying() -> None:
        try:
            await saving(False)
        except NoKeyring as error:
            ask_about_file(words(translated(str(error))))

    def ask_about_file(said: FileWords) -> None:
        button = QMessageBox.StandardButton

        def answered(answer: QMessageBox.StandardButton) -> None:
            if answer == button.Yes:
                tasks.start(saving(True), failed=failed)
            elif answer == button.Retry:
                tasks.start(trying(), failed=failed)

        ask(
            over,
            said.question,
            said.detail,
            (button.Cancel, button.Yes, button.Retry),
            answered,
            {
                button.Cancel: said.leave,
                button.Yes: said.keep,
                button.Retry: tr("Try the keyring again"),
            },
        )

    tasks.start(trying(), failed=failed)
