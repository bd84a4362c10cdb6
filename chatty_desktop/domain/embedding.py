"""What is known of embedding models: how each wants its texts marked, and which scores it gives.

Scores of two models never compare: an unrelated text scores about 0.75 with e5 and about 0.1 with
all-MiniLM. So every vector is kept with the identity of what made it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

BUILT_IN = "builtin"
"""The name of the embedding model that comes with the app: multilingual-e5-small."""


@dataclass(frozen=True, slots=True)
class EmbedderId:
    """What made a vector: vectors of another provider, model or dimension never match it."""

    provider: str
    model: str
    dimension: int

    @property
    def name(self) -> str:
        """`provider/model`, as the settings name it."""
        return f"{self.provider}/{self.model}"


@dataclass(frozen=True, slots=True)
class Prefixes:
    """What is put before a text that is looked for, and before one that is stored."""

    query: str = ""
    text: str = ""


@dataclass(frozen=True, slots=True)
class _Family:
    """Models that were trained alike. `threshold` is a cosine."""

    names: re.Pattern[str]
    prefixes: Prefixes
    threshold: float


_SEARCH = "Represent this sentence for searching relevant passages: "
_INSTRUCT = "Instruct: Given a message, find earlier messages that it refers to\nQuery: "

_FAMILIES = tuple(
    _Family(re.compile(names), prefixes, threshold)
    for names, prefixes, threshold in (
        # The first that matches counts; prefixes are those of each model's own card.
        (r"\be5-.*instruct", Prefixes(query=_INSTRUCT), 0.75),
        (rf"\be5\b|^{BUILT_IN}$", Prefixes("query: ", "passage: "), 0.82),
        (r"\bnomic-embed", Prefixes("search_query: ", "search_document: "), 0.6),
        (r"\bbge-m3\b", Prefixes(), 0.5),
        (r"\bbge-.*-zh\b", Prefixes(query="为这个句子生成表示以用于检索相关文章："), 0.5),
        (r"\bbge\b", Prefixes(query=_SEARCH), 0.6),
        (r"\bmxbai-embed", Prefixes(query=_SEARCH), 0.55),
        (r"\bminilm\b", Prefixes(), 0.3),
        (r"\btext-embedding-3\b", Prefixes(), 0.3),
        (r"\btext-embedding-ada", Prefixes(), 0.77),
    )
)


def prefixes_of(model: str) -> Prefixes:
    """The prefixes a model's family wants, by its name; none for a model that is not known."""
    family = _family(model)
    return family.prefixes if family else Prefixes()


def suggested_threshold(model: str) -> float | None:
    """A cosine that parts what belongs together from what does not, for models of that name;
    None for a model that is not known. A point to start from: chats differ."""
    family = _family(model)
    return family.threshold if family else None


def _family(model: str) -> _Family | None:
    # A repository or folder before the name, and an underscore for a hyphen, say nothing.
    name = model.replace("\\", "/").rsplit("/", 1)[-1].lower().replace("_", "-")
    return next((family for family in _FAMILIES if family.names.search(name)), None)
