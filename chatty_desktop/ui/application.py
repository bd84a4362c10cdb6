"""Opens the window, or says why none can be; nothing of Qt is loaded before that is known."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
from pathlib import Path

from chatty_desktop.ui import loading

NO_WINDOW = 2
"""Exit status where no window can be opened."""

LIBRARIES = "libegl1 libgl1 libxkbcommon0 libxkbcommon-x11-0 libdbus-1-3 libfontconfig1"
LIBRARIES_X11 = "libxcb-cursor0 libxcb-icccm4 libxcb-keysyms1 libxcb-shape0"


def run(
    data_dir: Path | None,
    database: str | None = None,
    episodes: str | None = None,
    *,
    take_over: bool = False,
) -> int:
    """Open the window on a data folder, None for the person's own, as `App.open` does; returns the
    exit status.

    Once a window was open the process ends here instead, with that status.
    """
    reason = no_display()
    if reason:
        _say(
            f"No window can be opened here: {reason}.\n"
            "There are two ways on:\n"
            "  - a virtual display (package xvfb):    xvfb-run -a chatty-desktop\n"
            "  - the commands that need no window:    chatty-desktop --help"
        )
        return NO_WINDOW
    try:
        desktop = loading.desktop()
    except ImportError as error:
        if not _is_system_library(error):
            raise
        _say(
            f"Qt cannot be loaded, since a system library is missing: {error}.\n"
            "On Debian or Ubuntu this puts all of them there:\n"
            f"  sudo apt-get install -y {LIBRARIES} {LIBRARIES_X11}\n"
            "The commands that need no window work without them: chatty-desktop --help"
        )
        return NO_WINDOW
    status: int = desktop.run(data_dir, database, episodes, take_over=take_over)
    # Everything is closed by now. What is left of Qt would be taken down with the interpreter, in
    # no particular order, and has been seen to abort there: the exit status would then tell of a
    # crash that was none.
    sys.stdout.flush()
    sys.stderr.flush()
    if status == desktop.RESTART:
        # Another process: nothing of the old window is left in it.
        if sys.platform == "win32":
            subprocess.Popen([sys.executable, *sys.orig_argv[1:]])
        else:
            os.execv(sys.executable, sys.orig_argv)
    os._exit(status)


def no_display() -> str:
    """Why no window can be opened, "" where one can; Qt would abort with a core dump there."""
    if not sys.platform.startswith("linux") or os.environ.get("QT_QPA_PLATFORM"):
        return ""
    if os.environ.get("WAYLAND_DISPLAY"):
        return ""
    display = os.environ.get("DISPLAY")
    if not display:
        return "no display is set (neither DISPLAY nor WAYLAND_DISPLAY)"
    return "" if _x_answers() else f"nothing answers on the display {display}"


def _x_answers() -> bool:
    try:
        xcb = ctypes.CDLL("libxcb.so.1")
    except OSError:
        return True  # Qt says which libraries it misses
    xcb.xcb_connect.restype = ctypes.c_void_p
    for call in (xcb.xcb_connection_has_error, xcb.xcb_disconnect):
        call.argtypes = [ctypes.c_void_p]
    connection = xcb.xcb_connect(None, None)
    answers = not xcb.xcb_connection_has_error(connection)
    xcb.xcb_disconnect(connection)
    return answers


def _is_system_library(error: ImportError) -> bool:
    return ".so" in str(error) and not isinstance(error, ModuleNotFoundError)


def _say(text: str) -> None:
    sys.stderr.write(f"{text}\n")
