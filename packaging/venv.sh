#!/bin/sh
# Makes the virtual environment. Usage: venv.sh PYTHON FOLDER
#
# Debian and Ubuntu take venv's own part, ensurepip, out of Python into a package: as root it is
# installed, else the one command that does it is printed.
set -eu

python=$1
folder=$2

say() { printf '%s\n' "$*" >&2; }

if ! command -v "$python" >/dev/null 2>&1; then
    say "There is no '$python' here. Install Python 3.11 or newer, or name one:"
    say "    make PYTHON=/path/to/python3"
    exit 1
fi

# "3.9" for a Python that is too old, nothing for one that will do.
too_old=$("$python" -c 'import sys
if sys.version_info < (3, 11): print("%d.%d" % sys.version_info[:2])')
if [ -n "$too_old" ]; then
    say "'$python' is Python $too_old; Chatty Desktop needs 3.11 or newer. Name one:"
    say "    make PYTHON=python3.12"
    exit 1
fi

if ! "$python" -c 'import ensurepip, venv' 2>/dev/null; then
    # The package belongs to this very version: python3.11-venv for /usr/bin/python3.11.
    package=$("$python" -c 'import sys; print("python%d.%d-venv" % sys.version_info[:2])')
    if ! command -v apt-get >/dev/null 2>&1; then
        say "'$python' lacks the modules venv and ensurepip. Install the package that holds them"
        say "(it is often called $package), then run the same again."
        exit 1
    fi
    if [ "$(id -u)" -ne 0 ]; then
        say "'$python' lacks the modules venv and ensurepip. This puts them there:"
        say "    sudo apt-get install -y $package"
        say "Then run the same again."
        exit 1
    fi
    say "Installing $package"
    "$(dirname "$0")/apt-install.sh" "$package"
fi

# --clear: what an interrupted run left half made is made anew.
"$python" -m venv --clear "$folder"
