"""Memory in words."""

from __future__ import annotations

from PySide6.QtCore import QLocale


def size(count: int) -> str:
    """So many bytes as people read them: "1.2 GB"."""
    unit = QLocale.DataSizeFormat.DataSizeSIFormat
    digits = 1 if count >= 1_000_000_000 else 0
    return QLocale().formattedDataSize(count, digits, unit)
