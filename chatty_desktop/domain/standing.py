"""Which model answers an agent, why that one, and whether it can."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from chatty_desktop.domain.settings import ProviderKind

ChosenBy = Literal["agent", "default", "first"]
"""Why a model answers: the agent names it; the settings do; it is the first one available."""


@dataclass(frozen=True, slots=True)
class Standing:
    """How the model that answers stands, as far as asking its server tells.

    `reference` None: there is none. `kind` None: its provider is not in the settings. `problem`:
    why it cannot answer now, "" when it can. `listed`: its server lists it, or lists nothing.
    """

    reference: str | None
    chosen_by: ChosenBy
    kind: ProviderKind | None = None
    problem: str = ""
    listed: bool = True
