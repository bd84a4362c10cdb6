"""Draws the app's icon in every size and form that systems ask for, from the one SVG.

    python packaging/icons.py

writes packaging/icons: PNGs for Linux, an .ico for Windows, an .icns for macOS.
"""

from __future__ import annotations

import os
import struct
from pathlib import Path

from PySide6.QtCore import QBuffer, QByteArray, QIODevice
from PySide6.QtGui import QGuiApplication, QIcon

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "resources" / "icons" / "chatty-desktop.svg"
FOLDER = ROOT / "packaging" / "icons"
NAME = "chatty-desktop"

PNG_SIZES = (16, 22, 24, 32, 48, 64, 96, 128, 256, 512)
ICO_SIZES = (16, 20, 24, 32, 40, 48, 64, 256)
ICNS_TYPES = {
    b"icp4": 16,
    b"ic11": 32,
    b"icp5": 32,
    b"ic12": 64,
    b"ic07": 128,
    b"ic13": 256,
    b"ic08": 256,
    b"ic14": 512,
    b"ic09": 512,
    b"ic10": 1024,
}
"""Apple's names for the sizes that may be PNGs; some are a half size for fine screens."""


def main() -> None:
    """Write every file."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    application = QGuiApplication.instance() or QGuiApplication([])
    drawn = {size: png(size) for size in {*PNG_SIZES, *ICO_SIZES, *ICNS_TYPES.values()}}
    FOLDER.mkdir(exist_ok=True)
    for size in PNG_SIZES:
        (FOLDER / f"{NAME}-{size}.png").write_bytes(drawn[size])
    (FOLDER / f"{NAME}.ico").write_bytes(ico({size: drawn[size] for size in ICO_SIZES}))
    (FOLDER / f"{NAME}.icns").write_bytes(
        icns([(kind, drawn[size]) for kind, size in ICNS_TYPES.items()])
    )
    del application


def png(size: int) -> bytes:
    """The icon as a PNG of so many pixels a side."""
    image = QIcon(str(SOURCE)).pixmap(size, size).toImage()
    held = QByteArray()
    buffer = QBuffer(held)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.save(buffer, "PNG")  # type: ignore[call-overload]
    return held.data()


def ico(pngs: dict[int, bytes]) -> bytes:
    """Windows' form: a table of sizes, then the pictures. 0 stands for 256 pixels."""
    head = struct.pack("<HHH", 0, 1, len(pngs))
    place = len(head) + 16 * len(pngs)
    table = b""
    for size, data in pngs.items():
        table += struct.pack("<BBBBHHII", size % 256, size % 256, 0, 0, 1, 32, len(data), place)
        place += len(data)
    return head + table + b"".join(pngs.values())


def icns(pictures: list[tuple[bytes, bytes]]) -> bytes:
    """Apple's form: each picture with its type and length before it, and so the whole."""
    body = b"".join(kind + struct.pack(">I", len(data) + 8) + data for kind, data in pictures)
    return b"icns" + struct.pack(">I", len(body) + 8) + body


if __name__ == "__main__":
    main()
