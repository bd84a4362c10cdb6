"""Measure how well a model folds: scripted chats, turn by turn, Σ carried along.

    python -m tests.bench.folds.bench_folds --base-url URL --key KEY --model NAME

Each turn is one fold of the product's own code, with its one retry, asked at temperature 0.
Scores, as shares of all folds: *accepted* (a patch, or "nothing changed", within the two
attempts), *right* (every key that should change did), *clean* (no other key changed), *both*.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, cast

from openai import OpenAI

from chatty_desktop.domain.folding import (
    Proposal,
    fold_prompt,
    fold_schema,
    read_fold,
    read_reply,
    retry_prompt,
    to_patch,
)
from chatty_desktop.domain.measuring import Script, judge, read_script
from chatty_desktop.domain.messages import Message, Role
from chatty_desktop.domain.questions import Turn
from chatty_desktop.domain.state import PatchRefused, apply_patch

HERE = Path(__file__).parent
PROMPTS = HERE.parents[2] / "resources" / "prompts"
MAX_CHARS = 4000
MAX_TOKENS = 700


@dataclass(frozen=True)
class Way:
    """One way of asking: the product's own, or that less one of its parts."""

    name: str
    prompts: Mapping[str, str]
    constrained: bool = True
    grounded: bool = True


@dataclass(frozen=True)
class Score:
    """How one fold went. `before` and `after` are Σ; tokens and seconds over all attempts."""

    chat: str
    turn: int
    accepted: bool
    right: bool
    clean: bool
    attempts: int
    seconds: float
    prompt_tokens: int
    before: dict[str, Any]
    after: dict[str, Any]
    replies: tuple[str, ...]
    dropped: tuple[dict[str, Any], ...]
    reason: str


Ask = Callable[[Sequence[Turn], dict[str, Any] | None], tuple[str, int]]
"""Sends a question with a schema or none; returns the reply and the prompt's tokens."""


def read_chats(folders: Sequence[Path]) -> list[Script]:
    """Every chat in the folders and below them, by path."""
    paths = sorted(path for folder in folders for path in folder.rglob("*.json"))
    return [read_script(path.read_text(encoding="utf-8")) for path in paths]


def ways() -> dict[str, Way]:
    """What can be measured: the product's way, in words, ungrounded, without worked examples."""
    prompts = {path.stem: path.read_text(encoding="utf-8") for path in PROMPTS.glob("*.md")}
    turns = prompts["fold"].split("\n## user\n")
    bare = {**prompts, "fold": turns[0] + "\n## user\n" + turns[-1]}
    found = [
        Way("product", prompts),
        Way("words", prompts, constrained=False),
        Way("ungrounded", prompts, grounded=False),
        Way("no-examples", bare),
        Way("no-examples-ungrounded", bare, grounded=False),
    ]
    return {way.name: way for way in found}


def run_chat(chat: Script, way: Way, ask: Ask) -> Iterator[Score]:
    """Fold the chat turn by turn."""
    state: dict[str, Any] = {}
    for number, turn in enumerate(chat.turns):
        messages = [_message("user", turn.user), _message("assistant", turn.assistant)]
        started = time.perf_counter()
        after, replies, dropped, tokens, reason = fold(chat, way, ask, state, messages)
        seconds = time.perf_counter() - started
        judged = judge(turn.want, state, after, [field.name for field in chat.fields])
        yield Score(
            chat=chat.title,
            turn=number,
            accepted=not reason,
            right=len(judged.right) == len(turn.want),
            clean=judged.clean,
            attempts=len(replies),
            seconds=seconds,
            prompt_tokens=tokens,
            before=state,
            after=after,
            replies=tuple(replies),
            dropped=dropped,
            reason=reason,
        )
        state = after


def fold(
    chat: Script, way: Way, ask: Ask, state: dict[str, Any], messages: list[Message]
) -> tuple[dict[str, Any], list[str], tuple[dict[str, Any], ...], int, str]:
    """One fold with its retry: (Σ after it, replies, dropped, prompt tokens, why refused)."""
    schema = fold_schema(chat.fields, state) if way.constrained else None
    about: dict[str, Any] = {
        "spec": chat.spec,
        "fields": chat.fields,
        "state": state,
        "messages": messages,
        "constrained": way.constrained,
    }
    question = fold_prompt(way.prompts, **about)
    replies: list[str] = []
    tokens, reason = 0, ""
    for _ in range(2):
        reply, used = ask(question, schema)
        replies.append(reply)
        tokens += used
        try:
            proposal = _read(reply, chat, way, state, messages)
            names = [field.name for field in chat.fields]
            after = apply_patch(state, proposal.patch, names, MAX_CHARS)
        except PatchRefused as refusal:
            reason = str(refusal)
            question = retry_prompt(way.prompts, **about, reply=reply, reason=reason)
        else:
            return after, replies, proposal.dropped, tokens, ""
    return state, replies, (), tokens, reason


def _read(
    reply: str, chat: Script, way: Way, state: dict[str, Any], messages: list[Message]
) -> Proposal:
    if not way.grounded:
        return Proposal(to_patch(read_reply(reply)))
    return read_fold(reply, fields=chat.fields, state=state, messages=messages)


def _message(role: Role, content: str) -> Message:
    return Message(
        id="", session_id="", parent_id=None, agent_id="", run_id="", role=role, content=content,
        at=0.0,
    )  # fmt: skip


def asking(base_url: str, key: str, model: str) -> Ask:
    """Questions to an OpenAI-compatible server, at temperature 0."""
    client = OpenAI(base_url=base_url, api_key=key, timeout=300)

    def ask(question: Sequence[Turn], schema: dict[str, Any] | None) -> tuple[str, int]:
        options: dict[str, Any] = {}
        if schema is not None:
            named = {"name": "fold", "schema": schema, "strict": True}
            options["response_format"] = {"type": "json_schema", "json_schema": named}
        completion = client.chat.completions.create(
            model=model,
            messages=cast("Any", [{"role": role, "content": text} for role, text in question]),
            temperature=0,
            max_tokens=MAX_TOKENS,
            **options,
        )
        usage = completion.usage
        return completion.choices[0].message.content or "", usage.prompt_tokens if usage else 0

    return ask


def summary(name: str, scores: Sequence[Score]) -> str:
    """One row of the table."""

    def share(what: Callable[[Score], bool]) -> str:
        return f"{sum(map(what, scores)) / len(scores):.2f}"

    seconds = sorted(score.seconds for score in scores)
    return (
        f"| {name} | {len(scores)} | {share(lambda s: s.accepted)} | {share(lambda s: s.right)}"
        f" | {share(lambda s: s.clean)} | {share(lambda s: s.accepted and s.right and s.clean)}"
        f" | {seconds[len(seconds) // 2]:.1f} | {seconds[len(seconds) * 95 // 100]:.1f}"
        f" | {sum(s.prompt_tokens for s in scores) // len(scores)} |"
    )


def progress(score: Score) -> str:
    """One line for a fold that is done."""
    verdicts = {"accepted": score.accepted, "right": score.right, "clean": score.clean}
    missed = [f"not {verdict}" for verdict, met in verdicts.items() if not met]
    return f"{score.chat} {score.turn}: {', '.join(missed) or 'both'}, {score.seconds:.1f} s"


HEADER = (
    "| way | folds | accepted | right | clean | both | s/fold (median) | (p95) | prompt tokens |\n"
    "|---|---|---|---|---|---|---|---|---|"
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else "")
    parser.add_argument("--base-url", required=True, help="such as http://127.0.0.1:8080/v1")
    parser.add_argument("--key", default="none", help="the server's API key")
    parser.add_argument("--model", required=True)
    parser.add_argument("--chats", nargs="*", type=Path, default=[HERE / "chats"])
    parser.add_argument("--ways", default="product", help="by commas; of " + ", ".join(ways()))
    parser.add_argument("--json", type=Path, help="write every fold here")
    parser.add_argument("--wrong", action="store_true", help="print the folds that are not both")
    chosen = parser.parse_args()
    ask = asking(chosen.base_url, chosen.key, chosen.model)
    everything: dict[str, list[dict[str, Any]]] = {}
    rows = []
    for name in chosen.ways.split(","):
        scores: list[Score] = []
        for folder in chosen.chats:
            group = []
            for chat in read_chats([folder]):
                for score in run_chat(chat, ways()[name], ask):
                    group.append(score)
                    print(progress(score), file=sys.stderr, flush=True)
            rows.append(summary(f"{name}, {folder.name}", group))
            scores += group
        if len(chosen.chats) > 1:
            rows.append(summary(f"{name}, all", scores))
        everything[name] = [asdict(score) for score in scores]
        if chosen.wrong:
            for score in scores:
                if not (score.right and score.clean and score.accepted):
                    print(f"{name} {score.chat} {score.turn}: {score.replies[-1]} {score.reason}")
                    print(f"    {score.before} -> {score.after}")
    print(HEADER, *rows, sep="\n")
    if chosen.json:
        chosen.json.write_text(json.dumps(everything, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
