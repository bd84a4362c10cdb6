"""Settings: the look of the window and its language. The window itself is the preview."""

from __future__ import annotations

from PySide6.QtCore import QLocale
from PySide6.QtWidgets import QHBoxLayout, QWidget

from chatty_desktop.domain.settings import Settings, with_appearance, with_chat
from chatty_desktop.ui.controls import Choice, Field, Number
from chatty_desktop.ui.language import N_, tr
from chatty_desktop.ui.pieces import TextButton
from chatty_desktop.ui.settings.page import Page, Surroundings
from chatty_desktop.ui.tokens import S
from chatty_desktop.ui.translations import language_for, languages

THEMES = (("system", N_("As the system")), ("light", N_("Light")), ("dark", N_("Dark")))
DENSITIES = (("comfortable", N_("Comfortable")), ("compact", N_("Compact")))
SEND_KEYS = (
    ("enter", N_("Enter; Shift+Enter begins a new line")),
    ("ctrl_enter", N_("Ctrl+Enter; Enter begins a new line")),
)

SMALLEST, LARGEST = 6, 32
"""Points, as the settings allow."""


class SettingsPage(Page):
    """Colours, size of the letters, density, the key that sends, and language.

    theme_choice, density, language, font_size, send_with: the controls; `as_system` gives the
    letters the system's size again.
    """

    def __init__(self, around: Surroundings) -> None:
        super().__init__(around)
        self.theme_choice = _choice(THEMES)
        self.density = _choice(DENSITIES)
        self.font_size = Number(SMALLEST, LARGEST)
        self.font_size.setSuffix(tr(" pt"))
        # Steps apply at once, what is typed when it is done.
        self.font_size.setKeyboardTracking(False)
        self.as_system = TextButton(tr("As the system"))
        self.language = Choice()
        self._fill_languages()
        look = self.group(tr("Look"), tr("Applies at once, to every window of the app."))
        self._theme_field = Field(tr("Colours"), self.theme_choice, self.theme)
        self._size_field = Field(
            tr("Size of the letters"),
            self._sized(),
            self.theme,
            tr(
                "The system's is {points} points.",
                points=QLocale().toString(self.theme.system_size),
            ),
        )
        self.font_size.setAccessibleName(tr("Size of the letters"))
        self._density_field = Field(
            tr("Density"),
            self.density,
            self.theme,
            tr("Compact has more on the screen: rows, buttons and messages stand closer."),
        )
        for field in (self._theme_field, self._size_field, self._density_field):
            look.addWidget(field)
        self.send_with = _choice(SEND_KEYS)
        writing = self.group(tr("Writing"))
        self._send_field = Field(tr("Messages are sent with"), self.send_with, self.theme)
        writing.addWidget(self._send_field)
        words = self.group(tr("Language"))
        self._language_field = Field(tr("Language of the window"), self.language, self.theme)
        words.addWidget(self._language_field)
        self.close_column()
        self._spoken = self.settings.appearance.language
        self._connect()

    def show_settings(self, settings: Settings) -> None:
        look = settings.appearance
        _show(self.theme_choice, look.theme)
        _show(self.density, look.density)
        _show(self.language, look.language)
        _show(self.send_with, settings.chat.send_with)
        size = round(look.font_size or self.theme.system_size)
        if not self.font_size.hasFocus() or self.font_size.value() == size:
            self.font_size.blockSignals(True)
            self.font_size.setValue(size)
            self.font_size.blockSignals(False)
        self.as_system.setEnabled(look.font_size is not None)
        self._language_field.hint(
            tr("Another language applies when the app is opened next.")
            if look.language == self._spoken
            else tr("Close the app and open it again: the window speaks it from then on.")
        )

    def _connect(self) -> None:
        self.theme_choice.activated.connect(lambda: self._set(self._theme_field, "theme"))
        self.density.activated.connect(lambda: self._set(self._density_field, "density"))
        self.language.activated.connect(lambda: self._set(self._language_field, "language"))
        self.send_with.activated.connect(
            lambda: self.apply(with_chat(send_with=self.send_with.currentData()), self._send_field)
        )
        self.font_size.valueChanged.connect(self._set_size)
        self.as_system.clicked.connect(lambda: self._set_size(None))

    def _set(self, field: Field, name: str) -> None:
        control = field.control
        assert isinstance(control, Choice)
        self.apply(with_appearance(**{name: control.currentData()}), field)

    def _set_size(self, points: int | None) -> None:
        self.apply(with_appearance(font_size=points), self._size_field)

    def _sized(self) -> QWidget:
        pair = QWidget()
        row = QHBoxLayout(pair)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(S)
        row.addWidget(self.font_size)
        row.addWidget(self.as_system)
        row.addStretch(1)
        pair.setFocusProxy(self.font_size)
        return pair

    def _fill_languages(self) -> None:
        """The languages by their own names: whoever reads no other must find theirs."""
        system = language_for(None, QLocale.system().uiLanguages())
        self.language.addItem(tr("As the system ({language})", language=_own_name(system)), None)
        for code in languages():
            self.language.addItem(_own_name(code), code)
        chosen = self.settings.appearance.language
        if chosen and self.language.findData(chosen) < 0:
            self.language.addItem(tr("{code} (no translation)", code=chosen), chosen)


def _choice(entries: tuple[tuple[str, str], ...]) -> Choice:
    box = Choice()
    for value, name in entries:
        box.addItem(tr(name), value)
    return box


def _show(box: Choice, value: object) -> None:
    box.setCurrentIndex(max(0, box.findData(value)))


def _own_name(code: str) -> str:
    name = QLocale(code).nativeLanguageName()
    # Qt says "American English" for English alone.
    return "English" if code == "en" else name[:1].upper() + name[1:]
