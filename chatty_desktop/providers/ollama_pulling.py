"""Getting and deleting models of an Ollama, over its SDK.

Importing this module imports the SDK: `ollama_library` does it in a thread, on first use.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from dataclasses import dataclass
from typing import cast

import httpx
import ollama

from chatty_desktop.domain.errors import ChattyError, Refused, Unreachable
from chatty_desktop.domain.model_files import OllamaModel, embeds_by_family
from chatty_desktop.providers.ollama_connection import OllamaConnection, kept_responses


@dataclass(frozen=True, slots=True)
class Pulled:
    """How far a pull is: bytes of all layers told of so far; `checking` what has come."""

    done: int
    total: int
    checking: bool


class PullingConnection(OllamaConnection):
    """One client of one Ollama, for what chats do not need."""

    async def library(self) -> list[OllamaModel]:
        """The models there, with what is known of them. Raises `Unreachable` or `Refused`."""
        listing = await self._ask(self._client.list(), self._asked())
        return [_model(entry) for entry in listing.models if entry.model]

    async def delete(self, model: str) -> None:
        """Delete a model there. Raises `Unreachable` or `Refused`."""
        await self._ask(self._client.delete(model), self._asked(model))

    async def pull(self, model: str) -> AsyncGenerator[Pulled, None]:
        """Have Ollama get a model; it stops when the iterator is closed, and keeps what it has
        for the next time. Ends once the model is there. Raises `Unreachable` or `Refused`."""
        responses = kept_responses()
        layers: dict[str, tuple[int, int]] = {}
        ended = False
        try:
            parts = await self._client.pull(model, stream=True)
            try:
                async for part in parts:
                    if part.digest and part.total:
                        layers[part.digest] = (part.completed or 0, part.total)
                    ended = part.status == "success"
                    yield Pulled(
                        sum(done for done, _total in layers.values()),
                        sum(total for _done, total in layers.values()),
                        checking=(part.status or "").startswith(("verifying", "writing")),
                    )
            finally:
                for response in responses:
                    await response.aclose()
                await cast("AsyncGenerator[ollama.ProgressResponse, None]", parts).aclose()
        except Exception as error:
            raise self._pull_failure(error, model) from error
        if not ended:
            raise Unreachable(f"{self._asked().name} ended before {model!r} was there. Try again.")

    def _pull_failure(self, error: Exception, model: str) -> Exception:
        if isinstance(error, ollama.ResponseError):
            words = error.error.lower()
            if "manifest" in words and ("not exist" in words or "not found" in words):
                return Refused(f"There is no model {model!r} to get. Check how it is written.")
            if "invalid model name" in words:
                return Refused(f"{model!r} is not the name of a model.")
        if isinstance(error, httpx.TransportError) and not isinstance(error, httpx.ConnectError):
            return Unreachable(
                f"The connection to {self._asked().name} broke off. What has come is kept there;"
                " go on when it answers again."
            )
        known: ChattyError | None = self._failure(error, self._asked(model))
        return known or error


def _model(entry: ollama.ListResponse.Model) -> OllamaModel:
    details = entry.details
    return OllamaModel(
        name=entry.model or "",
        size=int(entry.size or 0),
        parameters=(details and details.parameter_size) or "",
        quantization=(details and details.quantization_level) or "",
        embeds=embeds_by_family((details and details.family) or ""),
    )
