"""Formulas as the HTML that Qt draws: on a line, or set off with true fractions and matrices.

Qt knows raised and lowered text, but only one step of either, and tables, but not within a line.
So on a line a fraction is a/b, and a power within a power is written with ^.
"""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

from chatty_desktop.ui.chat.formula_nodes import (
    Fraction,
    Grid,
    Lined,
    Node,
    Root,
    Row,
    Scripted,
    Sign,
    Space,
)
from chatty_desktop.ui.chat.formula_tree import Unreadable, parse

_UPRIGHT = "ΓΔΘΛΞΠΣΥΦΨΩ∂∇∞∅∀∃∄¬⊤⊥…⋯⋮⋱°′"
MOST_TABLES = 40
"""Fractions and matrices that are set as tables in one formula."""


@dataclass(frozen=True, slots=True)
class SetOff:
    """A formula in a block of its own, and how many tables it is made of."""

    html: str
    tables: int


def on_a_line(source: str) -> str | None:
    """A formula within a text; None when it cannot be read."""
    try:
        return _line(parse(source))
    except Unreadable:
        return None


def set_off(source: str) -> SetOff | None:
    """A formula in a block of its own; None when it cannot be read."""
    try:
        tree = parse(source)
    except Unreadable:
        return None
    tables = [0]
    html = _block(tree, tables)
    if tables[0] == 0:
        return SetOff(f'<p class="formula">{html}</p>', 0)
    return SetOff(html, tables[0])


def _block(tree: Node, tables: list[int]) -> str:
    """A formula with its fractions and grids as tables beside each other, as far as they stand in
    the outermost row; what is within them is set on a line."""
    parts = tree.parts if isinstance(tree, Row) else (tree,)
    if isinstance(tree, Grid) and not (tree.left or tree.right):
        # Lines of a derivation: each cell may hold fractions of its own.
        return _table(tree, tables, 'class="formula" style="margin-bottom:8px"', nested=True)
    if not any(_is_tall(part) for part in parts):
        return _line(tree)
    tables[0] += 1
    cells: list[str] = []
    beside: list[Node] = []
    for part in parts:
        if _is_tall(part) and tables[0] < MOST_TABLES:
            if beside:
                words = _row(tuple(beside), script=False, begun=bool(cells), open_end=True)
                cells.append(f"<td {_BESIDE}>{words}</td>")
                beside = []
            cells.append(f"<td {_BESIDE}>{_tabled(part, tables)}</td>")
        else:
            beside.append(part)
    if beside:
        words = _row(tuple(beside), script=False, begun=bool(cells), open_end=False)
        cells.append(f"<td {_BESIDE}>{words}</td>")
    return (
        '<table class="formula" cellspacing="0" cellpadding="0" style="margin-bottom:8px">'
        f"<tr>{''.join(cells)}</tr></table>"
    )


_MIDDLE = 'style="vertical-align:middle;white-space:pre"'
_BESIDE = f'class="beside" {_MIDDLE}'


def _is_tall(part: Node) -> bool:
    """Whether it takes more than a line: set off, limits stand above and below their sign."""
    match part:
        case Fraction() | Grid():
            return True
        case Scripted(Sign("big", text)):
            return text not in "∫∬∭∮∯"
        case Scripted(Sign("name", "lim" | "max" | "min" | "sup" | "inf" | "argmax" | "argmin")):
            return True
        case _:
            return False


def _tabled(part: Node, tables: list[int]) -> str:
    if isinstance(part, Grid):
        return _table(part, tables, "", nested=False)
    tables[0] += 1
    if isinstance(part, Scripted):
        sign = "sign" if isinstance(part.base, Sign) and part.base.kind == "big" else "bare"
        rows = [
            f'<tr><td class="{kind}" align="center">{_line(node, script=script)}</td></tr>'
            for kind, node, script in (
                ("limit", part.above, True),
                (sign, part.base, False),
                ("limit", part.below, True),
            )
            if node is not None
        ]
        return f'<table cellspacing="0" cellpadding="0">{"".join(rows)}</table>'
    assert isinstance(part, Fraction)
    bar = "over" if part.line else "bare"
    html = (
        '<table cellspacing="0" cellpadding="0">'
        f'<tr><td class="{bar}" align="center">{_line(part.above)}</td></tr>'
        f'<tr><td class="bare" align="center">{_line(part.below)}</td></tr></table>'
    )
    return html if part.line else _between("(", html, ")", 2, tables)


def _table(grid: Grid, tables: list[int], attributes: str, *, nested: bool) -> str:
    tables[0] += 1
    rows: list[str] = []
    for row in grid.rows:
        cells = []
        for column, node in enumerate(row):
            # In a derivation the sign of relation begins a cell, and stands under the one above.
            align = "right" if nested and len(row) > 1 and column % 2 == 0 else "left"
            align = align if nested or not grid.right else "center"
            inner = (
                _block(node, tables)
                if nested and tables[0] < MOST_TABLES and not isinstance(node, Grid)
                else _line(node, begun=column > 0)
            ).lstrip()
            cells.append(f'<td class="cell" align="{align}" {_MIDDLE}>{inner or " "}</td>')
        rows.append(f"<tr>{''.join(cells)}</tr>")
    html = f'<table {attributes} cellspacing="0" cellpadding="0">{"".join(rows)}</table>'
    if not (grid.left or grid.right):
        return html
    return _between(grid.left, html, grid.right, len(grid.rows), tables)


_TALL = {
    "(": "⎛⎜⎝",
    ")": "⎞⎟⎠",
    "[": "⎡⎢⎣",
    "]": "⎤⎥⎦",
    "|": "│││",
    "‖": "‖‖‖",
}


def _between(left: str, html: str, right: str, height: int, tables: list[int]) -> str:
    """A table between brackets as high as it is."""
    tables[0] += 1

    def side(bracket: str) -> str:
        if not bracket:
            return ""
        if height == 1:
            return f"<td {_BESIDE}>{escape(bracket)}</td>"
        if bracket in "{}":
            top, piece, middle, bottom = list("⎧⎪⎨⎩" if bracket == "{" else "⎫⎪⎬⎭")
            if height == 2:
                lines = [top, middle, bottom]
            else:
                wings = [piece] * ((height - 2) // 2)
                lines = [top, *wings, middle, *wings, bottom]
        elif bracket in _TALL:
            top, piece, bottom = list(_TALL[bracket])
            lines = [top, *[piece] * (height - 2), bottom]
        else:
            lines = [bracket]
        return f'<td class="bracket" {_MIDDLE}>{"<br>".join(lines)}</td>'

    return (
        '<table cellspacing="0" cellpadding="0"><tr>'
        f"{side(left)}<td {_BESIDE}>{html}</td>{side(right)}</tr></table>"
    )


def _line(node: Node, *, script: bool = False, begun: bool = False, open_end: bool = False) -> str:
    """A node on a line. `script`: it is raised or lowered already. `begun`, `open_end`: something
    stands before it or after it, so that a sign at its edge stands between two things."""
    match node:
        case Row(parts):
            return _row(parts, script=script, begun=begun, open_end=open_end)
        case Sign():
            if begun or open_end:
                return _row((node,), script=script, begun=begun, open_end=open_end)
            return _sign(node)
        case Space(text):
            return text
        case Scripted(base, below, above):
            return _line(base, script=script) + _scripts(below, above, script=script)
        case Fraction(above, below, line):
            if not line:
                return f"C({_line(above, script=script)}, {_line(below, script=script)})"
            return f"{_one(above, script)}/{_one(below, script)}"
        case Root(inner, index):
            before = f"<sup>{_line(index, script=True)}</sup>" if index and not script else ""
            if index and script:
                before = _line(index, script=True)
            return f"{before}√<span class='lined'>{_line(inner, script=script)}</span>"
        case Lined(inner, above):
            kind = "lined" if above else "underlined"
            return f"<span class='{kind}'>{_line(inner, script=script)}</span>"
        case Grid(rows, left, right):
            lines = "; ".join(", ".join(_line(cell, script=script) for cell in row) for row in rows)
            return f"{escape(left)}{lines}{escape(right)}"


def _row(parts: tuple[Node, ...], *, script: bool, begun: bool, open_end: bool) -> str:
    drawn: list[str] = []
    before: Node | None = Sign("letter", "") if begun else None
    for place, part in enumerate(parts):
        sign = part.base if isinstance(part, Scripted) else part
        kind = sign.kind if isinstance(sign, Sign) else ""
        html = _line(part, script=script)
        last = place == len(parts) - 1 and not open_end
        if kind == "relation" or (kind == "operator" and _ends_a_thing(before)):
            tight = script or last or (kind == "operator" and html in ("/", "∗"))
            html = html if tight else f" {html} "
        elif kind in ("name", "big") and not script:
            space = " " if _ends_a_thing(before) else ""
            follows = parts[place + 1] if place + 1 < len(parts) else None
            html = f"{space}{html}" + ("" if last or _is_bracket(follows) else " ")
        drawn.append(html)
        if not isinstance(part, Space):
            before = part
    return "".join(drawn).replace("  ", " ")


def _ends_a_thing(node: Node | None) -> bool:
    """Whether an operator after it stands between two things, not before one."""
    if isinstance(node, Scripted):
        return not (isinstance(node.base, Sign) and node.base.kind == "big")
    if isinstance(node, Sign):
        return node.kind not in ("operator", "relation", "open", "name", "big")
    return node is not None


def _is_bracket(node: Node | None) -> bool:
    return isinstance(node, Sign) and node.kind == "open"


def _sign(sign: Sign) -> str:
    text = escape(sign.text)
    if sign.bold:
        text = f"<b>{text}</b>"
    italic = (
        sign.kind == "letter"
        and not sign.bold
        and sign.text[:1].isalpha()
        and sign.text[0] not in _UPRIGHT
    )
    return f"<i>{text}</i>" if italic else text


def _scripts(below: Node | None, above: Node | None, *, script: bool) -> str:
    html = ""
    for node, tag, mark in ((below, "sub", "_"), (above, "sup", "^")):
        if node is None:
            continue
        if node == Sign("words", "′"):
            html += "′"
        elif script:
            html += f"{mark}{_one(node, True)}"
        else:
            html += f"<{tag}>{_line(node, script=True)}</{tag}>"
    return html


def _one(node: Node, script: bool) -> str:
    """A node as one thing: in brackets where it is several."""
    simple = isinstance(node, Sign | Lined | Root) or (
        isinstance(node, Scripted) and isinstance(node.base, Sign)
    )
    if isinstance(node, Row):
        # Such as 2x or ∂f, but not a + b.
        kinds = [part.kind for part in node.parts if isinstance(part, Sign)]
        simple = len(kinds) == len(node.parts) <= 3 and not {"operator", "relation", "name"} & {
            *kinds
        }
        simple = simple and (not kinds or kinds[0] != "open")
    html = _line(node, script=script)
    return html if simple else f"({html})"
