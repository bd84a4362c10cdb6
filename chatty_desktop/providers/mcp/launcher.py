"""Becomes a program that ends when the app does, however that ends. Linux only.

    python -I -S launcher.py PROCESS_ID_OF_THE_APP PROGRAM [ARGUMENT …]

In a bundle the module is named in place of the file (own_process.py). It imports nothing of the
app, and the program takes its place: no process more is left.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys

_PR_SET_PDEATHSIG = 1


def main() -> None:
    """Ask the kernel for the signal, then become the program."""
    app, program = int(sys.argv[1]), sys.argv[2:]
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != app:  # it ended before it was asked for
        sys.exit(1)
    try:
        os.execv(program[0], program)
    except OSError as error:
        sys.exit(f"{program[0]} cannot be run: {error.strerror}")


if __name__ == "__main__":
    main()
