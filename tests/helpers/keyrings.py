"""Keyrings of the library's own kind, for tests to put in the place of the system's."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import keyring
import pytest
from keyring.backend import KeyringBackend
from keyring.errors import PasswordDeleteError


class MemoryKeyring(KeyringBackend):
    """Keeps passwords as long as it lives."""

    priority = 1.0

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.kept: dict[tuple[str, str], str] = {}

    def get_password(self, service: str, username: str) -> str | None:
        return self.kept.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self.kept[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        if (service, username) not in self.kept:
            raise PasswordDeleteError("No such password!")
        del self.kept[service, username]


class ForgetfulKeyring(MemoryKeyring):
    """Says yes to a password and keeps nothing."""

    def set_password(self, service: str, username: str, password: str) -> None:
        return


class FailingKeyring(MemoryKeyring):
    """Raises the same error at every question; `talkative` puts the password into it."""

    def __init__(self, error: Exception, talkative: bool = False) -> None:
        super().__init__()
        self.error = error
        self.talkative = talkative

    def get_password(self, service: str, username: str) -> str | None:
        raise self.error

    def set_password(self, service: str, username: str, password: str) -> None:
        raise RuntimeError(f"cannot store {password!r}") if self.talkative else self.error

    def delete_password(self, service: str, username: str) -> None:
        raise self.error


class HangingKeyring(MemoryKeyring):
    """Answers nothing before it is released, as one that waits for its own password."""

    def __init__(self) -> None:
        super().__init__()
        self.released = threading.Event()
        self.questions = 0

    def get_password(self, service: str, username: str) -> str | None:
        self.questions += 1
        self.released.wait(60)
        return super().get_password(service, username)


@contextmanager
def system_keyring(backend: KeyringBackend) -> Iterator[None]:
    """The keyring that the library finds, while this lasts."""
    before = keyring.get_keyring()
    keyring.set_keyring(backend)
    try:
        yield
    finally:
        keyring.set_keyring(before)


@pytest.fixture(name="keyring")
def memory_keyring() -> Iterator[MemoryKeyring]:
    """A keyring that keeps what it is given, in the place of the system's."""
    backend = MemoryKeyring()
    with system_keyring(backend):
        yield backend
