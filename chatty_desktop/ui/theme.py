"""The look of the window: colours, size of the letters and density, from one set of tokens."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Literal, Protocol

import shiboken6
from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontDatabase, QFontInfo, QFontMetrics, QIcon, QPalette
from PySide6.QtWidgets import QApplication, QStyleFactory, QWidget

from chatty_desktop.domain.settings import Appearance
from chatty_desktop.ui.icons import Phosphor
from chatty_desktop.ui.stylesheet import build
from chatty_desktop.ui.tokens import COMFORTABLE, COMPACT, DARK, LIGHT, Measures, Tokens, Tone

Scheme = Literal["light", "dark"]


_SIZE = 0x2
"""The bit of a font's mask that says that its size was set (`QFont::SizeResolved`)."""


class _TakesIcon(Protocol):
    def setIcon(self, icon: QIcon) -> object: ...


class Theme(QObject):
    """The look of the window; one is made per application and passed to every widget.

    tokens: the palette in use. measures: how close things stand.
    system_size: the points of the system's font.
    changing, changed: emitted before and after the palette, the letters, the stylesheet and the
    icons are others.
    """

    changing = Signal()
    changed = Signal()

    def __init__(self, application: QApplication, forced: Scheme | None = None) -> None:
        super().__init__(application)
        self._application = application
        self._forced = forced
        self._dressed: dict[int, tuple[weakref.ref[Any], Callable[[], None]]] = {}
        application.setStyle(QStyleFactory.create("Fusion"))
        self._icons = Phosphor()
        font = application.font()
        if font.pointSizeF() <= 0:
            # Some systems give their font in pixels; all others are worked out in points.
            font.setPointSizeF(QFontInfo(font).pointSizeF())
            application.setFont(font)
        self.system_size = font.pointSizeF()
        self.tokens: Tokens = self._wanted()
        self.measures: Measures = COMFORTABLE
        self._apply()
        application.styleHints().colorSchemeChanged.connect(self._follow)

    @property
    def is_dark(self) -> bool:
        return self.tokens is DARK

    @property
    def icon_size(self) -> int:
        """Pixels of an icon beside words of the usual size; 16 or more."""
        return max(16, round(0.95 * QFontMetrics(self._application.font()).height()))

    def force(self, scheme: Scheme | None) -> None:
        """Pin the scheme; None follows the system again."""
        self._forced = scheme
        self._follow()

    def show(self, appearance: Appearance) -> None:
        """Take on the look of the settings, at once and everywhere."""
        self._forced = None if appearance.theme == "system" else appearance.theme
        measures = COMPACT if appearance.density == "compact" else COMFORTABLE
        size = appearance.font_size or self.system_size
        same = measures is self.measures and size == self._application.font().pointSizeF()
        if same and self._wanted() is self.tokens:
            return
        self.changing.emit()
        self.measures = measures
        self.tokens = self._wanted()
        with self._resized(size):
            self._apply()
        self._tell()

    def icon(self, name: str, tone: Tone = "muted") -> QIcon:
        """An icon by its Phosphor name (`trash`, `brain`, `pencil-simple`), in today's colour.

        For icons that outlive a change of scheme use `dress`.
        """
        return self._icons.icon(name, QColor(self.tokens.colour(tone)))

    def dress(self, target: _TakesIcon, name: str, tone: Tone = "muted") -> None:
        """Give a button or an action its icon, and again whenever the scheme flips."""
        alive = weakref.ref(target)

        def set_icon() -> None:
            owner = alive()
            if owner is not None:
                owner.setIcon(self.icon(name, tone))

        self._dressed[id(target)] = (alive, set_icon)
        set_icon()

    def words(self) -> QFont:
        """The font of all that has none of its own."""
        return self._application.font()

    def small(self) -> QFont:
        """The system font, a little smaller: times, counts, captions."""
        return self._scaled(0.9)

    def heading(self) -> QFont:
        """The system font for the title of a panel or an empty state."""
        font = self._scaled(1.15)
        font.setWeight(QFont.Weight.DemiBold)
        return font

    def title(self) -> QFont:
        """The system font for the title of a page."""
        font = self._scaled(1.4)
        font.setWeight(QFont.Weight.DemiBold)
        return font

    def monospace(self) -> QFont:
        """The system's fixed-width font at the size of the text around it."""
        font = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
        font.setPointSizeF(self._application.font().pointSizeF() * 0.96)
        return font

    def _scaled(self, factor: float) -> QFont:
        font = QFont(self._application.font())
        font.setPointSizeF(font.pointSizeF() * factor)
        return font

    def _wanted(self) -> Tokens:
        if self._forced is not None:
            return DARK if self._forced == "dark" else LIGHT
        scheme = self._application.styleHints().colorScheme()
        return DARK if scheme == Qt.ColorScheme.Dark else LIGHT

    def _follow(self) -> None:
        wanted = self._wanted()
        if wanted is self.tokens:
            return
        self.changing.emit()
        self.tokens = wanted
        with self._resized(self._application.font().pointSizeF()):
            self._apply()
        self._tell()

    def _tell(self) -> None:
        for key, (alive, set_icon) in tuple(self._dressed.items()):
            target = alive()
            if target is None or not shiboken6.isValid(target):
                del self._dressed[key]
            else:
                set_icon()
        self.changed.emit()

    @contextmanager
    def _resized(self, points: float) -> Iterator[None]:
        """Give every widget letters of that size; those with a size of their own keep their
        proportion to the others. The stylesheet has to be set anew within: widgets take the
        letters on with it, and with it those of their own go back to what they were."""
        font = self._application.font()
        factor = points / font.pointSizeF()
        own = [
            (widget, widget.font())
            for widget in self._application.allWidgets()
            if widget.testAttribute(Qt.WidgetAttribute.WA_SetFont) and _is_sized(widget.font())
        ]
        if factor != 1:
            font.setPointSizeF(points)
            self._application.setFont(font)
        yield
        for widget, before in own:
            before.setPointSizeF(before.pointSizeF() * factor)
            widget.setFont(before)

    def _apply(self) -> None:
        self._application.setPalette(palette(self.tokens))
        self._application.setStyleSheet(build(self.tokens, self.measures, self.icon_size))


def _is_sized(font: QFont) -> bool:
    return bool(font.resolveMask() & _SIZE) and font.pointSizeF() > 0


def restyle(widget: QWidget, name: str, value: object) -> None:
    """Set a property of a widget that is on the screen, by which the stylesheet draws it."""
    widget.setProperty(name, value)
    style = widget.style()
    style.unpolish(widget)
    style.polish(widget)


def set_tone(widget: QWidget, tone: Tone | Literal[""]) -> None:
    """Colour a label's text in a tone of the stylesheet; "" is the plain text colour."""
    if widget.property("tone") == tone:
        return
    restyle(widget, "tone", tone)


def palette(tokens: Tokens) -> QPalette:
    """The tokens as Qt's palette, for whatever the stylesheet does not name."""
    made = QPalette()
    role = QPalette.ColorRole
    pairs = {
        role.Window: tokens.window,
        role.WindowText: tokens.text,
        role.Base: tokens.surface,
        role.AlternateBase: tokens.raised,
        role.Text: tokens.text,
        role.PlaceholderText: tokens.muted,
        role.Button: tokens.raised,
        role.ButtonText: tokens.text,
        role.BrightText: tokens.danger,
        role.Highlight: tokens.selection,
        role.HighlightedText: tokens.text,
        role.Accent: tokens.accent,
        role.Link: tokens.accent,
        role.LinkVisited: tokens.accent,
        role.ToolTipBase: tokens.raised,
        role.ToolTipText: tokens.text,
        role.Light: tokens.raised,
        role.Midlight: tokens.hover,
        role.Mid: tokens.border,
        role.Dark: tokens.control,
        role.Shadow: tokens.border,
    }
    for which, colour in pairs.items():
        made.setColor(which, QColor(colour))
    faded = QColor(tokens.disabled)
    for which in (role.WindowText, role.Text, role.ButtonText):
        made.setColor(QPalette.ColorGroup.Disabled, which, faded)
    return made
