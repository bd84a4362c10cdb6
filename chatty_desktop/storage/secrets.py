"""Keys of providers: the system's keyring, or the environment."""

from __future__ import annotations

import asyncio
import logging
import os
import re

log = logging.getLogger(__name__)

SERVICE = "chatty-desktop"


def environment_name(provider_id: str) -> str:
    """`CHATTY_KEY_LAB` for provider `lab`; what is not a letter or digit becomes `_`."""
    return "CHATTY_KEY_" + re.sub(r"[^A-Za-z0-9]", "_", provider_id).upper()


async def provider_key(provider_id: str) -> str | None:
    """The key of a provider, None where there is none. The environment comes first, so that one
    start can be given another key; the keyring is asked in a thread, since it may ask back."""
    named = os.environ.get(environment_name(provider_id))
    return named or await asyncio.to_thread(_from_keyring, provider_id)


def _from_keyring(provider_id: str) -> str | None:
    import keyring  # imports every backend: 100 ms that no start should pay
    from keyring.errors import KeyringError

    try:
        return keyring.get_password(SERVICE, provider_id)
    except KeyringError as error:
        log.info("No key for %s from the keyring: %s", provider_id, error)
        return None
