"""Where the program of a bundle begins.

A bundle has no Python to run modules with, so it takes `-m MODULE` itself, for modules of the app:
that is how `chatty_desktop/providers/own_process.py` starts the local engine.
"""

from __future__ import annotations

import os
import runpy
import sys


def main() -> int:
    """What `python -m chatty_desktop` or `python -m MODULE` does; the exit status."""
    _leave_the_loader_alone()
    _have_streams()
    if sys.argv[1:2] == ["-m"]:
        module = sys.argv[2] if len(sys.argv) > 2 else ""
        if not module.startswith("chatty_desktop."):
            sys.stderr.write("-m runs parts of Chatty Desktop alone.\n")
            return 2
        del sys.argv[1:3]
        runpy.run_module(module, run_name="__main__", alter_sys=True)
        return 0
    from chatty_desktop.__main__ import main as run

    return run()


def _leave_the_loader_alone() -> None:
    """Take back what the bundle's own start put into the environment.

    It names the bundle's libraries to the system's loader. This process has what it needs by now; a
    browser or an MCP server that it starts would load them in place of the system's and break.
    """
    for name in ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH"):
        before = os.environ.pop(f"{name}_ORIG", None)
        if before:
            os.environ[name] = before
        else:
            os.environ.pop(name, None)
    for name in [each for each in os.environ if each.startswith("_PYI_")]:
        del os.environ[name]


def _have_streams() -> None:
    """Windows gives a program without a console no stdout and no stderr."""
    if sys.stdout is None:
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115


if __name__ == "__main__":
    sys.exit(main())
