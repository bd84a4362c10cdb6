"""Memory strategies: one file each, found by the `kind` of their configuration.

A file `<kind>.py` in this folder holds a class `Layer` with the four verbs of `contract`.
"""

from __future__ import annotations

from importlib import import_module
from typing import cast

from chatty_desktop.domain.strategies import Strategy
from chatty_desktop.engine.memory.contract import MemoryLayer, Surroundings


def build_memory(strategy: Strategy, around: Surroundings) -> MemoryLayer:
    """The memory of one scope."""
    module = import_module(f"{__name__}.{strategy.kind}")
    return cast("MemoryLayer", module.Layer(strategy, around))
