"""Formulas in LaTeX, taken apart: what is beside, above and below what."""

from __future__ import annotations

import re
from unicodedata import normalize

from chatty_desktop.ui.chat import formula_symbols as symbols
from chatty_desktop.ui.chat.formula_nodes import (
    Fraction,
    Grid,
    Kind,
    Lined,
    Node,
    Root,
    Row,
    Scripted,
    Sign,
    Space,
)
from chatty_desktop.ui.chat.formula_rules import LONGEST

DEEPEST = 16
"""Braces within braces."""

_TOKEN = re.compile(r"\\([a-zA-Z]+\*?|.)|([{}^_&'])|(\d+(?:[.,]\d+)*)|(%[^\n]*)|(\s+)|(.)", re.S)
_GRIDS = {
    "matrix": ("", ""),
    "smallmatrix": ("", ""),
    "pmatrix": ("(", ")"),
    "bmatrix": ("[", "]"),
    "Bmatrix": ("{", "}"),
    "vmatrix": ("|", "|"),
    "Vmatrix": ("‖", "‖"),
    "array": ("", ""),
    "cases": ("{", ""),
    "aligned": ("", ""),
    "align": ("", ""),
    "alignat": ("", ""),
    "gathered": ("", ""),
    "gather": ("", ""),
    "split": ("", ""),
    "equation": ("", ""),
    "multline": ("", ""),
    "eqnarray": ("", ""),
}
_WORDS = (
    "text",
    "textrm",
    "textit",
    "textbf",
    "mbox",
    "operatorname",
    "mathrm",
    "texttt",
    "mathsf",
)
_STYLES = ("mathbf", "boldsymbol", "bm", "mathit", "mathnormal", "pmb")
_PLAIN: dict[str, tuple[Kind, str]] = {
    **{char: ("operator", char) for char in "+*/"},
    "-": ("operator", "−"),
    **{char: ("relation", char) for char in "=<>:"},
    **{char: ("open", char) for char in "(["},
    **{char: ("close", char) for char in ")]"},
}


class Unreadable(ValueError):
    """Not a formula that is understood here."""


def parse(source: str) -> Node:
    """Take a formula apart. Raises `Unreadable`; takes time in proportion to its length."""
    if len(source) > LONGEST:
        raise Unreadable("It is too long.")
    reader = _Reader(source)
    rows = reader.rows()
    if reader.token is not None:
        raise Unreadable("Something is closed that was not opened.")
    return rows[0][0] if len(rows) == 1 and len(rows[0]) == 1 else Grid(rows)


class _Reader:
    """Reads tokens one after another: commands as `\\name`, the others as they stand."""

    def __init__(self, source: str) -> None:
        self._tokens: list[str] = []
        for match in _TOKEN.finditer(source):
            command, mark, digits, remark, space, other = match.groups()
            if command is not None:
                self._tokens.append("\\" + command)
            elif space is not None:
                self._tokens.append(" ")
            elif remark is None:
                self._tokens.append(mark or digits or other)
        self._at = 0
        self._depth = 0

    @property
    def token(self) -> str | None:
        return self._tokens[self._at] if self._at < len(self._tokens) else None

    def rows(self) -> tuple[tuple[Node, ...], ...]:
        """Cells between `&`, in rows between `\\\\`, up to what closes them."""
        rows: list[list[Node]] = [[]]
        while True:
            rows[-1].append(self._row())
            if self.token == "&":
                self._at += 1
            elif self.token in ("\\\\", "\\cr"):
                self._at += 1
                self._option()
                rows.append([])
            else:
                break
        if len(rows) > 1 and rows[-1] == [Row()]:
            rows.pop()
        return tuple(map(tuple, rows))

    def _row(self) -> Node:
        """Everything up to a token that ends a row or a group."""
        parts: list[Node] = []
        while (token := self.token) is not None:
            if token in ("}", "&", "\\\\", "\\cr", "\\end", "\\right"):
                break
            self._at += 1
            if token in ("^", "_", "'"):
                parts.append(self._scripted(parts.pop() if parts else Row(), token))
            elif (part := self._part(token)) is not None:
                parts.append(part)
        return parts[0] if len(parts) == 1 else Row(tuple(parts))

    def _part(self, token: str) -> Node | None:
        if token.startswith("\\"):
            return self._command(token[1:])
        if token == " ":
            return None
        if token == "{":
            return self._group()
        if token == "~":
            return Space(" ")
        if token in _PLAIN:
            return Sign(*_PLAIN[token])
        if token[0].isdigit():
            return Sign("number", token)
        return Sign("letter", token)

    def _scripted(self, base: Node, mark: str) -> Node:
        below: Node | None = None
        above: Node | None = None
        if isinstance(base, Scripted):
            below, above = base.below, base.above
            base = base.base
        if mark == "'":
            stroke = Sign("words", "′")
            above = stroke if above is None else Row((above, stroke))
        elif mark == "_" and below is None:
            below = self._argument()
        elif mark == "^" and (above is None or above == Sign("words", "′")):
            power = self._argument()
            above = power if above is None else Row((above, power))
        else:
            raise Unreadable("Two things stand in one place.")
        return Scripted(base, below, above)

    def _group(self) -> Node:
        """What is between braces; the first of them is read."""
        self._deeper()
        inner = self._row()
        if self.token == "&":
            raise Unreadable("A cell where there are none.")
        self._expect("}")
        self._depth -= 1
        return inner

    def _deeper(self) -> None:
        self._depth += 1
        if self._depth > DEEPEST:
            raise Unreadable("It is nested too deeply.")

    def _expect(self, token: str) -> None:
        if self.token != token:
            raise Unreadable(f"{token} is missing.")
        self._at += 1

    def _next(self) -> str:
        while (token := self.token) == " ":
            self._at += 1
        if token is None:
            raise Unreadable("It ends too early.")
        self._at += 1
        return token

    def _argument(self) -> Node:
        """The next thing: one sign, one command, or a group."""
        token = self._next()
        if token in ("}", "&", "^", "_", "\\\\", "\\end", "\\right"):
            raise Unreadable("Something is missing.")
        if token[0].isdigit() and len(token) > 1:
            # Without braces, a single digit.
            self._at -= 1
            self._tokens[self._at] = token[1:]
            return Sign("number", token[0])
        self._deeper()
        part = self._part(token)
        self._depth -= 1
        return part or Row()

    def _option(self) -> str:
        """What follows in square brackets, "" where nothing does."""
        if self.token != "[":
            return ""
        end = next(
            (at for at in range(self._at, min(self._at + 40, len(self._tokens)))
             if self._tokens[at] == "]"),
            None,
        )  # fmt: skip
        if end is None:
            return ""
        found = "".join(self._tokens[self._at + 1 : end])
        self._at = end + 1
        return found

    def _words(self) -> str:
        """The text in braces, as it stands."""
        if self._next() != "{":
            raise Unreadable("A text is missing.")
        parts: list[str] = []
        deep = 0
        while (token := self.token) is not None:
            self._at += 1
            if token == "}" and not deep:
                return "".join(parts)
            deep += (token == "{") - (token == "}")
            if token.startswith("\\"):
                name = token[1:]
                found = symbols.BRACKETS.get(name, symbols.SPACES.get(name))
                if found is None:
                    raise Unreadable(f"{token} within words is not known.")
                parts.append(found)
            elif token not in "{}":
                parts.append(" " if token == "~" else token)
        raise Unreadable("} is missing.")

    def _bracket(self) -> str:
        token = self._next()
        if token == ".":
            return ""
        found = symbols.BRACKETS.get(token.removeprefix("\\")) if token[0] == "\\" else token
        if found is None or len(found) > 1:
            raise Unreadable(f"{token} is not a bracket.")
        return "⟨" if found == "<" else "⟩" if found == ">" else found

    def _command(self, name: str) -> Node | None:
        for kind, known in _KINDS:
            if name in known:
                return Sign(kind, known[name])
        if name in symbols.BRACKETS:
            text = symbols.BRACKETS[name]
            opens = name in ("{", "lbrace") or name[0] == "l" or text in "⟨"
            closes = name in ("}", "rbrace") or name[0] == "r"
            return Sign("open" if opens else "close" if closes else "words", text)
        if name in symbols.NAMES:
            return Sign("name", name)
        if name in symbols.SPACES:
            return Space(symbols.SPACES[name])
        if name in symbols.IGNORED:
            return None
        return self._structure(name)

    def _structure(self, name: str) -> Node | None:
        match name:
            case "frac" | "dfrac" | "tfrac" | "cfrac":
                return Fraction(self._argument(), self._argument())
            case "binom" | "dbinom" | "tbinom":
                return Fraction(self._argument(), self._argument(), line=False)
            case "sqrt":
                index = self._option()
                return Root(self._argument(), Sign("words", index) if index else None)
            case "overline" | "widebar":
                return Lined(self._argument())
            case "underline":
                return Lined(self._argument(), above=False)
            case "left":
                return self._bracketed()
            case "begin":
                return self._environment()
            case "not":
                inner = self._argument()
                if isinstance(inner, Sign):
                    return Sign("relation", inner.text + "\u0338")
            case "pmod" | "mod":
                inner = self._argument()
                words = Row((Sign("name", "mod"), Space(" "), inner))
                return Row((Sign("open", "("), words, Sign("close", ")")))
            case "tag":
                return Row((Space("\u2003"), Sign("words", f"({self._words()})")))
            case "label":
                self._words()
                return None
            case "overset" | "stackrel":
                above = self._argument()
                return Scripted(self._argument(), None, above)
            case "underset":
                below = self._argument()
                return Scripted(self._argument(), below, None)
            case "underbrace" | "overbrace" | "boxed" | "mathop" | "mathbin" | "mathrel":
                return self._argument()
            case "xrightarrow":
                return Scripted(Sign("relation", "⟶"), None, self._argument())
        return self._letters(name)

    def _letters(self, name: str) -> Node:
        if name.removesuffix("*") in _WORDS:
            kind: Kind = "name" if name.startswith("operatorname") else "words"
            return Sign(kind, self._words(), bold=name == "textbf")
        if name in _STYLES:
            return _bold(self._argument()) if name not in ("mathit", "mathnormal") else (
                self._argument()
            )  # fmt: skip
        if name in symbols.ALPHABETS:
            return Sign("words", symbols.in_alphabet(name, _text(self._argument())))
        if name in symbols.MARKS:
            inner = self._argument()
            if isinstance(inner, Sign) and len(inner.text) == 1:
                marked = normalize("NFC", inner.text + symbols.MARKS[name])
                return Sign(inner.kind, marked, inner.bold)
            if name in ("bar", "vec", "widehat", "widetilde", "hat", "tilde"):
                return Lined(inner)
        raise Unreadable(f"\\{name} is not known.")

    def _bracketed(self) -> Node:
        self._deeper()
        left = self._bracket()
        inner = self._row()
        self._expect("\\right")
        right = self._bracket()
        self._depth -= 1
        if isinstance(inner, Grid) and not (inner.left or inner.right):
            return Grid(inner.rows, left, right)
        return Row((Sign("open", left), inner, Sign("close", right)))

    def _environment(self) -> Node:
        self._deeper()
        name = self._words().removesuffix("*")
        if name not in _GRIDS:
            raise Unreadable(f"{name} is not known.")
        self._option()
        if name in ("array", "alignat") and self.token == "{":
            self._words()
        rows = self.rows()
        self._expect("\\end")
        if self._words().removesuffix("*") != name:
            raise Unreadable(f"The end of {name} is missing.")
        self._depth -= 1
        return Grid(rows, *_GRIDS[name])


_KINDS: tuple[tuple[Kind, dict[str, str]], ...] = (
    ("letter", symbols.LETTERS),
    ("operator", symbols.OPERATORS),
    ("relation", symbols.RELATIONS),
    ("big", symbols.BIG),
)


def _bold(node: Node) -> Node:
    match node:
        case Sign(kind, text):
            return Sign(kind, text, bold=True)
        case Row(parts):
            return Row(tuple(map(_bold, parts)))
        case _:
            return node


def _text(node: Node) -> str:
    """The letters of a node that has nothing but letters."""
    match node:
        case Sign(_, text):
            return text
        case Row(parts):
            return "".join(map(_text, parts))
        case _:
            raise Unreadable("Only letters can be written in another alphabet.")
