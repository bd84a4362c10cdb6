"""Loads the code of the window; a start spends most of its time here."""

from __future__ import annotations

import builtins
import gc
from types import ModuleType


def desktop() -> ModuleType:
    """The module `chatty_desktop.ui.desktop`, with nothing done on the way that it does not need.

    Raises ImportError where Qt misses a library of the system.
    """
    # Nothing of what is loaded is ever let go of. The window collects by itself (`Collection`).
    gc.disable()
    _without_qt_s_look_at_sources()
    from chatty_desktop.ui import desktop

    return desktop


def _without_qt_s_look_at_sources() -> None:
    """Give Python its own `import` back.

    Qt for Python puts one of its own in that place, for `from __feature__ import snake_case`. It
    reads the source of each module that is loaded, to see whether it speaks of PySide6, and the
    lines stay in `linecache`: a fifth of the time of a start, 25 MB by then, and 10 MB more with
    the SDK of the first provider. Nobody here asks for a feature.
    """
    import PySide6.QtCore  # noqa: F401  # puts it there

    builtins.__import__ = getattr(builtins, "__orig_import__", builtins.__import__)
