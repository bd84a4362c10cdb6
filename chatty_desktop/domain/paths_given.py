"""Paths that a model writes: which of them are no names of plain files anywhere."""

from __future__ import annotations

import re

_DEVICES = re.compile(
    r"(?:con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])[ .]*(?:\.[^/\\]*)?",
    re.IGNORECASE,
)


def path_problem(path: str, *, windows: bool) -> str:
    """What is wrong with a path before anything is looked up, "" when nothing is. On Windows a
    part of it can name a device, a second stream of a file, or another computer."""
    if not path.strip():
        return "No path was given."
    if any(ord(each) < 32 for each in path):
        return "The path holds a character that no path has."
    if not windows:
        return ""
    if path.startswith(("\\\\", "//")):
        return "The path names another computer or a device."
    rest = path[2:] if re.match(r"[A-Za-z]:[\\/]", path) else path
    if ":" in rest:
        return "The path holds a colon that is not that of a drive."
    for part in re.split(r"[\\/]", rest):
        if _DEVICES.fullmatch(part):
            return f"{part} is the name of a device."
        if part not in ("", ".", "..") and part[-1] in " .":
            return "A part of the path ends with a point or a space."
    return ""
