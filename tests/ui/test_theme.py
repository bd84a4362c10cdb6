"""Both palettes can be read, and the window follows the system's scheme."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QAction, QPalette
from PySide6.QtWidgets import QApplication

from chatty_desktop.domain.settings import Appearance
from chatty_desktop.ui.theme import Theme
from chatty_desktop.ui.tokens import DARK, LIGHT, Tokens, contrast

BACKGROUNDS = ("window", "surface", "raised", "hover", "selection", "code_background")
SOFT = {
    "memory": "memory_soft",
    "accent": "accent_soft",
    "danger": "danger_soft",
    "warning": "warning_soft",
    "on_accent": "accent",
}
CODE = ("code_keyword", "code_string", "code_comment", "code_number", "code_name")


@pytest.mark.parametrize("tokens", [LIGHT, DARK], ids=["light", "dark"])
def test_every_text_can_be_read_on_every_background(tokens: Tokens) -> None:
    pairs = [(tone, back) for tone in ("text", "muted") for back in BACKGROUNDS]
    pairs += [
        (t, b)
        for t in ("accent", "memory", "danger", "warning", "success")
        for b in ("window", "surface", "raised")
    ]
    pairs += list(SOFT.items())
    pairs += [
        (tone, soft) for soft in SOFT.values() if soft != "accent" for tone in ("text", "muted")
    ]
    pairs += [("on_accent", "accent_hover")]
    pairs += [(tone, "code_background") for tone in CODE]
    weak = {
        pair: round(ratio, 2)
        for pair in pairs
        if (ratio := contrast(getattr(tokens, pair[0]), getattr(tokens, pair[1]))) < 4.5
    }
    assert weak == {}


def test_a_forced_scheme_recolours_palette_icons_and_tells_listeners(qapp: QApplication) -> None:
    theme = Theme(qapp, "light")
    heard: list[str] = []
    theme.changed.connect(lambda: heard.append(theme.tokens.name))
    action = QAction()
    theme.dress(action, "trash", "text")
    before = action.icon().pixmap(16, 16).toImage()
    theme.force("dark")
    assert heard == ["dark"]
    assert theme.is_dark
    assert qapp.palette().color(QPalette.ColorRole.Window).name() == DARK.window
    assert action.icon().pixmap(16, 16).toImage() != before
    theme.force("light")
    assert heard == ["dark", "light"]


def test_an_icon_of_a_widget_that_is_gone_is_forgotten(qapp: QApplication) -> None:
    theme = Theme(qapp, "light")
    action = QAction()
    theme.dress(action, "trash")
    del action
    theme.force("dark")
    assert not theme._dressed
    theme.force("light")


def test_a_system_font_given_in_pixels_is_worked_out_in_points(qapp: QApplication) -> None:
    before = qapp.font()
    in_pixels = qapp.font()
    in_pixels.setPixelSize(20)
    qapp.setFont(in_pixels)
    theme = Theme(qapp, "light")
    assert theme.system_size > 0
    assert theme.small().pointSizeF() == pytest.approx(0.9 * theme.system_size)
    theme.show(Appearance(theme="light", font_size=2 * theme.system_size))
    assert qapp.font().pointSizeF() == pytest.approx(2 * theme.system_size)
    qapp.setFont(before)
