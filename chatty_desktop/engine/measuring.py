"""Measuring models for an agent: a conversation is folded step by step, by the very code that folds
in a chat, into a state that is thrown away. Only the measurement is kept, after every fold, so that
stopping it or a crash loses nothing."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from chatty_desktop.domain.agents import Agent
from chatty_desktop.domain.errors import ChattyError, Invalid
from chatty_desktop.domain.events import Measured
from chatty_desktop.domain.ids import new_id
from chatty_desktop.domain.measurement import Ended, Measurement
from chatty_desktop.domain.measuring import (
    MeasuredFold,
    MeasuredMessage,
    Script,
    Wants,
    judge,
    judged_fields,
    overwrote,
    read_script,
    state_of,
)
from chatty_desktop.domain.messages import Message, Role, Session
from chatty_desktop.domain.strategies import State
from chatty_desktop.engine.fold import Fold, Verdict
from chatty_desktop.engine.models import ModelChooser
from chatty_desktop.engine.ports import Measurements, MessageLog, Publish

MOST = 40
"""Exchanges of a chat that are measured, the newest: with a small model on two cores some five
minutes."""

_HOPELESS = 2
"""Times in a row that a server may refuse the question itself, before it is asked no more."""


@dataclass(frozen=True, slots=True)
class Source:
    """A conversation to measure with: a script, or a chat with its messages of the agent."""

    title: str
    script: Script | None = None
    session_id: str | None = None
    messages: tuple[Message, ...] = ()


@dataclass(frozen=True, slots=True)
class _Step:
    """One exchange; `want` by the agent's fields, None where the right answers are not known."""

    messages: list[Message]
    want: Wants | None


class Measuring:
    """Measures, one at a time; `running` says whether it is at it."""

    def __init__(
        self,
        *,
        messages: MessageLog,
        models: ModelChooser,
        prompts: Mapping[str, str],
        scripts: Mapping[str, str],
        store: Measurements,
        publish: Publish,
    ) -> None:
        """`scripts` are the texts of resources/measuring by file name without ending."""
        self._messages = messages
        self._models = models
        self._prompts = prompts
        self._scripts = scripts
        self._store = store
        self._publish = publish
        self._stopping = False
        self.running = False

    def scripts(self) -> dict[str, Script]:
        """The app's own scripts by name."""
        return {name: read_script(text) for name, text in self._scripts.items()}

    async def chat(self, agent: Agent, session: Session) -> Source:
        """A chat as a source: what it says to and by the agent on its current branch. Raises
        `Invalid` when that is nothing."""
        branch = await self._messages.branch(session.id)
        messages = branch.of_agent(agent.id)
        if not messages:
            raise Invalid(f"{agent.name} has not said anything in {session.title!r} yet.")
        return Source(session.title, session_id=session.id, messages=tuple(messages))

    def stop(self) -> None:
        """Stop after the fold that is under way."""
        self._stopping = True

    async def run(self, agent: Agent, source: Source, models: Sequence[str]) -> list[Measurement]:
        """Measure each of the models, given as `provider_id/model`, in order.

        A model that cannot be asked, or stops answering, has its measurement end as "failed" with
        the problem, and the next goes on. Raises `Invalid` when the agent keeps no state, no model
        is named, one is of an unknown provider, or something is being measured already; and
        `StorageFailed`.
        """
        config = state_of(agent.definition.memory_strategy)
        if config is None:
            raise Invalid(
                f"The memory of {agent.name} keeps no state with fields, so there is nothing to"
                " measure. Choose State in the agent editor, and name its fields."
            )
        if not models:
            raise Invalid("Name a model to measure, such as local/starter.")
        for reference in models:
            self._models.check(reference)
        if self.running:
            raise Invalid("Something is being measured already. Stop it, or wait for its end.")
        self.running, self._stopping = True, False
        try:
            made: list[Measurement] = []
            for reference in dict.fromkeys(models):
                if not self._stopping:
                    made.append(await self._measure(agent.id, config, source, reference))
            return made
        finally:
            self.running = False

    async def _measure(
        self, agent_id: str, config: State, source: Source, reference: str
    ) -> Measurement:
        pairs = judged_fields(source.script, config.fields) if source.script else {}
        steps = _steps(source, pairs)
        measurement = Measurement(
            id=new_id(),
            agent_id=agent_id,
            model=reference,
            source=source.title,
            session_id=source.session_id,
            at=time.time(),
            fields=tuple(field.name for field in config.fields),
            judged=tuple(field.name for field in config.fields if field.name in pairs),
            planned=len(steps),
        )
        await self._keep(measurement)
        ended: Ended = "done"
        problem = ""
        try:
            fold = await Fold.by(
                self._models.named(reference),
                config=config,
                prompts=self._prompts,
                models=self._models,
            )
            refusals = 0
            async for measured in _folds(fold, steps, tuple(pairs), lambda: self._stopping):
                measurement = measurement.model_copy(
                    update={"folds": (*measurement.folds, measured)}
                )
                await self._keep(measurement)
                # An answer that is refused is asked for twice; a question that is, is not.
                by_server = measured.outcome == "refused" and measured.attempts == 1
                refusals = refusals + 1 if by_server else 0
                if measured.outcome == "unreachable" or refusals == _HOPELESS:
                    ended, problem = "failed", measured.reason
                    break
            else:
                ended = "stopped" if self._stopping else "done"
        except ChattyError as error:
            ended, problem = "failed", str(error)
        measurement = measurement.model_copy(update={"ended": ended, "problem": problem})
        await self._keep(measurement)
        return measurement

    async def _keep(self, measurement: Measurement) -> None:
        await self._store.keep(measurement)
        self._publish(Measured(measurement))


async def _folds(
    fold: Fold, steps: Sequence[_Step], judged: Sequence[str], stopping: Callable[[], bool]
) -> AsyncIterator[MeasuredFold]:
    """Fold step by step, the state carried along; a long step in batches, as in a chat."""
    state: dict[str, Any] = {}
    for step in steps:
        rest = list(step.messages)
        while rest and not stopping():
            batch = fold.first_batch(rest, state)
            rest = rest[len(batch) :]
            started = time.perf_counter()
            verdict = await fold.fold(state, batch)
            seconds = time.perf_counter() - started
            after = state if verdict.state is None else verdict.state
            yield _measured(fold, verdict, batch, state, after, step.want, judged, seconds)
            state = after


def _measured(
    fold: Fold,
    verdict: Verdict,
    batch: Sequence[Message],
    before: dict[str, Any],
    after: dict[str, Any],
    want: Wants | None,
    judged: Sequence[str],
    seconds: float,
) -> MeasuredFold:
    known = want is not None and verdict.outcome != "unreachable"
    return MeasuredFold(
        messages=tuple(
            MeasuredMessage(id=each.id, role=each.role, content=each.content) for each in batch
        ),
        before=before,
        after=after,
        outcome=verdict.outcome,
        reason=verdict.reason,
        attempts=verdict.attempts,
        patch=verdict.patch,
        dropped=verdict.dropped,
        reply=fold.asker.reply,
        want=want,
        judged=judge(want or {}, before, after, judged) if known else None,
        overwrote=overwrote(before, after, want),
        seconds=seconds,
        prompt_tokens=fold.asker.prompt_tokens,
        completion_tokens=fold.asker.completion_tokens,
    )


def _steps(source: Source, pairs: Mapping[str, str]) -> list[_Step]:
    if source.script is None:
        return [_Step(each, None) for each in _exchanges(source.messages)[-MOST:]]
    steps = []
    for number, turn in enumerate(source.script.turns):
        want = {ours: turn.want[name] for ours, name in pairs.items() if name in turn.want}
        said: list[tuple[Role, str]] = [("user", turn.user), ("assistant", turn.assistant)]
        messages = [_message(f"{number}.{role}", role, text) for role, text in said]
        steps.append(_Step(messages, want if pairs else None))
    return steps


def _exchanges(messages: Sequence[Message]) -> list[list[Message]]:
    """Each message of the person with what was said up to the next one."""
    found: list[list[Message]] = []
    for message in messages:
        if message.role == "user" or not found:
            found.append([])
        found[-1].append(message)
    return found


def _message(message_id: str, role: Role, content: str) -> Message:
    return Message(
        id=message_id,
        session_id="",
        parent_id=None,
        agent_id="",
        run_id="",
        role=role,
        content=content,
        at=0.0,
    )
