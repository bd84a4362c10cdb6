"""The text of a PDF, in a process of its own: page after page that draws without end, and what
unfolds into gigabytes, are in some."""

from __future__ import annotations

import io

from chatty_desktop.domain.errors import Invalid
from chatty_desktop.providers.apart import serve

MOST_PAGES = 400
MOST_CHARS = 600_000
"""Of a PDF, of which the rest is left out."""


def pdf_text(data: bytes, name: str) -> str:
    """The text of its pages. Raises `Invalid` for one that has none, is locked or damaged."""
    from pypdf import PdfReader
    from pypdf.errors import PyPdfError

    parts: list[str] = []
    length = 0
    try:
        reader = PdfReader(io.BytesIO(data))
        if reader.is_encrypted and not reader.decrypt(""):
            raise Invalid(f"{name} is locked with a password, so its text cannot be read.")
        for number, page in enumerate(reader.pages):
            if number >= MOST_PAGES or length >= MOST_CHARS:
                parts.append("[… the rest of the document is left out …]")
                break
            parts.append(page.extract_text()[:MOST_CHARS].strip())
            length += len(parts[-1])
    except Invalid:
        raise
    except (PyPdfError, ValueError, KeyError, TypeError, AttributeError, IndexError,
            RecursionError, OSError, NotImplementedError, ImportError) as error:  # fmt: skip
        raise Invalid(f"{name} is damaged: its text cannot be read.") from error
    text = "\n\n".join(part for part in parts if part)
    if not text:
        raise Invalid(
            f"{name} holds no text, only pictures of it: attach its pages as images instead."
        )
    return text


if __name__ == "__main__":
    serve(lambda data, about: pdf_text(data, about["name"]))
