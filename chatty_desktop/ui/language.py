"""The words of the window in the language it is set to.

Every text a person reads in the window goes through `tr`, or `trn` where a number decides its
form. The text in the code is English; what is shown in its place is up to the translators that
the application has installed (`ui/translations.py`).
"""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QLocale

CONTEXT = "chatty"

BELOW = "chatty below"
"""Of texts that are put together already, below the ui."""

PLURAL = "\x04"
"""Between the two English forms of a text that depends on a number, when Qt is asked for it."""


def tr(text: str, **values: object) -> str:
    """The text in the window's language, `{name}` in it filled with the values."""
    found = QCoreApplication.translate(CONTEXT, text)
    return found.format(**values) if values else found


def trn(one: str, many: str, count: int, **values: object) -> str:
    """The form that goes with a number of things, in the window's language: `one` for 1 in
    English, `many` for others. `{count}` is filled with the number, grouped by thousands."""
    # Qt hands the number to a translator, but only one text beside it.
    asked = f"{one}{PLURAL}{many}"
    found = QCoreApplication.translate(CONTEXT, asked, None, count)
    if PLURAL in found or not found:
        found = one if count == 1 else many
    return found.format(count=number(count), **values)


def translated(text: str) -> str:
    """A text from below the ui, such as an error's or a notice's, in the window's language. What
    is in no catalogue stays as it is."""
    return QCoreApplication.translate(BELOW, text) if text else text


def N_(text: str) -> str:
    """The text as it is. It marks one that stands where there is no window yet, such as in a
    table at the top of a module, for the translators; whoever shows it calls `tr` on it."""
    return text


def number(value: int) -> str:
    """A whole number, grouped by thousands as the window's language does."""
    return _locale().toString(value)


def decimal(value: float, digits: int) -> str:
    """A number with so many digits after the point, written as the window's language does."""
    return _locale().toString(float(value), "f", digits)


def _locale() -> QLocale:
    locale = QLocale()
    locale.setNumberOptions(QLocale.NumberOption.DefaultNumberOptions)
    return locale
