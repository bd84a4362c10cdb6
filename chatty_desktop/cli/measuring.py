"""The headless command that measures models for an agent."""

from __future__ import annotations

import argparse
import asyncio
from pathlib import Path
from typing import Any

from chatty_desktop.app import App
from chatty_desktop.cli.printing import document, say, tell
from chatty_desktop.domain.agents import Agent
from chatty_desktop.domain.errors import Invalid
from chatty_desktop.domain.events import Event, Measured
from chatty_desktop.domain.measurement import Measurement, Verdict, totals, verdict
from chatty_desktop.domain.measuring import MeasuredFold, best_script, read_script, state_of
from chatty_desktop.engine.measuring import Source
from chatty_desktop.reading import read_text

VERDICTS: dict[Verdict, str] = {
    "rely": "Good enough to rely on.",
    "larger": "Use a larger model.",
    "summarized": "Use Summarized instead.",
    "right_form": "It answers in the right form. Whether what it keeps is right cannot be told:"
    " no right answers are known for these fields.",
    "too_few": "Too little was measured to say.",
}


async def measure(app: App, agent: Agent, call: argparse.Namespace) -> int:
    """Measure models, one after the other; 1 when one could not be measured to the end. What was
    measured is kept also when it is interrupted."""
    source = await _source(app, agent, call.script, call.chat)
    app.events.subscribe(_Progress())
    made = await app.measuring.run(agent, source, call.model)
    if call.json:
        models = [as_json(each) for each in made]
        document({"agent": agent.name, "source": source.title, "models": models})
    else:
        say(as_text(made))
    for each in made:
        if each.problem:
            tell(f"{each.model}: {each.problem}")
    return 0 if all(each.ended == "done" for each in made) else 1


def as_json(value: Measurement) -> dict[str, Any]:
    """Verdict, totals and every fold; seconds and tokens are the median of a fold."""
    sums = totals(value.folds)
    return {
        "model": value.model,
        "verdict": verdict(value),
        "says": VERDICTS[verdict(value)],
        "ended": value.ended,
        "problem": value.problem,
        "fields": list(value.fields),
        "judged_fields": list(value.judged),
        "folds": sums.folds,
        "parsed": sums.parsed,
        "accepted_first_time": sums.first_time,
        "accepted_after_retry": sums.after_retry,
        "refused": sums.refused,
        "without_fault": sums.good,
        "keys_to_change": sums.wanted,
        "keys_right": sums.right,
        "keys_missed": sums.missed,
        "keys_wrongly_touched": sums.touched,
        "keys_wrongly_forgotten": sums.forgotten,
        "whole_state_overwrites": sums.overwrites,
        "seconds": round(sums.seconds, 3),
        "prompt_tokens": sums.prompt_tokens,
        "completion_tokens": sums.completion_tokens,
        "steps": [_step(fold) for fold in value.folds],
    }


def as_text(made: list[Measurement]) -> str:
    """A table, a model a row, and the verdicts."""
    heads = "model steps accepted retried faultless right missed touched forgotten overwritten"
    rows: list[tuple[str, ...]] = [(*heads.split(), "s/step", "tokens/step")]
    for each in made:
        sums = totals(each.folds)
        known = bool(each.judged)
        judged = (sums.good, f"{sums.right}/{sums.wanted}", sums.missed, sums.touched)
        rows.append(
            (
                each.model,
                f"{sums.folds}/{each.planned}",
                str(sums.accepted),
                str(sums.after_retry),
                *(str(value) if known else "-" for value in (*judged, sums.forgotten)),
                str(sums.overwrites),
                f"{sums.seconds:.1f}",
                f"{sums.prompt_tokens}+{sums.completion_tokens}",
            )
        )
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]
    return "\n".join([*lines, *(f"{each.model}: {VERDICTS[verdict(each)]}" for each in made)])


def _step(fold: MeasuredFold) -> dict[str, Any]:
    judged = fold.judged
    return {
        "messages": [{"role": each.role, "content": each.content} for each in fold.messages],
        "before": fold.before,
        "after": fold.after,
        "outcome": fold.outcome,
        "reason": fold.reason,
        "attempts": fold.attempts,
        "patch": fold.patch,
        "dropped": list(fold.dropped),
        "expected": fold.want,
        "right": None if judged is None else list(judged.right),
        "missed": None if judged is None else list(judged.missed),
        "wrongly_touched": None if judged is None else list(judged.touched),
        "wrongly_forgotten": None if judged is None else list(judged.forgotten),
        "overwrote": fold.overwrote,
        "reply": fold.reply,
        "seconds": round(fold.seconds, 3),
        "prompt_tokens": fold.prompt_tokens,
        "completion_tokens": fold.completion_tokens,
    }


async def _source(app: App, agent: Agent, script: str | None, chat: str | None) -> Source:
    if chat is not None:
        session = await app.sessions.find(chat)
        if session is None:
            raise Invalid(f"There is no session called {chat!r}.")
        return await app.measuring.chat(agent, session)
    scripts = app.measuring.scripts()
    if script is None:
        config = state_of(agent.definition.memory_strategy)
        script = best_script(scripts, config.fields if config else ())
        assert script is not None
    if script in scripts:
        return Source(scripts[script].title, scripts[script])
    file = Path(script)
    try:
        text = await asyncio.to_thread(read_text, file)
    except (OSError, UnicodeDecodeError, Invalid) as error:
        names = ", ".join(scripts)
        raise Invalid(
            f"{script} is none of the app's own conversations ({names}) and cannot be read as a"
            f" file: {error}"
        ) from error
    try:
        read = read_script(text)
    except Invalid as error:
        raise Invalid(f"{script} is no conversation to measure with: {error}") from error
    return Source(read.title, read)


class _Progress:
    """Tells on stderr of each fold."""

    def __call__(self, event: Event) -> None:
        if isinstance(event, Measured) and event.measurement.folds:
            value = event.measurement
            if value.ended == "stopped":
                done = len(value.folds)
                fold = value.folds[-1]
                how = fold.outcome if fold.good or not fold.accepted else "not as expected"
                tell(
                    f"{value.model}: step {done} of {max(done, value.planned)}, {how}"
                    f" ({fold.seconds:.1f} s)"
                )
