"""What a server's failures mean: who cannot be reached, and who said no."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from chatty_desktop.domain.errors import ChattyError, Refused, Unreachable
from chatty_desktop.domain.json_text import NotJson, read_json
from chatty_desktop.domain.keys import environment_name
from chatty_desktop.providers.causes import cause_of

_OTHER_NAMES = {
    "repeat_penalty": ("repetition_penalty",),
    "max_tokens": ("max_completion_tokens", "num_predict"),
}
"""By what else servers call an option."""

WEB_PAGE = "a web page"
"""What came in place of an answer: of a proxy, or of another program at that address."""

NO_REPLY = "no part of a reply came"

_LONGEST_WORDS = 500
"""Characters of a server's own message that are passed on."""


@dataclass(frozen=True, slots=True)
class Asked:
    """Who was asked for what, as messages name it: "lab (http://127.0.0.1:8080)".

    `options` are the names of those that the person set for the model. `key` is what was sent
    along, so that no message holds it; `keyless`: it is known that none was.
    """

    provider_id: str
    address: str
    model: str = ""
    key: str = field(default="", repr=False)
    keyless: bool = False
    start_hint: str = "Is the server running, and is the address in the settings right?"
    missing_hint: str = "Pick another model, or make this one available there."
    options: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        return f"{self.provider_id} ({self.address})" if self.provider_id else self.address

    def quoted(self, words: str) -> str:
        """A server's words on one line, cut when they are long; without the key, which some
        repeat."""
        one_line = " ".join(words.split())
        if self.key:
            one_line = one_line.replace(self.key, "…")
        cut = one_line if len(one_line) <= _LONGEST_WORDS else one_line[:_LONGEST_WORDS] + "…"
        return cut.rstrip(".")


def by_status(asked: Asked, status: int, words: str, wait: float | None = None) -> ChattyError:
    """The failure an HTTP status stands for; `words` are the server's own, `wait` the seconds that
    it asks to be left alone for."""
    said = f": {asked.quoted(words)}" if words else ""
    if status in (401, 403):
        return Unreachable(_about_the_key(asked, f"status {status}{said}"), cause="authentication")
    if status == 404:
        if asked.model and "model" in words.lower():
            return Unreachable(
                f"{asked.name} has no model {asked.model!r} (status 404{said})."
                f" {asked.missing_hint}",
                cause="missing",
            )
        hint = "Check the address in the settings."
        if asked.model:
            hint = "Check the address in the settings, and the model's name."
        return Unreachable(
            f"{asked.name} has nothing at that address (status 404{said}). {hint}", cause="missing"
        )
    if status == 408:
        return Unreachable(
            f"{asked.name} gave up waiting (status 408{said}). Try again.", cause="timeout"
        )
    if status == 429:
        hint = "Try again later." if wait is None else f"Try again in {_duration(wait)}."
        return Unreachable(
            f"{asked.name} takes no more requests for now (status 429{said}). {hint}",
            cause="rate_limit",
        )
    if status >= 500:
        return Unreachable(
            f"{asked.name} failed (status {status}{said}). Try again; its own log says more.",
            cause="server",
        )
    return Refused(
        f"{asked.name} refused the request (status {status}{said}).{_of_options(asked, words)}"
    )


def _duration(seconds: float) -> str:
    if seconds < 120:
        return f"{seconds:g} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.0f} h"


def _of_options(asked: Asked, words: str) -> str:
    """What the options of the model may have to do with a refusal, and what to do about it."""
    if not asked.options:
        return ""
    named = [name for name in asked.options if _named(name, words)]
    if named:
        return (
            f" It does not take {_listed(named)} as set for {asked.model}:"
            " change or reset that in the settings, under Models."
        )
    return (
        f" If that is about what is set for {asked.model} ({_listed(asked.options)}),"
        " reset it in the settings, under Models."
    )


def _named(option: str, words: str) -> bool:
    """Whether a server's words name an option."""
    names = (option, *_OTHER_NAMES.get(option, ()))
    return any(re.search(rf"\b{name}\b", words.lower()) for name in names)


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names)


def _about_the_key(asked: Asked, said: str) -> str:
    variable = environment_name(asked.provider_id)
    where = f"in the settings or in {variable}" if asked.provider_id else "in the settings"
    if asked.keyless:
        return f"{asked.name} wants a key ({said}). Set it {where}."
    return f"{asked.name} refused the key ({said}). Check it {where}."


def no_connection(asked: Asked, error: BaseException) -> Unreachable:
    """No connection came about, or it broke."""
    cause = cause_of(error)
    return Unreachable(
        f"{asked.name} cannot be reached: {asked.quoted(cause.words)}."
        f" {cause.advice or asked.start_hint}",
        cause="connection",
    )


def no_answer(asked: Asked) -> Unreachable:
    """The server is there and says nothing."""
    return Unreachable(
        f"{asked.name} did not answer in time. It may be busy or loading a model; try again.",
        cause="timeout",
    )


def not_understood(asked: Asked, what: str) -> Unreachable:
    """What came back is not an answer of such a server."""
    return Unreachable(
        f"{asked.name} did not answer as such a server does ({asked.quoted(what)})."
        " Is the address in the settings right?",
        cause="server",
    )


def words_of(body: Any) -> str:
    """The message inside an error body: {"error": {"message"}}, {"error": …}, {"detail": …},
    or text."""
    if isinstance(body, str):
        try:
            parsed = read_json(body)
        except NotJson:
            return "" if body.lstrip().startswith("<") else body.strip()
        return words_of(parsed) if isinstance(parsed, dict) else body.strip()
    if isinstance(body, dict):
        for name in ("error", "message", "detail"):
            if value := body.get(name):
                return words_of(value)
    return str(body) if body else ""
