"""The models of all providers in the settings, as the engine asks for them."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from pathlib import PurePath
from typing import TypeVar

from chatty_desktop.domain.errors import ChattyError, Invalid, Refused, Unreachable
from chatty_desktop.domain.models import ModelCard
from chatty_desktop.domain.provider_tests import ProviderTest
from chatty_desktop.domain.requests import ModelChoice
from chatty_desktop.domain.settings import ProviderSettings, Settings, split_model
from chatty_desktop.engine.ports import ChatModel, Publish
from chatty_desktop.paths import Paths
from chatty_desktop.providers.contract import Provider, ProviderKey
from chatty_desktop.providers.embedders import Embed, no_embedding
from chatty_desktop.providers.llama_cpp import LlamaCppProvider
from chatty_desktop.providers.ollama import OllamaProvider
from chatty_desktop.providers.openai_compatible import OpenAIProvider
from chatty_desktop.providers.patience import Patience
from chatty_desktop.providers.starter import STARTER_NAME

log = logging.getLogger(__name__)

_T = TypeVar("_T")

_ASK_SECONDS = 2.0
_AVAILABLE_KEPT_SECONDS = 5.0
_CLOSE_SECONDS = 2.5

Clock = Callable[[], float]

TryServer = Callable[..., Awaitable[ProviderTest]]


class ProviderRegistry:
    """Implements `engine.ports.Models`. `apply` the settings at start and whenever they change."""

    def __init__(
        self,
        paths: Paths,
        provider_key: ProviderKey,
        publish: Publish,
        *,
        patience: Patience = Patience(),
        ask_seconds: float = _ASK_SECONDS,
        clock: Clock = time.monotonic,
    ) -> None:
        self._paths = paths
        self._key = provider_key
        self._publish = publish
        self._patience = patience
        self._ask_seconds = ask_seconds
        self._clock = clock
        self._default_model: str | None = None
        self._providers: dict[str, Provider] = {}
        self._problems: dict[str, str] = {}
        self._available: tuple[float, str | None] | None = None
        self._asking = asyncio.Lock()
        self._closing: set[asyncio.Task[None]] = set()

    def apply(self, settings: Settings) -> None:
        """Take over the providers of the settings: what is unchanged, or changed in nothing that
        a connection depends on, keeps its connections and loaded models; what is gone or changed
        otherwise is closed in the background.

        Must be called in the event loop. A provider whose entry cannot be used is told of by
        `choices`, and raises when one of its models is asked for.
        """
        before = self._providers
        self._default_model = settings.default_model
        self._available = None
        self._providers, self._problems = {}, {}
        for entry in settings.providers:
            old = before.get(entry.id)
            if old is not None and (old.settings == entry or old.take(entry)):
                self._providers[entry.id] = before.pop(entry.id)
                continue
            try:
                self._providers[entry.id] = self._make(entry)
            except Invalid as problem:
                self._problems[entry.id] = str(problem)
        for gone in before.values():
            self._close_in_background(gone)

    def renew(self, provider_id: str) -> None:
        """Begin anew with a provider, since its key is another one. Answers that still run over
        the old connection end."""
        self._available = None
        old = self._providers.get(provider_id)
        if old is not None and old.settings.kind != "llama_cpp":
            self._providers[provider_id] = self._make(old.settings)
            self._close_in_background(old)

    def chat_model(self, reference: str) -> ChatModel:
        """The model by its reference; asks nobody. Raises `Invalid` when no provider has that
        id, or its entry cannot be used."""
        provider_id, name = split_model(reference)
        if problem := self._problems.get(provider_id):
            raise Invalid(f"Provider {provider_id} cannot be used: {problem}")
        provider = self._providers.get(provider_id)
        if provider is None:
            known = ", ".join(self._providers) or "none"
            raise Invalid(
                f"There is no provider {provider_id!r} for the model {reference!r} in the settings"
                f" (there: {known}). Choose another model, or add the provider."
            )
        return provider.chat_model(name)

    def embedding_of(self, provider_id: str) -> Embed:
        """The way to embed with a provider; asks nobody. Raises `Invalid` as `chat_model` does."""
        if problem := self._problems.get(provider_id):
            raise Invalid(f"Provider {provider_id} cannot be used: {problem}")
        provider = self._providers.get(provider_id)
        if provider is None:
            raise no_embedding(provider_id)
        return provider.embed

    def registered(self, reference: str) -> bool:
        """Whether the reference names a provider of the settings."""
        try:
            return split_model(reference)[0] in self._providers
        except Invalid:
            return False

    def provider(self, provider_id: str) -> Provider:
        """A provider by its id; asks nobody. Raises `Invalid` as `chat_model` does."""
        if problem := self._problems.get(provider_id):
            raise Invalid(f"Provider {provider_id} cannot be used: {problem}")
        provider = self._providers.get(provider_id)
        if provider is None:
            raise Invalid(f"There is no provider {provider_id!r} in the settings.")
        return provider

    async def cards(self, provider_id: str) -> list[ModelCard]:
        """The models that a provider lists, with what it tells of them. Raises `Unreachable`,
        within two seconds or so, `Refused` or `Invalid`."""
        provider = self.provider(provider_id)
        return await self._answer(provider, provider.cards)

    async def card(self, reference: str) -> ModelCard:
        """What a provider tells of one model. Raises as `cards` does."""
        provider_id, name = split_model(reference)
        provider = self.provider(provider_id)
        return await self._answer(provider, lambda: provider.card(name))

    async def first_available(self) -> str | None:
        """The default model of the first provider that answers within two seconds, in the order
        of the settings; None without one. What was found holds for five seconds."""
        async with self._asking:
            if self._available is not None:
                at, found = self._available
                if self._clock() - at < _AVAILABLE_KEPT_SECONDS:
                    return found
            found = await self._find_available()
            self._available = (self._clock(), found)
            return found

    async def choices(self) -> tuple[list[ModelChoice], list[str]]:
        """All models that can be picked, in the order of the settings: those a provider lists,
        and those named by hand, also of a provider that cannot be asked (`listed` False); and a
        line for each such provider."""
        providers = list(self._providers.values())
        answers = await asyncio.gather(*(self._ask(provider) for provider in providers))
        models: list[ModelChoice] = []
        lines = [f"{provider_id}: {text}" for provider_id, text in self._problems.items()]
        for provider, answer in zip(providers, answers, strict=True):
            listed = dict.fromkeys(answer if isinstance(answer, list) else ())
            if isinstance(answer, ChattyError):
                lines.append(f"{provider.settings.id}: {answer}")
            entry = provider.settings
            by_hand = {name: entry.listed_as(name, listed) for name in entry.models}
            others = [name for name in listed if name not in by_hand.values()]
            models += [_choice(entry, name, by_hand[name] is not None) for name in by_hand]
            models += [_choice(entry, name, True) for name in others]
        return models, lines

    def check(self, entry: ProviderSettings) -> None:
        """See whether a provider could be one, asking nobody. Raises `Invalid` for its address."""
        if "?" in (entry.base_url or ""):
            raise Invalid("An address ends before the question mark. A key has a field of its own.")
        self._make(entry)

    async def test(
        self, entry: ProviderSettings, key: str | None = None, *, thorough: bool = True
    ) -> ProviderTest:
        """Try out a provider, which need not be in the settings. Can be cancelled at any time.

        `key`: one that need not be stored, "" for none; None takes the one stored for its id.
        `thorough`: also find out whether the server looks at the key before it lists its models.
        What is wrong is in the answer: nothing is raised.
        """
        try:
            self.check(entry)
            if entry.kind == "llama_cpp":
                return await self._test_local(entry)
            if key is None:
                key = await self._key(entry.id) if entry.id else None
            try_server = await asyncio.to_thread(_import_try_server)
            return await try_server(entry, key or None, self._patience, thorough=thorough)
        except ChattyError as problem:
            return ProviderTest(problem=str(problem))

    @property
    def local(self) -> list[LlamaCppProvider]:
        """The providers whose models run on this computer in the app's own engine."""
        return [p for p in self._providers.values() if isinstance(p, LlamaCppProvider)]

    async def close(self) -> None:
        """Close every provider, within two and a half seconds."""
        providers, self._providers = self._providers, {}
        closing = [asyncio.create_task(_close(provider)) for provider in providers.values()]
        waiting = {*closing, *self._closing}
        if waiting:
            _done, late = await asyncio.wait(waiting, timeout=_CLOSE_SECONDS)
            for task in late:
                task.cancel()
            await asyncio.gather(*late, return_exceptions=True)

    def _close_in_background(self, gone: Provider) -> None:
        task = asyncio.get_running_loop().create_task(_close(gone))
        self._closing.add(task)
        task.add_done_callback(self._closing.discard)

    def _make(self, entry: ProviderSettings) -> Provider:
        if entry.kind == "llama_cpp":
            return LlamaCppProvider(entry, self._paths, self._publish, patience=self._patience)
        if entry.kind == "ollama":
            return OllamaProvider(entry, self._key, self._patience)
        return OpenAIProvider(entry, self._key, self._patience)

    async def _test_local(self, entry: ProviderSettings) -> ProviderTest:
        provider = self._make(entry)
        try:
            models = await provider.listed()
        finally:
            await provider.close()
        missing = [name for name in entry.models if name not in models]
        remark = "There are no model files yet: get one first." if not models else ""
        if models and missing:
            names = ", ".join(PurePath(name).name for name in missing)
            remark = f"Not there any more: {names}."
        return ProviderTest(models=tuple(models), remark=remark)

    async def _find_available(self) -> str | None:
        # The settings may change while a server is asked.
        for provider in list(self._providers.values()):
            answer = await self._ask(provider)
            if isinstance(answer, ChattyError):
                continue
            if name := self._default_of(provider.settings, answer):
                return f"{provider.settings.id}/{name}"
        return None

    def _default_of(self, entry: ProviderSettings, listed: list[str]) -> str | None:
        """Which of a provider's models stands for it: the settings' default when it is of this
        provider, else the first one named by hand, else the first one listed."""
        prefix = f"{entry.id}/"
        default = self._default_model or ""
        wanted = [default.removeprefix(prefix)] if default.startswith(prefix) else []
        if entry.kind == "llama_cpp":
            # Of files that are not there none can be taken.
            return next((name for name in [*wanted, *listed] if name in listed), None)
        return next(iter([*wanted, *entry.models, *listed]), None)

    async def _ask(self, provider: Provider) -> list[str] | ChattyError:
        """The models a provider lists, or why it could not be asked."""
        try:
            return await self._answer(provider, provider.listed)
        except (Unreachable, Refused) as problem:
            return problem

    async def _answer(self, provider: Provider, question: Callable[[], Awaitable[_T]]) -> _T:
        """What a provider answers off hand. Raises `Unreachable` or `Refused`."""
        await provider.prepare()
        try:
            async with asyncio.timeout(self._ask_seconds):
                return await question()
        except TimeoutError:
            where = provider.settings.base_url or "it"
            raise Unreachable(
                f"{where} did not answer within {self._ask_seconds:g} s. Is it running?",
                cause="timeout",
            ) from None


def _import_try_server() -> TryServer:
    from chatty_desktop.providers.testing import try_server  # an HTTP library comes with it

    return try_server


def _choice(entry: ProviderSettings, name: str, listed: bool) -> ModelChoice:
    return ModelChoice(
        reference=f"{entry.id}/{name}",
        label=_label(entry, name),
        provider_id=entry.id,
        kind=entry.kind,
        listed=listed,
    )


def _label(entry: ProviderSettings, name: str) -> str:
    if entry.kind == "llama_cpp":
        name = "Starter model" if name == STARTER_NAME else PurePath(name).stem
    return f"{name} ({entry.id})"


async def _close(provider: Provider) -> None:
    try:
        await provider.close()
    except Exception:
        log.exception("Provider %s could not be closed", provider.settings.id)
