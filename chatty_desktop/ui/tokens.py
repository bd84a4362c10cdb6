"""The colours and measures of the window, by what they are for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

XS: Final = 4
S: Final = 8
M: Final = 12
L: Final = 16
XL: Final = 24


@dataclass(frozen=True, slots=True)
class Measures:
    """How close things stand, in pixels; the look has one of these beside its palette.

    row: above and below the words in a row of a list that is drawn by hand. item: the same in
    plain lists and menus. control, tab: within buttons and fields, and within tabs, above and
    below the words. message: between two messages. group: between the groups of a form.
    """

    row: int
    item: int
    control: int
    tab: int
    message: int
    group: int


COMFORTABLE: Final = Measures(row=8, item=5, control=5, tab=6, message=16, group=24)
COMPACT: Final = Measures(row=5, item=2, control=2, tab=3, message=8, group=12)

Tone = Literal[
    "text",
    "muted",
    "accent",
    "on_accent",
    "memory",
    "danger",
    "warning",
    "success",
    "border",
    "part_system",
    "part_tools",
    "part_spec",
    "part_state",
    "part_summary",
    "part_facts",
    "part_recalled",
    "part_window",
    "part_results",
    "part_new",
]
"""The tokens a piece of text or an icon may be drawn in."""


@dataclass(frozen=True, slots=True)
class Tokens:
    """One palette. Every value is `#rrggbb`.

    Backgrounds, from the back to the front:
    window: side columns and the space between panels.
    surface: the chat and the panels people read in.
    raised: what lies on a surface (cards, the person's own messages, menus).
    hover: under the pointer. selection: chosen rows and selected text.
    code_background: code blocks. memory_soft: behind anything that is memory.
    accent_soft, danger_soft, warning_soft: banners and marks. mark: behind words that were found.

    Foregrounds:
    text, muted: words, and words of second rank. disabled: words of what cannot be used now, which
    still have to be read.
    accent: the one colour for what can be done next; `on_accent` is written on it, and
    `accent_hover` is the same under the pointer.
    memory: memory's own colour wherever it shows.
    danger, warning, success: states. border: hairlines (not text). control: the outline of what
    can be typed into or pressed.

    code_*: syntax highlighting on `code_background`.

    part_*: the parts of a request, by where they come from; each shows with its icon and name.
    """

    name: str
    window: str
    surface: str
    raised: str
    hover: str
    selection: str
    code_background: str
    memory_soft: str
    accent_soft: str
    danger_soft: str
    warning_soft: str
    mark: str
    text: str
    muted: str
    disabled: str
    accent: str
    accent_hover: str
    on_accent: str
    memory: str
    danger: str
    warning: str
    success: str
    border: str
    control: str
    code_keyword: str
    code_string: str
    code_comment: str
    code_number: str
    code_name: str
    part_system: str
    part_tools: str
    part_spec: str
    part_state: str
    part_summary: str
    part_facts: str
    part_recalled: str
    part_window: str
    part_results: str
    part_new: str

    def colour(self, tone: Tone) -> str:
        """The colour of a tone."""
        return str(getattr(self, tone))


LIGHT: Final = Tokens(
    name="light",
    window="#f4f3f1",
    surface="#fdfdfc",
    raised="#f0efec",
    hover="#e9e7e3",
    selection="#d6e0f8",
    code_background="#f3f2ef",
    memory_soft="#f6ecf4",
    accent_soft="#e6ecfa",
    danger_soft="#fbe9e7",
    warning_soft="#faf0dc",
    mark="#f7dc8b",
    text="#22242a",
    muted="#595d66",
    disabled="#7d8089",
    accent="#2f56b8",
    accent_hover="#26479b",
    on_accent="#ffffff",
    memory="#83417c",
    danger="#ab2419",
    warning="#7c4c00",
    success="#1c6a3d",
    border="#dedbd6",
    control="#b9b5ae",
    code_keyword="#8a2a7a",
    code_string="#1f6a2e",
    code_comment="#62666e",
    code_number="#9a4a00",
    code_name="#2450a8",
    part_system="#5d6472",
    part_tools="#7d6300",
    part_spec="#a8569c",
    part_state="#7a2f72",
    part_summary="#1f7775",
    part_facts="#a34a20",
    part_recalled="#6546c0",
    part_window="#2a66b0",
    part_results="#557015",
    part_new="#17683a",
)

DARK: Final = Tokens(
    name="dark",
    window="#191a1d",
    surface="#1f2024",
    raised="#292b30",
    hover="#32343a",
    selection="#2f3d66",
    code_background="#17181b",
    memory_soft="#352733",
    accent_soft="#273150",
    danger_soft="#412624",
    warning_soft="#3a2f1c",
    mark="#6b5316",
    text="#e8e8ea",
    muted="#abafb8",
    disabled="#82858e",
    accent="#93b0ff",
    accent_hover="#afc4ff",
    on_accent="#0f1a36",
    memory="#dfaad7",
    danger="#ffa198",
    warning="#efc077",
    success="#83d8a3",
    border="#35373d",
    control="#54575f",
    code_keyword="#e29ad6",
    code_string="#8fd69b",
    code_comment="#9297a1",
    code_number="#f0b878",
    code_name="#9dbcff",
    part_system="#a3aab8",
    part_tools="#d9bb55",
    part_spec="#eba6e0",
    part_state="#cf86c5",
    part_summary="#6fc7c4",
    part_facts="#f0a27c",
    part_recalled="#b9a5ff",
    part_window="#86b8f5",
    part_results="#b3cf6b",
    part_new="#7fd6a0",
)


def contrast(foreground: str, background: str) -> float:
    """The WCAG 2 contrast ratio of two `#rrggbb` colours, 1 to 21."""
    lighter, darker = sorted((_luminance(foreground), _luminance(background)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(colour: str) -> float:
    channels = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    red, green, blue = (
        c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
