"""Reading files that a person attaches: images made small enough to send, text out of the rest.

What a file is, its bytes say; its name only says how it is called. All of it runs in a thread.
"""

from __future__ import annotations

import asyncio
import io
import mimetypes
import warnings
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from chatty_desktop.domain.attachments import EXCERPT_CHARS, AttachedFile, Attachment
from chatty_desktop.domain.errors import Invalid
from chatty_desktop.providers import pdf_text
from chatty_desktop.providers.apart import TooHard, read_apart

if TYPE_CHECKING:
    from PIL import Image

LARGEST_FILE = 30_000_000
"""Bytes of an image or a document."""

LARGEST_TEXT = 2_000_000
"""Bytes of a text file; no model reads more at once."""

MOST_PIXELS = 60_000_000
"""Of an image that is opened: a small file can unfold into gigabytes."""

LONGEST_SIDE = 1_568
"""Pixels of an image as it is kept and sent: what models look at; larger ones they scale down
themselves."""

PDF_SECONDS = 20.0

_IMAGE_MARKS = (b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"GIF87a", b"GIF89a")
_FORMATS = ("PNG", "JPEG", "GIF", "WEBP", "BMP")


class Attaching:
    """Raises `Invalid` for what cannot be attached, saying why."""

    async def file(self, path: Path) -> AttachedFile:
        """A file of the disk."""
        data = await asyncio.to_thread(_read, path)
        return await self.data(data, path.name)

    async def data(self, data: bytes, name: str) -> AttachedFile:
        """Bytes that came from elsewhere, such as an image of the clipboard."""
        if data.startswith(b"%PDF-"):
            try:
                text = await read_apart(pdf_text.__name__, data, PDF_SECONDS, name=name)
            except TooHard as error:
                raise Invalid(f"{name} cannot be read as a PDF. {error}") from None
            return _file(data, name, "application/pdf", str(text), keep_text=True)
        return await asyncio.to_thread(_image_or_text, data, name)


def _read(path: Path) -> bytes:
    try:
        if path.is_dir():
            raise Invalid(f"{path.name} is a folder: attach the files in it one by one.")
        if not path.is_file():
            raise Invalid(f"{path.name} is not there, or no file that can be read.")
        size = path.stat().st_size
        if size > LARGEST_FILE:
            raise Invalid(
                f"{path.name} is too large: {_megabytes(size)}. Up to"
                f" {_megabytes(LARGEST_FILE)} can be attached."
            )
        return path.read_bytes()
    except OSError as error:
        raise Invalid(f"{path.name} cannot be read: {error.strerror or error}.") from error


def _image_or_text(data: bytes, name: str) -> AttachedFile:
    if not data:
        raise Invalid(f"{name} is empty.")
    if data.startswith(_IMAGE_MARKS) or (data[:4] == b"RIFF" and data[8:12] == b"WEBP"):
        return _image(data, name)
    text = _text(data)
    if text is None:
        if data.startswith(b"BM"):
            return _image(data, name)
        raise Invalid(
            f"{name} is neither text, PDF nor an image of a kind that can be sent (PNG, JPEG,"
            " WebP, GIF, BMP)."
        )
    if len(data) > LARGEST_TEXT:
        raise Invalid(
            f"{name} is too large for a text: {_megabytes(len(data))}. Up to"
            f" {_megabytes(LARGEST_TEXT)} can be attached."
        )
    kind = mimetypes.guess_type(name)[0] or "text/plain"
    kind = "text/plain" if kind.startswith(("image/", "audio/", "video/")) else kind
    return _file(data, name, kind, text)


def _text(data: bytes) -> str | None:
    """The text of a file, None when it is none: by what decodes, and holds no control
    characters."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        try:
            return data.decode("utf-16")
        except UnicodeDecodeError:
            return None
    if b"\0" in data:
        return None
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        pass
    controls = sum(byte < 32 and byte not in b"\t\n\r\f\x1b" for byte in data[:100_000])
    try:
        return None if controls else data.decode("cp1252")
    except UnicodeDecodeError:
        return None


def _image(data: bytes, name: str) -> AttachedFile:
    """Upright, scaled down, and as PNG or JPEG, which every server takes; what else the file says,
    such as where a picture was taken, is left behind."""
    from PIL import Image, ImageOps

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with Image.open(io.BytesIO(data), formats=_FORMATS) as opened:
                if opened.width * opened.height > MOST_PIXELS:
                    raise Invalid(f"{name} is too large: {opened.width} × {opened.height} pixels.")
                upright = ImageOps.exif_transpose(opened)
                upright.thumbnail((LONGEST_SIDE, LONGEST_SIDE), Image.Resampling.LANCZOS)
                kept, kind = _encoded(upright)
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError) as error:
        raise Invalid(f"{name} is damaged: it cannot be read as an image.") from error
    about = Attachment(
        sha256(kept).hexdigest(),
        name,
        kind,
        len(kept),
        width=upright.width,
        height=upright.height,
    )
    return AttachedFile(about, kept)


def _encoded(image: Image.Image) -> tuple[bytes, str]:
    """PNG for what has few colours or is seen through, JPEG for pictures."""
    through = image.mode in ("RGBA", "LA", "PA") or "transparency" in image.info
    as_png, as_jpeg = io.BytesIO(), io.BytesIO()
    plain = image.convert("RGBA" if through else "RGB")
    plain.info.clear()
    plain.save(as_png, "PNG", optimize=False)
    if through:
        return as_png.getvalue(), "image/png"
    plain.save(as_jpeg, "JPEG", quality=88)
    # Of a screenshot the lossless one is small, too, and its letters stay sharp.
    if as_png.tell() <= 2 * as_jpeg.tell():
        return as_png.getvalue(), "image/png"
    return as_jpeg.getvalue(), "image/jpeg"


def _file(data: bytes, name: str, kind: str, text: str, *, keep_text: bool = False) -> AttachedFile:
    about = Attachment(
        sha256(data).hexdigest(),
        name,
        kind,
        len(data),
        chars=len(text),
        excerpt=text[:EXCERPT_CHARS],
    )
    return AttachedFile(about, data, text if keep_text else None)


def _megabytes(size: int) -> str:
    return f"{size / 1_000_000:.1f} MB"
