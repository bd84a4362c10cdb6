"""The address of a model file, from what people copy out of a browser."""

from __future__ import annotations

import re
from urllib.parse import unquote, urlsplit, urlunsplit

from chatty_desktop.domain.errors import Invalid

_HUGGING_FACE = ("huggingface.co", "www.huggingface.co", "hf.co")
_UNSAFE = re.compile(r'[\x00-\x1f<>:"/\\|?*]+')
_RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\.|$)", re.IGNORECASE)
_LONGEST_NAME = 180


def file_address(text: str) -> str:
    """The address to download from. The page of a file on Hugging Face becomes the file itself.
    Raises `Invalid`, saying what to give instead."""
    url = text.strip()
    if "://" not in url and re.match(r"[\w-]+(\.[\w-]+)+/", url):
        url = f"https://{url}"
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and parts.hostname and (parts.port or 1)
    except ValueError:
        parts, usable = urlsplit(""), None
    if not usable or re.search(r"\s", url):
        raise Invalid(f"{text.strip()!r} is not an address; it begins with https://.")
    if parts.username or parts.password:
        raise Invalid("the address holds a name or a password, which would be kept with it")
    if parts.hostname in _HUGGING_FACE:
        return _hugging_face(parts.path)
    return urlunsplit((parts.scheme, parts.netloc, parts.path, parts.query, ""))


def file_name(url: str) -> str:
    """A name for the file that every system takes, ending in .gguf."""
    return plain_name(unquote(urlsplit(url).path.rstrip("/").rpartition("/")[2]))


def plain_name(text: str) -> str:
    """The text as the name of a file that every system takes, ending in .gguf."""
    name = _UNSAFE.sub("-", text).strip(" .-") or "model"
    stem = name[:-5] if name.lower().endswith(".gguf") else name
    if _RESERVED.match(stem):
        stem = f"model-{stem}"
    return f"{stem[:_LONGEST_NAME]}.gguf"


def _hugging_face(path: str) -> str:
    steps = path.strip("/").split("/")
    if len(steps) < 5 or steps[2] not in ("blob", "resolve", "raw"):
        raise Invalid(
            "this is the page of a model, which has several files; open the page of one file that"
            " ends in .gguf and copy its address"
        )
    steps[2] = "resolve"
    return f"https://huggingface.co/{'/'.join(steps)}"
