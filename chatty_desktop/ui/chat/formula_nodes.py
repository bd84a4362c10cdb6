"""What a formula is made of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal["letter", "number", "operator", "relation", "open", "close", "name", "words", "big"]


@dataclass(frozen=True, slots=True)
class Sign:
    """One sign or word."""

    kind: Kind
    text: str
    bold: bool = False


@dataclass(frozen=True, slots=True)
class Space:
    text: str


@dataclass(frozen=True, slots=True)
class Row:
    """Things beside each other."""

    parts: tuple[Node, ...] = ()


@dataclass(frozen=True, slots=True)
class Scripted:
    """Something with what stands below and above it at its right."""

    base: Node
    below: Node | None = None
    above: Node | None = None


@dataclass(frozen=True, slots=True)
class Fraction:
    """One thing over another; `line` is between them (it is not in a binomial)."""

    above: Node
    below: Node
    line: bool = True


@dataclass(frozen=True, slots=True)
class Root:
    inner: Node
    index: Node | None = None


@dataclass(frozen=True, slots=True)
class Lined:
    """Something with a line above it, or below."""

    inner: Node
    above: bool = True


@dataclass(frozen=True, slots=True)
class Grid:
    """Rows of cells between brackets, either of which may be missing."""

    rows: tuple[tuple[Node, ...], ...]
    left: str = ""
    right: str = ""


Node = Sign | Space | Row | Scripted | Fraction | Root | Lined | Grid
