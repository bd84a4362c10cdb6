"""The words of the window in the language it is set to.

Every text a person reads in the window goes through `tr`, or `trn` where a number decides its
form. The text in the code is English; what is shown in its place is up to the translators that
the application has installed.
"""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

CONTEXT = "chatty"


def tr(text: str, **values: object) -> str:
    """The text in the window's language, `{name}` in it filled with the values."""
    found = QCoreApplication.translate(CONTEXT, text)
    return found.format(**values) if values else found


def trn(one: str, many: str, count: int, **values: object) -> str:
    """The form that goes with a number of things, in the window's language: `one` for 1 in
    English, `many` for others. `{count}` is filled with the number, grouped by thousands."""
    found = QCoreApplication.translate(CONTEXT, one, None, count)
    if found == one and count != 1:
        found = many
    return found.format(count=f"{count:,}", **values)
