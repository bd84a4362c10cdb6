"""What the window remembers of itself from one start to the next."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from PySide6.QtCore import QByteArray, QSettings


class WindowState:
    """Sizes, positions, and what was open last; a file that cannot be read counts as empty."""

    def __init__(self, file: Path) -> None:
        self._settings = QSettings(str(file), QSettings.Format.IniFormat)

    def bytes(self, key: str) -> QByteArray | None:
        """A geometry or a splitter's state."""
        value = self._settings.value(key)
        return value if isinstance(value, QByteArray) and not value.isEmpty() else None

    def text(self, key: str) -> str:
        value = self._settings.value(key)
        return value if isinstance(value, str) else ""

    def flag(self, key: str, default: bool) -> bool:
        value = self._settings.value(key)
        return default if value is None else str(value).lower() == "true"

    def set(self, key: str, value: Any) -> None:
        self._settings.setValue(key, value)

    def forget(self, key: str) -> None:
        self._settings.remove(key)

    def save(self) -> None:
        """Write the file now."""
        self._settings.sync()
