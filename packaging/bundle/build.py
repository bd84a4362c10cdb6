"""Builds the bundle, into dist/chatty-desktop, or says what keeps it from being built.

python packaging/bundle/build.py [--without-starter] [--if-outdated]
"""

from __future__ import annotations

import argparse
import ctypes.util
import importlib.util
import shutil
import subprocess
import sys
import sysconfig
import time
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
BUNDLE = ROOT / "dist" / "chatty-desktop"

SOURCES = ("chatty_desktop", "resources", "packaging", "pyproject.toml")
"""What a bundle is made of, as far as it lies here."""

ROOM_MB = 3000
"""Free on the disk before it is begun: the bundle, the model, and what is made on the way."""


def main() -> int:
    """Build; the exit status, 3 where it cannot be built."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--without-starter", action="store_true")
    arguments.add_argument("--if-outdated", action="store_true", help="only if it is to be another")
    chosen = arguments.parse_args()
    if chosen.if_outdated and is_newest() and has_starter() is not chosen.without_starter:
        return 0
    missing = what_is_missing()
    if missing:
        print(f"The bundle cannot be built here: {'; '.join(missing)}.", file=sys.stderr)
        return 3
    began = time.monotonic()
    command = [sys.executable, "-m", "PyInstaller", "--noconfirm", "--log-level", "ERROR"]
    command += ["--distpath", str(BUNDLE.parent), "--workpath", str(ROOT / "build" / "pyinstaller")]
    command += [str(HERE / "chatty-desktop.spec")]
    if chosen.without_starter:
        command += ["--", "--without-starter"]
    status = subprocess.run(command, cwd=ROOT, check=False).returncode
    if status == 0:
        print(f"{BUNDLE}, {size() / 1e6:.0f} MB, in {time.monotonic() - began:.0f} s")
    return status


def is_newest() -> bool:
    """Whether the bundle was built after the last change of what it is made of."""
    built = BUNDLE / "LICENCES.txt"
    if not built.is_file():
        return False
    files = [file for name in SOURCES for file in [ROOT / name, *(ROOT / name).rglob("*")]]
    newest = max(
        file.stat().st_mtime for file in files if file.is_file() and "__pycache__" not in file.parts
    )
    return built.stat().st_mtime > newest


def has_starter() -> bool:
    """Whether the bundle comes with the starter model."""
    return any(BUNDLE.glob("_internal/chatty_desktop/resources/models/*.gguf"))


def what_is_missing() -> list[str]:
    """What there is not of all that building takes, each with where it is to be had."""
    missing = []
    if importlib.util.find_spec("PyInstaller") is None:
        missing.append("no PyInstaller (the extra `build` of pyproject.toml)")
    if sys.platform == "linux":
        if shutil.which("objdump") is None:
            missing.append("no objdump (Debian's binutils)")
        if not _has_shared_python():
            version = f"{sys.version_info.major}.{sys.version_info.minor}"
            missing.append(f"Python is no shared library (Debian's libpython{version})")
    free = shutil.disk_usage(ROOT).free / 1e6
    if free < ROOM_MB:
        missing.append(f"{free:.0f} MB are free on the disk, and it takes {ROOM_MB}")
    return missing


def size() -> int:
    """Bytes of the bundle."""
    files = [file for file in BUNDLE.rglob("*") if file.is_file() and not file.is_symlink()]
    return sum(file.stat().st_size for file in files)


def _has_shared_python() -> bool:
    if sysconfig.get_config_var("Py_ENABLE_SHARED"):
        return True
    name = f"python{sys.version_info.major}.{sys.version_info.minor}"
    return ctypes.util.find_library(name) is not None


if __name__ == "__main__":
    sys.exit(main())
