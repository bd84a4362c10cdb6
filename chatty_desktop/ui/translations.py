"""Puts a language into the application: its catalogue, Qt's own words in it, numbers and dates.

Catalogues are gettext's: `resources/translations/<code>/LC_MESSAGES/chatty.mo`, made from the .po
beside it by `make translations`.
"""

from __future__ import annotations

import gettext
import logging
from functools import cached_property
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QLibraryInfo, QLocale, QObject, QTranslator

from chatty_desktop.paths import resources_folder
from chatty_desktop.ui.language import BELOW, CONTEXT, PLURAL
from chatty_desktop.ui.patterns import Patterns

log = logging.getLogger(__name__)

SOURCE = "en"
"""The language of the texts in the code, which needs no catalogue."""


def languages() -> list[str]:
    """The codes of the languages there are, the source's first."""
    found = (file.parts[-3] for file in _folder().glob("*/LC_MESSAGES/chatty.mo"))
    return [SOURCE, *sorted(found)]


def language_for(wanted: str | None, system: list[str]) -> str:
    """The language to speak: the one wanted, else the first of the system's that there is.

    Codes may be more exact than what there is: "de-AT" is served by "de".
    """
    there = languages()
    for code in ([wanted] if wanted else []) + system:
        base = code.replace("_", "-").split("-")[0].lower()
        if base in there:
            return base
    return SOURCE


def speak(application: QCoreApplication, wanted: str | None) -> str:
    """Give the application a language, None as the system has it, and return its code.

    What was on the screen before keeps its words.
    """
    for former in application.findChildren(QTranslator):
        application.removeTranslator(former)
        former.setParent(None)
    system = QLocale.system()
    code = language_for(wanted, system.uiLanguages())
    # The system's own locale knows more: the country, and what the person has set there.
    same = QLocale(code).language() == system.language() or not wanted
    QLocale.setDefault(system if same else QLocale(code))
    if code == SOURCE:
        return code
    try:
        application.installTranslator(Catalogue(_folder() / code, application))
    except (OSError, ValueError, UnicodeError) as error:
        log.error("The translation %s cannot be read: %s", code, error)
        return SOURCE
    # Installed last, Qt's is asked first, and what is its own never comes to ours.
    qt = QTranslator(application)
    if qt.load(f"qtbase_{code}", QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)):
        application.installTranslator(qt)
    return code


class Catalogue(QTranslator):
    """Answers Qt from a gettext catalogue. Raises `OSError` or `ValueError` when it is not one."""

    def __init__(self, folder: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        with (folder / "LC_MESSAGES" / "chatty.mo").open("rb") as stream:
            self._texts = gettext.GNUTranslations(stream)

    def isEmpty(self) -> bool:
        return False

    def translate(
        self, context: str, sourceText: str, disambiguation: str | None = None, n: int = -1
    ) -> str | None:
        if context == BELOW:
            return self._patterns.translated(sourceText)
        # The text "" is the catalogue's own header.
        if context != CONTEXT or not sourceText:
            return None
        one, plural, many = sourceText.partition(PLURAL)
        found = self._texts.ngettext(one, many, n) if plural else self._texts.gettext(one)
        # None, not an empty text: that would be shown.
        return None if found in (one, many) else found

    @cached_property
    def _patterns(self) -> Patterns:
        # gettext offers no other way to see what it holds.
        texts: dict[object, str] = self._texts._catalog  # type: ignore[attr-defined]
        return Patterns({text: shown for text, shown in texts.items() if isinstance(text, str)})


def _folder() -> Path:
    return resources_folder() / "translations"
