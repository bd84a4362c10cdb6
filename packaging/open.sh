#!/bin/sh
# Opens the app's window, or says what to do where there is no display. Usage: open.sh PYTHON
set -eu

python=$1

# Whether something answers where DISPLAY points. Qt would end
# the process with a core dump there.
x_answers() {
    "$python" -c '
import ctypes, sys
xcb = ctypes.CDLL("libxcb.so.1")
xcb.xcb_connect.restype = ctypes.c_void_p
xcb.xcb_connection_has_error.argtypes = [ctypes.c_void_p]
sys.exit(1 if xcb.xcb_connection_has_error(xcb.xcb_connect(None, None)) else 0)'
}

if [ "$(uname -s)" = Linux ] && [ -z "${QT_QPA_PLATFORM:-}" ] && [ -z "${WAYLAND_DISPLAY:-}" ]; then
    if [ -z "${DISPLAY:-}" ]; then
        reason='no display is set (neither DISPLAY nor WAYLAND_DISPLAY)'
    elif ! x_answers; then
        reason="nothing answers on the display $DISPLAY"
    else
        reason=''
    fi
    if [ -n "$reason" ]; then
        cat >&2 <<TEXT
Chatty Desktop is installed, but no window can be opened here: $reason.
There are two ways on:
  - a virtual display (package xvfb):    xvfb-run -a make run
  - the commands that need no window:    .venv/bin/chatty-desktop --help
TEXT
        exit 1
    fi
fi

exec "$python" -m chatty_desktop
