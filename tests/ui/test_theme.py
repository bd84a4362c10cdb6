"""Both palettes can be read, and the window follows the system's scheme."""

from __future__ import annotations

import re

import pytest
from PySide6.QtGui import QAction, QPalette
from PySide6.QtWidgets import QApplication, QLabel
from pytestqt.qtbot import QtBot

from chatty_desktop.domain.settings import Appearance
from chatty_desktop.ui.stylesheet import build
from chatty_desktop.ui.theme import Theme
from chatty_desktop.ui.tokens import COMFORTABLE, DARK, LIGHT, Tokens, contrast

BACKGROUNDS = (
    "window",
    "surface",
    "raised",
    "hover",
    "selection",
    "code_background",
    "memory_soft",
    "accent_soft",
    "danger_soft",
    "warning_soft",
)
TONES = ("text", "muted", "accent", "memory", "danger", "warning", "success")
CODE = ("code_keyword", "code_string", "code_comment", "code_number", "code_name")
PALETTES = pytest.mark.parametrize("tokens", [LIGHT, DARK], ids=["light", "dark"])


@PALETTES
def test_every_text_can_be_read_on_every_background(tokens: Tokens) -> None:
    pairs = [(tone, back) for tone in TONES for back in BACKGROUNDS]
    pairs += [("on_accent", "accent"), ("on_accent", "accent_hover")]
    pairs += [(tone, "code_background") for tone in CODE]
    weak = {
        pair: round(ratio, 2)
        for pair in pairs
        if (ratio := contrast(getattr(tokens, pair[0]), getattr(tokens, pair[1]))) < 4.5
    }
    assert weak == {}


@PALETTES
def test_what_cannot_be_used_can_still_be_read_and_focus_is_seen(tokens: Tokens) -> None:
    for back in ("window", "surface", "raised", "hover"):
        assert contrast(tokens.disabled, getattr(tokens, back)) >= 3
        assert contrast(tokens.accent, getattr(tokens, back)) >= 3


@PALETTES
def test_the_stylesheet_writes_in_no_other_colours(tokens: Tokens) -> None:
    """All others would escape the two tests above. Written on a colour of its own, a text is
    measured against that."""
    readable = {getattr(tokens, tone) for tone in TONES}
    for rule in re.findall(r"[^{}]+\{[^}]*\}", build(tokens, COMFORTABLE, 16)):
        written = re.search(r"(?<![-\w])(?:placeholder-text-|selection-)?color: (\S+?);", rule)
        if written is None or written.group(1) == "transparent":
            continue
        below = re.search(r"(?<![-\w])background: (#\w+)", rule)
        if written.group(1) == tokens.disabled:
            assert ":disabled" in rule
        elif written.group(1) == tokens.on_accent:
            assert below is not None
            assert contrast(tokens.on_accent, below.group(1)) >= 4.5
        else:
            assert written.group(1) in readable, rule


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
    # The stylesheet goes by the letters too, and outlives this theme.
    theme.show(Appearance(theme="light", font_size=before.pointSizeF()))
    qapp.setFont(before)


def test_letters_of_a_size_of_their_own_outlive_a_change_of_colours_or_density(
    theme: Theme, qtbot: QtBot
) -> None:
    label = QLabel("Title")
    qtbot.addWidget(label)
    label.setFont(theme.title())
    label.show()
    theme.show(Appearance(theme="light", font_size=18))
    large = label.font().pointSizeF()
    assert large == pytest.approx(1.4 * 18)
    theme.show(Appearance(theme="light", font_size=18, density="compact"))
    assert label.font().pointSizeF() == pytest.approx(large)
    theme.show(Appearance(theme="dark", font_size=18))
    assert label.font().pointSizeF() == pytest.approx(large)
