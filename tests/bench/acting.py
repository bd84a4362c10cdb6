"""Measure how well a small model acts: sums that it works out with the calculator.

    python -m tests.bench.acting MODEL.gguf …

Each sum is a chat of its own, asked through the whole app and its local engine. Scores of ten:
*called* (the first call of the calculator is the sum that was asked for), *answered* (the run ended
by itself, and its last words have the right number in them). `--show` prints what was said.
"""

from __future__ import annotations

import argparse
import asyncio
import re
import tempfile
from dataclasses import dataclass
from pathlib import Path

from chatty_desktop.app import App
from chatty_desktop.domain.agents import AgentDefinition
from chatty_desktop.domain.messages import Message, Status
from chatty_desktop.domain.settings import ModelOptions, ProviderSettings, Settings

SUMS: tuple[tuple[str, str], ...] = (
    ("What is 391 * 47?", "18377"),
    ("How much is 1234 + 5678?", "6912"),
    ("What is 9000 - 1237?", "7763"),
    ("Please work out 144 / 12 for me.", "12"),
    ("What is 17.5 * 23?", "402.5"),
    ("I buy 12 books at 19 euros each. What do I pay?", "228"),
    ("What is (15 + 27) * 8?", "336"),
    ("What is 2 to the power of 16?", "65536"),
    ("What is the square root of 1764?", "42"),
    ("A train goes 87 km an hour for 6 hours. How far is that?", "522"),
)
"""What is asked, and the number that has to come out."""


@dataclass(frozen=True)
class Score:
    """How one sum went."""

    called: bool
    answered: bool
    calls: int


async def measure(file: Path, show: bool) -> list[Score]:
    """Ask a model of a file, by its whole path, every sum."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "data"
        models = folder / "models"
        models.mkdir(parents=True)
        (models / file.name).symlink_to(file)
        app = await App.open(folder)
        try:
            return await _asked(app, file.name, show)
        finally:
            await app.close()


async def _asked(app: App, model: str, show: bool) -> list[Score]:
    local = ProviderSettings(
        id="local",
        kind="llama_cpp",
        models=(model,),
        context_length=4096,
        model_options={model: ModelOptions(max_tokens=200)},
    )

    def with_model(now: Settings) -> Settings:
        return now.model_copy(
            update={"providers": (local,), "default_model": f"local/{model}"},
        )

    await app.settings.change(with_model)
    agent = await app.agents.save(
        AgentDefinition(
            name="Reckoner", system_prompt="You are a helpful assistant.", tools=("calculator",)
        )
    )
    scores: list[Score] = []
    for asked, wanted in SUMS:
        session = await app.sessions.create(asked)
        await app.chat.send(session.id, agent.id, asked)
        await app.chat.wait(session.id)
        scores.append(_scored(list(await app.messages.branch(session.id)), wanted, show))
    return scores


def _scored(said: list[Message], wanted: str, show: bool) -> Score:
    results = [message for message in said if message.role == "tool"]
    last = said[-1]
    called = bool(results) and _says(results[0].content.rpartition("=")[2], wanted)
    done = last.role == "assistant" and last.status in (Status.COMPLETE, Status.TRUNCATED)
    score = Score(called, done and _says(last.content, wanted), len(results))
    if show:
        print(f"--- {score}", flush=True)
        for message in said:
            calls = " ".join(f"{call.name}({call.arguments})" for call in message.tool_calls)
            print(f"{message.role}: {message.content} {calls} {message.error}".rstrip())
    return score


def _says(text: str, wanted: str) -> bool:
    """Whether a number stands in a text, also with separators of thousands."""
    plain = re.sub(r"(?<=\d),(?=\d{3})", "", text)
    return re.search(rf"(?<![\d.]){re.escape(wanted)}(?:\.0+)?(?!\d|\.\d)", plain) is not None


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.acting")
    parser.add_argument("models", type=Path, nargs="+", metavar="MODEL.gguf")
    parser.add_argument("--show", action="store_true")
    arguments = parser.parse_args()
    for file in arguments.models:
        scores = asyncio.run(measure(file.resolve(), arguments.show))
        called = sum(score.called for score in scores)
        answered = sum(score.answered for score in scores)
        calls = sum(score.calls for score in scores) / len(scores)
        print(
            f"{file.stem}: of {len(scores)} sums the first call was right in {called}, the answer"
            f" in {answered}; {calls:.1f} calls a sum"
        )


if __name__ == "__main__":
    main()
