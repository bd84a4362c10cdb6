"""Files to attach, made by the libraries that others make theirs with."""

from __future__ import annotations

import io
from hashlib import sha256

from PIL import Image

from chatty_desktop.domain.attachments import EXCERPT_CHARS, AttachedFile, Attachment


def text_file(name: str = "notes.md", text: str = "# Notes\nKyoto in May\n") -> AttachedFile:
    data = text.encode()
    about = Attachment(
        sha256(data).hexdigest(),
        name,
        "text/markdown",
        len(data),
        chars=len(text),
        excerpt=text[:EXCERPT_CHARS],
    )
    return AttachedFile(about, data)


def image_bytes(
    kind: str = "PNG", size: tuple[int, int] = (40, 20), orientation: int | None = None
) -> bytes:
    """A red image; `orientation` is the mark that cameras put into theirs."""
    image = Image.new("RGB", size, (200, 30, 30))
    into = io.BytesIO()
    more = {}
    if orientation is not None:
        exif = Image.Exif()
        exif[0x0112] = orientation
        exif[0x010F] = "Maker of cameras"
        more["exif"] = exif
    image.save(into, kind, **more)
    return into.getvalue()


def image_file(name: str = "photo.png") -> AttachedFile:
    data = image_bytes()
    about = Attachment(sha256(data).hexdigest(), name, "image/png", len(data), width=40, height=20)
    return AttachedFile(about, data)


def pdf_bytes(text: str) -> bytes:
    """A PDF of one page that says a line of ASCII."""
    stream = f"BT /F1 12 Tf 20 100 Td ({text}) Tj ET".encode("ascii")
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 200] /Contents 4 0 R"
        b" /Resources << /Font << /F1 5 0 R >> >> >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    made = b"%PDF-1.4\n"
    places = []
    for number, body in enumerate(objects, 1):
        places.append(len(made))
        made += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    end = b"trailer << /Size 6 /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % len(made)
    return made + b"xref\n0 6\n0000000000 65535 f \n" + table + end
