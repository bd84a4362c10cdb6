"""The catalogue of models, and downloads as they stand."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from chatty_desktop.domain.errors import Invalid
from chatty_desktop.domain.json_text import NotJson, read_json
from chatty_desktop.domain.strategies import describe

_SHA256 = re.compile(r"[0-9a-f]{64}")


class CatalogueModel(BaseModel):
    """A model that can be downloaded.

    `size` is in bytes; `memory` in bytes too, what it takes when it runs with a context of 8,192
    tokens; `context_length` in tokens. `purpose` is for people. `licence` is an SPDX name.
    """

    model_config = ConfigDict(defer_build=True, extra="forbid", frozen=True)

    id: str = Field(min_length=1)
    name: str = Field(min_length=1)
    kind: Literal["chat", "embedding"]
    purpose: str = Field(min_length=1)
    parameters: str
    quantization: str
    size: int = Field(gt=1_000_000)
    memory: int = Field(gt=1_000_000)
    context_length: int = Field(ge=256)
    licence: str = Field(min_length=1)
    url: str = Field(pattern=r"^https://\S+\.gguf$")
    sha256: str

    @property
    def file_name(self) -> str:
        return self.url.rpartition("/")[2]

    @field_validator("sha256")
    @classmethod
    def _hexadecimal(cls, value: str) -> str:
        return checked_sha256(value)


class _Catalogue(BaseModel):
    model_config = ConfigDict(defer_build=True, extra="forbid")

    models: tuple[CatalogueModel, ...]


def read_catalogue(text: str) -> tuple[CatalogueModel, ...]:
    """Read catalogue.json. Raises `Invalid` naming what is wrong."""
    try:
        return _Catalogue.model_validate(read_json(text)).models
    except ValidationError as error:
        raise Invalid(describe(error)) from error
    except NotJson as error:
        raise Invalid(f"not JSON: {error}") from error


def checked_sha256(text: str) -> str:
    """A checksum as people paste it, in lower case and bare. Raises `Invalid`, a `ValueError`
    for pydantic's sake."""
    value = text.strip().lower().removeprefix("sha256:").removeprefix("sha256-")
    if not _SHA256.fullmatch(value):
        raise WrongChecksumText(
            "a SHA-256 has 64 digits and letters from a to f; copy all of it, or leave it out"
        )
    return value


class WrongChecksumText(Invalid, ValueError):
    """What was given for a checksum is none."""


DownloadState = Literal["waiting", "running", "checking", "paused", "failed", "finished", "gone"]
"""`waiting` for its turn or for another try; `checking` what is there against its checksum;
`paused` keeps what has come; `failed` has nothing left to go on from; `gone` was cancelled."""


@dataclass(frozen=True, slots=True)
class Download:
    """A download as it stands. `done` and `total` are bytes, `total` 0 when not known; `speed` is
    bytes a second, `seconds_left` None when not known. `reason` says why it is as it is, where
    that is not plain: what to do about it too. `path` is where the file lies once finished."""

    id: str
    name: str
    url: str
    state: DownloadState
    done: int = 0
    total: int = 0
    speed: float = 0.0
    seconds_left: float | None = None
    reason: str = ""
    path: str = ""

    @property
    def active(self) -> bool:
        """Whether it is under way without anyone doing anything."""
        return self.state in ("waiting", "running", "checking")
