"""Trying out a server as the settings describe it: is it there, and if not, why not.

One question for the list of models says most; what it does not say is asked for: whether the
port speaks https, whether a server without a list serves all the same.

Importing this module imports an HTTP library: `registry` does it in a thread, on first use.
"""

from __future__ import annotations

from typing import Any

from chatty_desktop.domain.provider_tests import ProviderTest
from chatty_desktop.domain.settings import ProviderSettings
from chatty_desktop.providers import failures
from chatty_desktop.providers.addresses import normal, ollama_root, openai_roots
from chatty_desktop.providers.clients import make_client
from chatty_desktop.providers.failures import Asked
from chatty_desktop.providers.ollama import OLLAMA_URL
from chatty_desktop.providers.openai_compatible import OPENAI_URL
from chatty_desktop.providers.patience import Patience
from chatty_desktop.providers.questions import Answer, Failed, Questions

_NOT_HERE = (404, 405, 501)
"""What a server says of an address that means nothing to it."""


async def try_server(
    entry: ProviderSettings, key: str | None, patience: Patience, *, thorough: bool
) -> ProviderTest:
    """Ask a server of the kind "openai" or "ollama" for its models. Nothing is raised but for the
    address that is none (`Invalid`): whatever goes wrong is in the answer.

    `thorough`: also find out whether the server looks at the key before it lists its models.
    """
    tester = _Ollama if entry.kind == "ollama" else _OpenAI
    trial = tester(entry, key, patience)
    try:
        return await trial.run(thorough)
    except Failed as failure:
        return ProviderTest(problem=str(failure), better_address=failure.better_address)
    finally:
        await trial.questions.close()


class _OpenAI:
    def __init__(self, entry: ProviderSettings, key: str | None, patience: Patience) -> None:
        url = entry.base_url or OPENAI_URL
        self._roots = openai_roots(url)
        self._key = key
        self._asked = Asked(entry.id, normal(url), key=key or "", keyless=not key)
        self.questions = Questions(self._asked, patience, _openai_client)

    async def run(self, thorough: bool) -> ProviderTest:
        first: Failed | None = None
        for root in self._roots:
            answer = await self.questions.get(f"{root}/models", self._key)
            self.questions.check(answer, let_by=_NOT_HERE)
            models = _listed(answer)
            if models is None:
                first = first or self.questions.not_understood(answer)
                continue
            remark = "It lists no models yet." if not models else ""
            if models and thorough and self._key and await self._is_open(root):
                remark = (
                    "It lists its models to everyone, so whether the key is right shows with the"
                    " first message."
                )
            return ProviderTest(
                models=models, milliseconds=answer.milliseconds, address=root, remark=remark
            )
        return await self._without_list(first)

    async def _is_open(self, root: str) -> bool:
        """Whether the list is given to those without a key, too."""
        try:
            return (await self.questions.get(f"{root}/models", None)).status == 200
        except Failed:
            return False

    async def _without_list(self, failure: Failed | None) -> ProviderTest:
        """A server that has no list may serve all the same: one that does finds fault with an
        empty request, and with nothing else."""
        for root in self._roots:
            answer = await self.questions.post(f"{root}/chat/completions", self._key, {})
            if answer.status in (401, 403):
                self.questions.check(answer)
            about_model = answer.status == 404 and "model" in answer.words().lower()
            if not answer.is_page and (answer.status in (400, 422) or about_model):
                return ProviderTest(
                    lists=False,
                    address=root,
                    milliseconds=answer.milliseconds,
                    remark="It answers, and has no list of its models: name them by hand.",
                )
        raise failure or Failed(str(failures.not_understood(self._asked, "nothing")))


def _listed(answer: Answer) -> tuple[str, ...] | None:
    """The models of a listing; None when the answer is none, so that the API is elsewhere."""
    value = answer.json()
    data = value.get("data") if isinstance(value, dict) else None
    if answer.status in _NOT_HERE or not isinstance(data, list):
        return None
    return tuple(str(card["id"]) for card in data if isinstance(card, dict) and card.get("id"))


class _Ollama:
    def __init__(self, entry: ProviderSettings, key: str | None, patience: Patience) -> None:
        self._root = ollama_root(entry.base_url or OLLAMA_URL)
        self._key = key
        asked = Asked(
            entry.id,
            self._root,
            key=key or "",
            keyless=not key,
            start_hint="Is Ollama running? Start it, or mend the address.",
        )
        self.questions = Questions(asked, patience, make_client, usual_port=11434)

    async def run(self, thorough: bool) -> ProviderTest:
        answer = await self.questions.get(f"{self._root}/api/tags", self._key)
        self.questions.check(answer, let_by=_NOT_HERE)
        value = answer.json()
        rows = value.get("models") if isinstance(value, dict) else None
        if answer.status in _NOT_HERE or not isinstance(rows, list):
            raise self.questions.not_understood(
                answer,
                "It may be another program: then add it as a server that speaks OpenAI's API.",
            )
        names = (row.get("model") or row.get("name") for row in rows if isinstance(row, dict))
        models = tuple(str(name) for name in names if name)
        return ProviderTest(
            models=models,
            milliseconds=answer.milliseconds,
            address=self._root,
            remark="" if models else "It has no models yet: get one first.",
        )


def _openai_client(**options: Any) -> Any:
    """Of the library that the SDK asks with, so that the same certificates are trusted."""
    from openai import DefaultAsyncHttpxClient

    return DefaultAsyncHttpxClient(**options)
