"""What the measuring window says, in words that need no knowledge of memory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from chatty_desktop.domain.measurement import Measurement, Totals, Verdict, totals, verdict
from chatty_desktop.domain.measuring import MeasuredFold
from chatty_desktop.ui.language import N_, decimal, number, tr, trn
from chatty_desktop.ui.tokens import Tone

SCRIPTS: Final = {
    "work": N_("A piece of work"),
    "person": N_("Getting to know a person"),
    "planning": N_("Planning a party"),
}


@dataclass(frozen=True, slots=True)
class Said:
    """A verdict: its title, icon and tone."""

    title: str
    icon: str
    tone: Tone


VERDICTS: Final[dict[Verdict, Said]] = {
    "rely": Said(N_("Good enough to rely on"), "check-circle", "success"),
    "larger": Said(N_("Use a larger model"), "warning", "warning"),
    "summarized": Said(N_("Use Summarized instead"), "x-circle", "danger"),
    "right_form": Said(N_("Answers in the right form"), "info", "accent"),
    "too_few": Said(N_("Too little was measured to say"), "info", "muted"),
}


def explained(value: Measurement) -> str:
    """Why the verdict is what it is."""
    sums = totals(value.folds)
    match verdict(value):
        case "rely":
            return tr(
                "{good} of {all} steps were noted just as they should be.",
                good=number(sums.good),
                all=number(sums.folds),
            )
        case "larger" if value.judged:
            return tr(
                "It mostly answers in the right form, but after {bad} of {all} steps something in"
                " the notes was wrong. A mistake stays there until somebody corrects it.",
                bad=number(sums.folds - sums.good),
                all=number(sums.folds),
            )
        case "larger":
            return tr(
                "{refused} of {all} answers could not be used, or all that was known was replaced"
                " at once.",
                refused=number(sums.refused),
                all=number(sums.folds),
            )
        case "summarized":
            return tr(
                "Only {good} of {all} steps went well. Summarized memory is plain text and asks"
                " less of a model.",
                good=number(sums.good),
                all=number(sums.folds),
            )
        case "right_form":
            return tr(
                "Whether what it noted is right cannot be told here: nobody wrote down the right"
                " answers for this. Look through the steps yourself."
            )
    return value.problem or tr("At least five steps are needed.")


def figures(value: Measurement) -> list[tuple[str, str]]:
    """The totals as lines: what, and how much."""
    sums = totals(value.folds)
    lines = [
        (tr("Steps"), _steps(value, sums)),
        (tr("Answers that could be read"), _of(sums.parsed, sums.folds)),
        (tr("Used at the first try"), _of(sums.first_time, sums.folds)),
        (tr("Used after asking once more"), number(sums.after_retry)),
        (tr("Not used at all"), number(sums.refused)),
    ]
    if value.judged:
        lines += [
            (tr("Steps without any mistake"), _of(sums.good, sums.folds)),
            (tr("Changes that were noted rightly"), _of(sums.right, sums.wanted)),
            (tr("Changes that were missed"), number(sums.missed)),
            (tr("Changed though nothing was said of it"), number(sums.touched)),
            (tr("Forgotten though it still holds"), number(sums.forgotten)),
        ]
    return [
        *lines,
        (tr("Everything known replaced at once"), number(sums.overwrites)),
        (tr("Seconds a step, typically"), decimal(sums.seconds, 1)),
        (
            tr("Tokens a step, typically"),
            tr(
                "{sent} read, {answered} written",
                sent=number(sums.prompt_tokens),
                answered=number(sums.completion_tokens),
            ),
        ),
    ]


def judged_words(value: Measurement) -> str:
    """Of which fields the right answers are known."""
    if not value.judged:
        return tr("No right answers are known for the fields of this agent.")
    if len(value.judged) == len(value.fields):
        return tr("The right answers are known for every field.")
    return tr(
        "The right answers are known for {fields}; the other fields are not judged.",
        fields=", ".join(value.judged),
    )


def source_words(value: Measurement) -> str:
    """The conversation it was measured with."""
    if value.session_id is not None:
        return tr("Your chat “{title}”", title=value.source)
    return tr(value.source) if value.source in SCRIPTS.values() else value.source


def step_words(fold: MeasuredFold) -> tuple[str, str, Tone]:
    """What came of a step: in a few words, and the icon and its tone."""
    judged = fold.judged
    if fold.outcome == "unreachable":
        return tr("The model could not be reached"), "x-circle", "danger"
    if not fold.accepted:
        return tr("The answer could not be used"), "x-circle", "danger"
    if fold.overwrote:
        return tr("Replaced everything that was known"), "warning", "danger"
    if judged is not None and not judged.good:
        parts = [
            *(tr("missed: {field}", field=name) for name in judged.missed),
            *(tr("changed wrongly: {field}", field=name) for name in judged.touched),
            *(tr("forgot: {field}", field=name) for name in judged.forgotten),
        ]
        return ", ".join(parts), "warning", "warning"
    if judged is not None:
        return tr("Just as it should be"), "check-circle", "success"
    if not fold.changed:
        return tr("Nothing changed"), "minus-circle", "muted"
    return tr("Changed: {fields}", fields=", ".join(fold.changed)), "pencil-simple", "accent"


def _steps(value: Measurement, sums: Totals) -> str:
    if sums.folds >= value.planned:
        return number(sums.folds)
    return trn("{done} of {count}", "{done} of {count}", value.planned, done=number(sums.folds))


def _of(some: int, everything: int) -> str:
    return tr("{some} of {all}", some=number(some), all=number(everything))
