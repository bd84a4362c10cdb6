"""One fold: ask a model what new messages change in Σ, judge the answer, ask once more if it is
refused. Nothing is stored here; the verdict says what the State strategy is to keep.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from chatty_desktop.domain.by_hand import without_pinned
from chatty_desktop.domain.errors import Refused, Unreachable
from chatty_desktop.domain.folding import fold_prompt, fold_schema, read_fold, retry_prompt
from chatty_desktop.domain.memory import Outcome
from chatty_desktop.domain.messages import Message
from chatty_desktop.domain.questions import Turn
from chatty_desktop.domain.state import PatchRefused, apply_patch, compact
from chatty_desktop.domain.strategies import State
from chatty_desktop.domain.tokens import estimate
from chatty_desktop.engine.asking import UNKNOWN_CONTEXT, Asker, first_batch, shown_chars
from chatty_desktop.engine.models import Completion, ModelChooser, context_of
from chatty_desktop.engine.ports import ChatModel

ANSWER_TOKENS = 200
TOKENS_A_FIELD = 60
"""The longest answer a fold waits for: a base, some for each field, and twice what Σ takes, since
it may be told anew. What is longer is a model running away, and a person waiting for it."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """How a fold ended. `state` is Σ after it, None unless accepted; `patch` what was applied, or
    had been proposed when refused."""

    outcome: Outcome
    reason: str = ""
    attempts: int = 0
    state: dict[str, Any] | None = None
    patch: dict[str, Any] | None = None
    dropped: tuple[dict[str, Any], ...] = ()


@dataclass(slots=True)
class Fold:
    """Folds batches of messages for one State configuration, by one model.

    `context` is the model's context in tokens, `question` what of it every question takes.
    """

    config: State
    prompts: Mapping[str, str]
    asker: Asker
    context: int
    question: int

    @classmethod
    async def by(
        cls,
        model: ChatModel,
        *,
        config: State,
        prompts: Mapping[str, str],
        models: ModelChooser,
    ) -> Fold:
        """A fold whose questions fit the model's context."""
        empty = fold_prompt(prompts, spec=config.spec, fields=config.fields, state={}, messages=())
        return cls(
            config,
            prompts,
            Asker(models, model),
            context=await context_of(model) or UNKNOWN_CONTEXT,
            question=sum(estimate(text) for _role, text in empty),
        )

    def first_batch(self, messages: Sequence[Message], state: Mapping[str, Any]) -> list[Message]:
        """As many messages from the first on as fit one question; at least one."""
        return first_batch(messages, self._room(state))

    async def fold(
        self, state: Mapping[str, Any], messages: Sequence[Message], pins: Collection[str] = ()
    ) -> Verdict:
        """Fold one batch into Σ, whose `pins` stay as they are. A refused answer is asked for again
        once, with the reason and the present Σ; a server's own refusal (4xx) is not, since it would
        come again."""
        self.asker.begin()
        turns = self._question(state, messages, constrained=True)
        worded = self._question(state, messages, constrained=False)
        own = len(turns) - 1  # the worked examples; a retry adds turns behind the question
        fields = self.config.fields
        refusal = PatchRefused("")
        for attempt in (1, 2):
            try:
                answer = await self.asker.ask(
                    self._answer_tokens(state), turns, worded, fold_schema(fields, state), own
                )
            except Unreachable as problem:
                return Verdict("unreachable", str(problem), attempt)
            except Refused as problem:
                return Verdict("refused", str(problem), attempt)
            try:
                return self._judge(answer, state, messages, pins, attempt)
            except PatchRefused as problem:
                refusal = _explained(problem, answer)
            turns, worded = (
                self._question(state, messages, constrained, answer.text, str(refusal))
                for constrained in (True, False)
            )
        return Verdict("refused", str(refusal), 2, patch=refusal.patch)

    def _judge(
        self,
        answer: Completion,
        state: Mapping[str, Any],
        messages: Sequence[Message],
        pins: Collection[str],
        attempt: int,
    ) -> Verdict:
        """What an answer does to Σ. Raises `PatchRefused`."""
        fields = self.config.fields
        proposal = read_fold(answer.text, fields=fields, state=state, messages=messages)
        patch, kept_from = without_pinned(proposal.patch, pins)
        dropped = (*proposal.dropped, *kept_from)
        if not patch:
            reason = "Everything proposed was left out." if dropped else ""
            return Verdict("nothing", reason, attempt, dropped=dropped)
        names = [each.name for each in fields]
        after = apply_patch(state, patch, names, self.config.max_chars)
        return Verdict("accepted", "", attempt, state=after, patch=patch, dropped=dropped)

    def _question(
        self,
        state: Mapping[str, Any],
        messages: Sequence[Message],
        constrained: bool,
        reply: str | None = None,
        reason: str = "",
    ) -> list[Turn]:
        given: dict[str, Any] = {
            "spec": self.config.spec,
            "fields": self.config.fields,
            "state": {f.name: state[f.name] for f in self.config.fields if f.name in state},
            "messages": messages,
            "constrained": constrained,
            "message_chars": shown_chars(self._room(state)),
        }
        if reply is None:
            return fold_prompt(self.prompts, **given)
        return retry_prompt(self.prompts, **given, reply=reply, reason=reason)

    def _answer_tokens(self, state: Mapping[str, Any]) -> int:
        expected = ANSWER_TOKENS + TOKENS_A_FIELD * len(self.config.fields)
        return min(expected + 2 * estimate(compact(state)), self.context // 4)

    def _room(self, state: Mapping[str, Any]) -> int:
        """Tokens of messages that fit a question, with its answer and the one retry."""
        twice = estimate(compact(state)) + self._answer_tokens(state)
        return max(self.context - self.question - 2 * twice, self.context // 8)


def _explained(refusal: PatchRefused, answer: Completion) -> PatchRefused:
    """The refusal, saying so when the answer was simply too long."""
    if answer.finish != "length":
        return refusal
    return PatchRefused(f"The answer was cut off for its length. {refusal}", refusal.patch)


def fits(state: Mapping[str, Any], config: State) -> str:
    """What is wrong with a stored Σ under the present configuration, "" when nothing is: it may
    have been made under another one. Loading it is tolerant; writing is not."""
    names = {each.name for each in config.fields}
    found = []
    if orphans := [key for key in state if key not in names]:
        found.append(
            f"{', '.join(orphans)}: kept from before, but no longer among the fields,"
            " so the model does not see it"
        )
    if len(compact(state)) > config.max_chars:
        found.append(
            f"{len(compact(state))} characters, more than the {config.max_chars} allowed:"
            " nothing can be added until something is forgotten or the limit is raised"
        )
    return "; ".join(found)
