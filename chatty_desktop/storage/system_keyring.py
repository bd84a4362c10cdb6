"""The system's keyring, which may be missing, locked, or hang."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from typing import Any, TypeVar

from chatty_desktop.domain.errors import NoKeyring

SERVICE = "chatty-desktop"

_T = TypeVar("_T")


class SystemKeyring:
    """Asked in a thread, one question at a time; no answer is waited for longer than `seconds`.

    The thread is a daemon's: one that hangs holds up neither the window nor the end of the app.
    While it hangs, every other question is answered at once: the keyring is silent.
    """

    def __init__(self, seconds: float = 10.0) -> None:
        self._seconds = seconds
        self._turn = asyncio.Lock()
        self._pending: Future[Any] | None = None
        self._hangs = False

    async def get(self, name: str) -> str | None:
        """The key of that name, None without one. Raises `NoKeyring`."""

        def read() -> str | None:
            import keyring  # imports every backend: 100 ms that no start should pay

            with _failing("read"):
                _backend()
                return keyring.get_password(SERVICE, name)

        return await self._ask(read)

    async def set(self, name: str, key: str) -> None:
        """Keep a key. Raises `NoKeyring`, also when the keyring says yes and keeps nothing."""

        def write() -> None:
            import keyring

            with _failing("written", key):
                _backend()
                keyring.set_password(SERVICE, name, key)
                if keyring.get_password(SERVICE, name) != key:
                    raise NoKeyring("The system's keyring took the key and did not keep it.")

        await self._ask(write)

    async def delete(self, name: str) -> None:
        """Forget a key, whether or not there is one. Raises `NoKeyring`."""

        def remove() -> None:
            import keyring

            with _failing("changed"):
                _backend()
                if keyring.get_password(SERVICE, name) is not None:
                    keyring.delete_password(SERVICE, name)

        await self._ask(remove)

    async def trouble(self) -> str:
        """Why the keyring cannot be used, as far as can be told without reading it; "" when it
        can."""
        try:
            await self._ask(_backend)
        except NoKeyring as error:
            return str(error)
        return ""

    async def _ask(self, question: Callable[[], _T]) -> _T:
        async with self._turn:
            if self._pending is not None and not self._pending.done():
                # Left by someone who could not wait for it; a question that hangs is known to.
                await self._wait(self._pending, 0 if self._hangs else self._seconds)
            answer: Future[_T] = Future()
            self._pending = answer
            threading.Thread(
                target=_answer, args=(question, answer), name="keyring", daemon=True
            ).start()
            await self._wait(answer, self._seconds)
            return answer.result()

    async def _wait(self, answer: Future[_T], seconds: float) -> None:
        waited = asyncio.wrap_future(answer)
        # `answer` tells of a failure to whoever asked; also when nobody waits any more.
        waited.add_done_callback(lambda done: done.cancelled() or done.exception())
        await asyncio.wait({waited}, timeout=seconds)
        self._hangs = not answer.done()
        if self._hangs:
            raise NoKeyring(
                f"The system's keyring did not answer within {self._seconds:g} s. It may be locked"
                " and waiting for its password in another window."
            )


def _answer(question: Callable[[], _T], answer: Future[_T]) -> None:
    try:
        answer.set_result(question())
    except BaseException as error:
        answer.set_exception(error)


def _backend() -> None:
    """Find the keyring. Raises `NoKeyring` where there is none, or where it is switched off."""
    import keyring
    from keyring.backends import fail, null

    if isinstance(keyring.get_keyring(), (fail.Keyring, null.Keyring)):
        raise _missing()


def _missing() -> NoKeyring:
    return NoKeyring("This computer has no keyring that the app can use.", missing=True)


@contextlib.contextmanager
def _failing(done: str, key: str = "") -> Iterator[None]:
    """What a backend raises, as `NoKeyring`; never with the key in it. Backends raise more than
    the library's own errors: what their D-Bus or Windows bindings raise, too."""
    from keyring.errors import KeyringLocked, NoKeyringError

    try:
        yield
    except NoKeyring:
        raise
    except NoKeyringError as error:
        raise _missing() from error
    except KeyringLocked as error:
        raise NoKeyring("The system's keyring is locked. Unlock it, then try again.") from error
    except Exception as error:
        reason = " ".join(str(error).split()) or type(error).__name__
        reason = reason.replace(key, "…") if key else reason
        said = f"The system's keyring could not be {done}: {reason[:300].rstrip('.')}."
        # Without its cause, whose text or frames may hold the key.
        raise NoKeyring(said) from None
