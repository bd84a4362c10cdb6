"""Keys of providers: where one comes from, and what can be one."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from chatty_desktop.domain.errors import Invalid

KeySource = Literal["environment", "keyring", "file", "none"]


@dataclass(frozen=True, slots=True)
class KeyState:
    """Whether a provider has a key, and where it comes from.

    `variable` is the environment variable that names its key, or would: what is in it goes before
    a key that was stored. `trouble` is why a place could not be looked into, "" when all could.
    """

    source: KeySource
    variable: str
    trouble: str = ""


def environment_name(provider_id: str) -> str:
    """`CHATTY_KEY_LAB` for provider `lab`; what is not a letter or digit becomes `_`."""
    return "CHATTY_KEY_" + re.sub(r"[^A-Za-z0-9]", "_", provider_id).upper()


def checked_key(text: str) -> str:
    """A key as it is sent, without the space around it. Raises `Invalid`, without a word of the
    key itself: it is sent as a header, which holds nothing but visible ASCII."""
    key = text.strip()
    if not key:
        raise Invalid("There is no key in it.")
    if not key.isascii() or not key.isprintable() or " " in key:
        raise Invalid(
            "A key has neither spaces nor line breaks nor letters with accents in it."
            " Copy it again, all of it and nothing else."
        )
    return key
