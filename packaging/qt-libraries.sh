#!/bin/sh
# Sees to the system libraries that Qt and the local engine load but no Python package brings.
#
# Usage: qt-libraries.sh PYTHON [--tests]
#
# With --tests also a virtual display and a program that types into it, what PyInstaller builds a
# bundle with, a PostgreSQL server, what sets the clock of a process, and what checks the desktop
# entry and the metainfo; the tests that use them are skipped where they are missing, so missing ones
# are no failure here.
# What is missing is installed by root where there is apt-get; anybody else is told the one command.
set -eu

python=$1
tests=${2:-}

# Windows and macOS bring everything that their Qt needs.
[ "$(uname -s)" = Linux ] || exit 0

say() { printf '%s\n' "$*" >&2; }

# The library as the loader looks it up, and the Debian package it is in: what `readelf -d` names
# in Qt's own libraries, its offscreen, X11 and Wayland platforms, and in llama.cpp.
libraries='
libEGL.so.1 libegl1
libGL.so.1 libgl1
libX11.so.6 libx11-6
libX11-xcb.so.1 libx11-xcb1
libdbus-1.so.3 libdbus-1-3
libfontconfig.so.1 libfontconfig1
libfreetype.so.6 libfreetype6
libglib-2.0.so.0 libglib2.0-0
libgomp.so.1 libgomp1
libgssapi_krb5.so.2 libgssapi-krb5-2
libstdc++.so.6 libstdc++6
libwayland-client.so.0 libwayland-client0
libwayland-cursor.so.0 libwayland-cursor0
libxcb.so.1 libxcb1
libxcb-cursor.so.0 libxcb-cursor0
libxcb-glx.so.0 libxcb-glx0
libxcb-icccm.so.4 libxcb-icccm4
libxcb-image.so.0 libxcb-image0
libxcb-keysyms.so.1 libxcb-keysyms1
libxcb-randr.so.0 libxcb-randr0
libxcb-render.so.0 libxcb-render0
libxcb-render-util.so.0 libxcb-render-util0
libxcb-shape.so.0 libxcb-shape0
libxcb-shm.so.0 libxcb-shm0
libxcb-sync.so.1 libxcb-sync1
libxcb-util.so.1 libxcb-util1
libxcb-xfixes.so.0 libxcb-xfixes0
libxcb-xkb.so.1 libxcb-xkb1
libxkbcommon.so.0 libxkbcommon0
libxkbcommon-x11.so.0 libxkbcommon-x11-0
'

# Lines of the list whose library the loader does not find.
missing_libraries() {
    printf '%s' "$libraries" | "$python" -c '
import ctypes, sys
for line in sys.stdin:
    if line.strip():
        try:
            ctypes.CDLL(line.split()[0])
        except OSError:
            print(line.strip())'
}

# The names of their packages in one line.
packages_of() { printf '%s\n' "$1" | sed -n 's/.* //p' | sort -u | paste -sd ' ' -; }

programs=''
if [ "$tests" = --tests ]; then
    command -v Xvfb >/dev/null 2>&1 || programs="$programs xvfb"
    command -v xdotool >/dev/null 2>&1 || programs="$programs xdotool"
    command -v objdump >/dev/null 2>&1 || programs="$programs binutils"
    command -v desktop-file-validate >/dev/null 2>&1 || programs="$programs desktop-file-utils"
    # Debian keeps the server's programs off the path.
    command -v initdb >/dev/null 2>&1 || ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 ||
        programs="$programs postgresql"
    # Not on the path: a library that is loaded before others.
    ls /usr/lib/*/faketime/libfaketimeMT.so.1 >/dev/null 2>&1 || programs="$programs libfaketime"
    command -v appstreamcli >/dev/null 2>&1 || programs="$programs appstream"
    # Debian's own Python is in one piece; a bundle needs it as a library.
    programs="$programs $("$python" -c '
import ctypes.util, sys, sysconfig
name = "python%d.%d" % sys.version_info[:2]
if sys.base_prefix == "/usr" and not ctypes.util.find_library(name):
    print("lib" + name)' 2>/dev/null || :)"
    programs=${programs% }
fi

missing=$(missing_libraries)
[ -n "$missing$programs" ] || exit 0
packages=$(packages_of "$missing")

if command -v apt-get >/dev/null 2>&1; then
    if [ "$(id -u)" -eq 0 ]; then
        say "Installing system packages: $packages$programs"
        # shellcheck disable=SC2086 # a list of words
        "$(dirname "$0")/apt-install.sh" $packages $programs
        missing=$(missing_libraries)
        [ -z "$missing" ] || {
            say "Still missing after the install:"
            say "$missing"
            exit 1
        }
        exit 0
    fi
    if [ -n "$missing" ]; then
        say "Qt needs system libraries that are not here. This puts them there:"
        say "    sudo apt-get install -y $packages$programs"
        say "Then run the same again."
        exit 1
    fi
    say "Tests of the real window, of the bundle and of a server will be skipped; this lets them run:"
    say "    sudo apt-get install -y$programs"
    exit 0
fi

if [ -n "$missing" ]; then
    say "Qt needs libraries that are not here. Install them with the system's package manager"
    say "(the second word is the name of the package in Debian), then run the same again:"
    say "$missing"
    exit 1
fi
say "Tests of the real window, of the bundle and of a server will be skipped: not here:$programs"
