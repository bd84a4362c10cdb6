"""What measuring one model came to: its folds, their totals, and a verdict in one word."""

from __future__ import annotations

import statistics
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from pydantic import BaseModel, ConfigDict

from chatty_desktop.domain.measuring import MeasuredFold

Ended = Literal["done", "stopped", "failed"]

Verdict = Literal["rely", "larger", "summarized", "right_form", "too_few"]
"""rely: good enough to rely on. larger: use a larger model. summarized: use Summarized instead.
right_form: it answers in the right form, and no right answers are known. too_few: not enough was
measured to say."""

FEWEST = 5
"""Folds needed for a verdict: below that, one slip is a fifth of all or more."""

RELY_ACCEPTED = 0.9
"""Share of folds that must be accepted to rely on a model. A refused fold leaves the state as it
was and its messages are not read again: one in ten is an exchange forgotten in a chat of an
evening, more is a memory with holes."""

RELY_GOOD = 0.85
"""Share of folds without any fault to rely on a model. A fault stays until somebody says the thing
again or corrects it by hand, so it costs more than one answer; at one in seven or fewer a person
who looks at the memory now and then keeps it right. The 1.5B that the prompts were made with comes
to 0.94 on chats it was not made for, the 0.5B to about 0.63."""

ENOUGH_ACCEPTED = 0.6
"""Below that share of accepted folds a model does not get the form: a summary, which is plain text,
asks less of it than a larger share of luck would."""

ENOUGH_GOOD = 0.5
"""Below that share of folds without fault, what is kept is wrong more often than right within a few
exchanges. A summary rewrites all of it each time, so that a slip does not stay for good."""


class Measurement(BaseModel):
    """One model measured for one agent.

    `source` is the title of the script, or of the chat whose `session_id` is set. `fields` are the
    agent's; `judged` those of them whose right answers are known. `planned`: the folds it takes at
    least. `ended` is "stopped" while it is under way: what a crash leaves is that. `at`: when it
    began, seconds since 1970 UTC. `problem` says why it failed.
    """

    model_config = ConfigDict(defer_build=True, extra="forbid", frozen=True)

    id: str
    agent_id: str
    model: str
    source: str
    session_id: str | None = None
    at: float
    fields: tuple[str, ...]
    judged: tuple[str, ...] = ()
    planned: int = 0
    ended: Ended = "stopped"
    problem: str = ""
    folds: tuple[MeasuredFold, ...] = ()


@dataclass(frozen=True, slots=True)
class Totals:
    """The folds of a measurement added up. Of fields: how many should change (`wanted`), did so
    rightly, were missed, touched or forgotten wrongly. `seconds` and `tokens` are the median of a
    fold: the first one may wait until a model is loaded."""

    folds: int
    parsed: int
    first_time: int
    after_retry: int
    refused: int
    good: int
    wanted: int
    right: int
    missed: int
    touched: int
    forgotten: int
    overwrites: int
    seconds: float
    prompt_tokens: int
    completion_tokens: int

    @property
    def accepted(self) -> int:
        return self.first_time + self.after_retry


def totals(folds: tuple[MeasuredFold, ...]) -> Totals:
    """Add up. A fold for which no model was reached counts as none."""
    counted = [fold for fold in folds if fold.outcome != "unreachable"]
    judged = [fold.judged for fold in counted if fold.judged is not None]
    accepted = [fold for fold in counted if fold.accepted]
    return Totals(
        folds=len(counted),
        parsed=sum(fold.parsed for fold in counted),
        first_time=sum(fold.attempts <= 1 for fold in accepted),
        after_retry=sum(fold.attempts > 1 for fold in accepted),
        refused=len(counted) - len(accepted),
        good=sum(fold.good for fold in counted),
        wanted=sum(len(fold.want or ()) for fold in counted),
        right=sum(len(j.right) for j in judged),
        missed=sum(len(j.missed) for j in judged),
        touched=sum(len(j.touched) for j in judged),
        forgotten=sum(len(j.forgotten) for j in judged),
        overwrites=sum(fold.overwrote for fold in counted),
        seconds=_median(fold.seconds for fold in counted),
        prompt_tokens=round(_median(fold.prompt_tokens for fold in counted)),
        completion_tokens=round(_median(fold.completion_tokens for fold in counted)),
    )


def verdict(measurement: Measurement) -> Verdict:
    """What to make of it, by the thresholds above. Where no right answers are known only the form
    can be judged, and overwriting all that was known: more than one fold in ten that does so is
    no memory to rely on."""
    sums = totals(measurement.folds)
    if sums.folds < FEWEST:
        return "too_few"
    accepted = sums.accepted / sums.folds
    if accepted < ENOUGH_ACCEPTED:
        return "summarized"
    if not measurement.judged:
        kept = sums.overwrites <= sums.folds / 10
        return "right_form" if accepted >= RELY_ACCEPTED and kept else "larger"
    good = sums.good / sums.folds
    if good < ENOUGH_GOOD:
        return "summarized"
    fine = accepted >= RELY_ACCEPTED and good >= RELY_GOOD and not sums.overwrites
    return "rely" if fine else "larger"


def _median(values: Iterable[float]) -> float:
    found = list(values)
    return float(statistics.median(found)) if found else 0.0
