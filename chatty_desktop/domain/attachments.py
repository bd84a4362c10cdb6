"""Files attached to messages: what is known of one, and what of it goes into a request.

The bytes live apart, once, under their digest. What a message carries is small: a name, sizes, and
how a text begins, so that a list of messages loads no file.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from chatty_desktop.domain.tokens import estimate

MOST_FILES = 20
"""Of one message."""

EXCERPT_CHARS = 1_000
"""Of a text, kept with the message: what memory sees of the file."""

IMAGE_TOKENS = 1_000
"""Of one image, whatever the model: between what servers count for one of a usual size."""

SHORTEST_PART = 200
"""Characters that are left of a text when the budget of a request is used up."""

UNKNOWN_CONTEXT = 8192


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file of a message. `digest` is the SHA-256 of its bytes, in hex; `size` counts them.
    `width` and `height` are an image's pixels, `chars` the length of a text and `excerpt` its
    beginning."""

    digest: str
    name: str
    media_type: str
    size: int
    chars: int = 0
    excerpt: str = ""
    width: int = 0
    height: int = 0

    @property
    def is_image(self) -> bool:
        return self.media_type.startswith("image/")

    @property
    def tokens(self) -> int:
        """Estimated, of the whole file in a request."""
        if self.is_image:
            return IMAGE_TOKENS
        shown = estimate(self.excerpt)
        return shown * max(1, self.chars) // max(1, len(self.excerpt)) + estimate(self.name)


@dataclass(frozen=True, slots=True)
class AttachedFile:
    """An attachment with its content. `text` is what was read out of a document whose bytes are
    no text, such as a PDF; None for the others."""

    about: Attachment
    data: bytes
    text: str | None = None


@dataclass(frozen=True, slots=True)
class WireImage:
    """An image as a request carries it."""

    media_type: str
    data: bytes


Contents = Mapping[str, bytes | str]
"""What files hold, by digest: an image as its bytes, anything else as its text."""


@dataclass(frozen=True, slots=True)
class AttachmentBudget:
    """What a request carries of files: `tokens` of texts, and so many `images`; 0 for a model that
    sees none."""

    tokens: int = UNKNOWN_CONTEXT // 2
    images: int = 8

    @classmethod
    def within(cls, context: int | None, *, sees_images: bool = True) -> AttachmentBudget:
        """Half of the model's context for texts, a quarter for images, one at least."""
        whole = context or UNKNOWN_CONTEXT
        images = min(8, max(1, whole // 4 // IMAGE_TOKENS))
        return cls(whole // 2, images if sees_images else 0)


def shares(
    messages: Sequence[tuple[str, Sequence[Attachment]]], budget: AttachmentBudget
) -> dict[str, tuple[int, ...]]:
    """For each file, by the id of its message: how many characters of it go along, of an image 1
    or 0. `messages` are in order; the newest files come first."""
    left, images = budget.tokens, budget.images
    found: dict[str, tuple[int, ...]] = {}
    for message_id, files in reversed(messages):
        own: list[int] = []
        for file in files:
            if file.is_image:
                own.append(1 if images > 0 else 0)
                images -= own[-1]
                continue
            tokens = file.tokens
            kept = file.chars if tokens <= left else file.chars * max(0, left) // tokens
            own.append(min(file.chars, max(SHORTEST_PART, kept)))
            left -= min(tokens, max(0, left))
        found[message_id] = tuple(own)
    return found


def share_tokens(files: Sequence[Attachment], kept: Sequence[int]) -> int:
    """Estimated tokens of what goes along."""
    return sum(
        file.tokens * share // max(1, 1 if file.is_image else file.chars)
        for file, share in zip(files, kept, strict=False)
    )


def in_full(
    words: str,
    files: Sequence[Attachment],
    kept: Sequence[int],
    contents: Contents,
    *,
    name_images: bool = False,
) -> str:
    """What a message says with the texts of its files, each fenced under its name. An image that
    does not go along is named; one that does speaks for itself, unless `name_images`: then for
    those who only read."""
    parts = [words] if words.strip() else []
    for file, share in zip(files, kept, strict=False):
        content = contents.get(file.digest)
        if file.is_image:
            size = f"{file.width} × {file.height}"
            if not share:
                parts.append(f"[Image {file.name}, {size}: not shown here.]")
            elif name_images:
                parts.append(f"[Image {file.name}, {size}, {file.size // 1000 + 1} kB]")
            continue
        text = content if isinstance(content, str) else file.excerpt
        parts.append(_fenced(file, text, share))
    return "\n\n".join(parts)


def images_of(
    files: Sequence[Attachment], kept: Sequence[int], contents: Contents
) -> tuple[WireImage, ...]:
    """The images that go along."""
    return tuple(
        WireImage(file.media_type, content)
        for file, share in zip(files, kept, strict=False)
        if share and file.is_image and isinstance(content := contents.get(file.digest), bytes)
    )


def told(words: str, files: Sequence[Attachment]) -> str:
    """What memory takes in of a message: its words, and of each file the name and how it begins.
    Never an image."""
    if not files:
        return words
    said = [words] if words.strip() else []
    for file in files:
        begins = f": {file.excerpt}" if file.excerpt.strip() else ""
        more = " …" if file.chars > len(file.excerpt) else ""
        said.append(f"[Attached {'image' if file.is_image else 'file'} {file.name}{begins}{more}]")
    return "\n".join(said)


def named(files: Iterable[Attachment]) -> str:
    """The names, for a title or a line of an export."""
    return ", ".join(file.name for file in files)


def write_attachments(files: Sequence[Attachment]) -> str:
    """As JSON, for a row."""
    return json.dumps([asdict(file) for file in files], ensure_ascii=False) if files else "[]"


def read_attachments(text: str) -> tuple[Attachment, ...]:
    """Those of `write_attachments`."""
    if text == "[]":
        return ()
    rows: list[dict[str, Any]] = json.loads(text)
    return tuple(Attachment(**row) for row in rows)


def _fenced(file: Attachment, text: str, share: int) -> str:
    left_out = len(text) - share
    if left_out > 0:
        note = f"[… {left_out} of {len(text)} characters left out here …]"
        text = f"{text[:share]}\n{note}"
    # Longer than any fence within.
    longest = max((len(run) for run in re.findall(r"`{3,}", text)), default=2)
    fence = "`" * max(3, longest + 1)
    kind = file.name.rpartition(".")[2].lower() if "." in file.name else ""
    kind = kind if re.fullmatch(r"[a-z0-9+#-]{1,12}", kind) and kind != "pdf" else ""
    end = "" if text.endswith("\n") else "\n"
    return f"File: {file.name}\n{fence}{kind}\n{text}{end}{fence}"
