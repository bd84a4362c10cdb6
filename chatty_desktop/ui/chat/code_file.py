"""A code block as a file: what it is called, and where it goes."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QStandardPaths, Qt
from PySide6.QtWidgets import QFileDialog, QWidget

from chatty_desktop.ui.language import tr

_PLAIN_ENDING = re.compile(r"\*(\.[A-Za-z0-9+]{1,12})")
_OWN = {"bash": ".sh", "shell": ".sh", "console": ".txt", "text": ".txt", "markdown": ".md"}


def ending_of(language: str) -> str:
    """How the name of a file in a language ends, such as `.py`; `.txt` where it is not known."""
    if language.lower() in _OWN:
        return _OWN[language.lower()]
    from pygments.lexers import get_lexer_by_name
    from pygments.util import ClassNotFound

    try:
        patterns = get_lexer_by_name(language).filenames
    except ClassNotFound:
        return ".txt"
    found = (_PLAIN_ENDING.fullmatch(pattern) for pattern in patterns)
    return next((match[1] for match in found if match), ".txt")


def ask_where_to_save(
    parent: QWidget, language: str, chosen: Callable[[Path], object]
) -> QFileDialog:
    """Ask for a place to write code to; `chosen` is called with it, or never."""
    ending = ending_of(language)
    folder = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DocumentsLocation)
    dialog = QFileDialog(parent, tr("Save code"), folder)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    dialog.setNameFilters([f"*{ending}", tr("All files (*)")])
    dialog.setDefaultSuffix(ending.removeprefix("."))
    dialog.fileSelected.connect(lambda name: chosen(Path(name)))
    dialog.selectFile(f"code{ending}")
    dialog.open()
    return dialog
