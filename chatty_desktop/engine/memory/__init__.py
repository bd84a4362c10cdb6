"""Memory strategies: one file each, found by the `kind` of their configuration.

A file `<kind>.py` in this folder holds a class `Layer` with the four verbs of `contract`.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import cast

from chatty_desktop.domain.errors import Invalid
from chatty_desktop.domain.strategies import Strategy
from chatty_desktop.engine.memory.contract import MemoryLayer, Surroundings


def implemented(kind: str) -> bool:
    """Whether this version has a strategy of that kind, not only its configuration."""
    return find_spec(f"{__name__}.{kind}") is not None


def build_memory(strategy: Strategy, around: Surroundings) -> MemoryLayer:
    """The memory of one scope. Raises `Invalid` for a kind this version does not have."""
    if not implemented(strategy.kind):
        raise Invalid(missing(strategy.kind))
    module = import_module(f"{__name__}.{strategy.kind}")
    return cast("MemoryLayer", module.Layer(strategy, around))


def missing(kind: str) -> str:
    """What to tell the person who chose a strategy this version does not have."""
    name = kind.replace("_", " ").capitalize()
    return (
        f"{name} memory is not there yet. Choose another one; the configuration is kept as it is."
    )
