"""What the app is made of: packages with their versions and licences, models, icons.

Everything comes from what the installed packages say of themselves; nothing is imported for it.
Reading it takes a moment: not on the event loop.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from chatty_desktop.paths import resources_folder
from chatty_desktop.ui.language import N_

OURS = "chatty-desktop"

_EXTRA = re.compile(r"extra\s*==")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_TEXT = re.compile(r"(^|/)(licen[cs]e|copying|notice)[^/]*$", re.IGNORECASE)

LONGEST_NAME = 80
"""Characters; a `License` field longer than this is the licence's whole text, not its name."""


@dataclass(frozen=True, slots=True)
class Part:
    """One thing the app is made of. `what` is a text to translate, "" for packages."""

    name: str
    version: str
    licence: str
    what: str = ""


DATA = (
    Part("Qwen2.5-Coder-0.5B-Instruct", "", "Apache-2.0", N_("the starter model")),
    Part("multilingual-e5-small", "", "MIT", N_("the built-in embedder")),
    Part("llama.cpp", "", "MIT", N_("runs local models, inside xllamacpp")),
    Part("Phosphor Icons", "", "MIT", N_("the icons, inside qtawesome")),
)
"""What comes with the app, or inside its packages, and has no package of its own."""


def version_of(package: str) -> str:
    """The version of an installed package, "" when it is not there."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return ""


def packages() -> list[Part]:
    """The app itself, then every package it needs, in turn, that is installed, by name."""
    found: dict[str, Part] = {}
    waiting = [OURS]
    while waiting:
        name = waiting.pop()
        if _plain(name) in found:
            continue
        try:
            package = metadata.distribution(name)
        except metadata.PackageNotFoundError:
            continue  # for another system
        found[_plain(name)] = Part(
            package.metadata["Name"] or name, package.version, _licence(package)
        )
        needed = [line for line in package.requires or () if not _EXTRA.search(line)]
        waiting += [match[0] for line in needed if (match := _NAME.match(line))]
    ours = found.pop(OURS, None)
    others = sorted(found.values(), key=lambda part: part.name.casefold())
    return [*([ours] if ours else []), *others]


def text_of(package: str) -> str:
    """The texts of a package's licence that came with it, "" when none did."""
    try:
        files = metadata.files(package) or ()
    except metadata.PackageNotFoundError:
        return ""
    texts = []
    for file in files:
        if _TEXT.search(str(file).replace("\\", "/")) and file.suffix not in {".py", ".pyc"}:
            try:
                texts.append(Path(file.locate()).read_text("utf-8", errors="replace").strip())
            except OSError:
                continue
    if not texts and _plain(package) == OURS:
        texts = _own()
    return "\n\n\n".join(dict.fromkeys(texts))


def _own() -> list[str]:
    """The app's own licence, which lies beside the resources in a checkout."""
    try:
        return [(resources_folder().parent / "LICENSE").read_text("utf-8").strip()]
    except OSError:
        return []


def _licence(package: metadata.Distribution) -> str:
    """The short name of a package's licence, however old the form it is given in."""
    about = package.metadata
    for field in ("License-Expression", "License"):
        given = str(about[field]) if field in about else ""
        if given and len(given) <= LONGEST_NAME and "\n" not in given.strip():
            return given.strip()
    rights = [
        entry.rsplit("::", 1)[-1].strip()
        for entry in about.get_all("Classifier") or ()
        if entry.startswith("License ::")
    ]
    return ", ".join(rights)


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
