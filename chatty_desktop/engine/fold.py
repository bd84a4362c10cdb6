"""One fold: ask a model what new messages change in Σ, judge the answer, ask once more if it is
refused. Nothing is stored here; the verdict says what the State strategy is to keep.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from chatty_desktop.domain.answers import without_reasoning
from chatty_desktop.domain.errors import Refused, Unreachable
from chatty_desktop.domain.folding import fold_prompt, fold_schema, read_fold, retry_prompt
from chatty_desktop.domain.memory import Outcome
from chatty_desktop.domain.messages import Message
from chatty_desktop.domain.questions import MESSAGE_CHARS, Turn
from chatty_desktop.domain.requests import ChatMessage, ChatRequest
from chatty_desktop.domain.state import PatchRefused, apply_patch, compact
from chatty_desktop.domain.strategies import State
from chatty_desktop.domain.tokens import estimate
from chatty_desktop.engine.models import Completion, ModelChooser, complete, context_of
from chatty_desktop.engine.ports import ChatModel

UNKNOWN_CONTEXT = 4096
"""Tokens taken for the context of a model whose server does not tell it."""

ANSWER_TOKENS = 200
TOKENS_A_FIELD = 60
"""The longest answer a fold waits for: a base, some for each field, and twice what Σ takes, since
it may be told anew. What is longer is a model running away, and a person waiting for it."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """How a fold ended. `state` is Σ after it, None unless accepted; `patch` what was applied, or
    had been proposed when refused; `reply` the last answer less reasoning."""

    outcome: Outcome
    reason: str = ""
    attempts: int = 0
    state: dict[str, Any] | None = None
    patch: dict[str, Any] | None = None
    dropped: tuple[dict[str, Any], ...] = ()
    reply: str = ""
    prompt_tokens: int = 0
    completion_tokens: int = 0


@dataclass(slots=True)
class Fold:
    """Folds batches of messages for one State configuration, by one model.

    `context` is the model's context in tokens, `question` what of it every question takes.
    """

    config: State
    prompts: Mapping[str, str]
    models: ModelChooser
    model: ChatModel
    context: int
    question: int
    _spent: list[Completion] = field(default_factory=list)

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
            models,
            model,
            context=await context_of(model) or UNKNOWN_CONTEXT,
            question=sum(estimate(text) for _role, text in empty),
        )

    def first_batch(self, messages: Sequence[Message], state: Mapping[str, Any]) -> list[Message]:
        """As many messages from the first on as fit one question; at least one."""
        room, longest = self._room(state), self._message_chars(state)
        batch: list[Message] = []
        for message in messages:
            room -= estimate(message.content[:longest])
            if batch and room < 0:
                break
            batch.append(message)
        return batch

    async def fold(self, state: Mapping[str, Any], messages: Sequence[Message]) -> Verdict:
        """Fold one batch into Σ. A refused answer is asked for again once, with the reason and
        the present Σ; a server's own refusal (4xx) is not, since it would come again."""
        self._spent.clear()
        turns = self._question(state, messages, constrained=True)
        worded = self._question(state, messages, constrained=False)
        refusal = PatchRefused("")
        for attempt in (1, 2):
            try:
                answer = await self._ask(turns, worded, state)
            except Unreachable as problem:
                return self._verdict("unreachable", str(problem), attempt)
            except Refused as problem:
                return self._verdict("refused", str(problem), attempt)
            try:
                return self._judge(answer, state, messages, attempt)
            except PatchRefused as problem:
                refusal = _explained(problem, answer)
            turns, worded = (
                self._question(state, messages, constrained, answer.text, str(refusal))
                for constrained in (True, False)
            )
        return self._verdict("refused", str(refusal), 2, patch=refusal.patch)

    def _judge(
        self,
        answer: Completion,
        state: Mapping[str, Any],
        messages: Sequence[Message],
        attempt: int,
    ) -> Verdict:
        """What an answer does to Σ. Raises `PatchRefused`."""
        fields = self.config.fields
        proposal = read_fold(answer.text, fields=fields, state=state, messages=messages)
        if not proposal.patch:
            reason = "Everything proposed was left out." if proposal.dropped else ""
            return self._verdict("nothing", reason, attempt, dropped=proposal.dropped)
        names = [each.name for each in fields]
        after = apply_patch(state, proposal.patch, names, self.config.max_chars)
        return self._verdict(
            "accepted", "", attempt, state=after, patch=proposal.patch, dropped=proposal.dropped
        )

    async def _ask(
        self, turns: Sequence[Turn], worded: Sequence[Turn], state: Mapping[str, Any]
    ) -> Completion:
        """One answer, constrained by a schema where the server can; where it turns out that it
        cannot, the same is asked for in words."""
        limit = self._answer_tokens(state)
        if self.models.constrains(self.model):
            schema = fold_schema(self.config.fields, state)
            try:
                return await self._complete(turns, schema, limit)
            except Refused:
                answer = await self._complete(worded, None, limit)
            self.models.cannot_constrain(self.model)
            return answer
        return await self._complete(worded, None, limit)

    async def _complete(
        self, turns: Sequence[Turn], schema: dict[str, Any] | None, limit: int
    ) -> Completion:
        messages = tuple(ChatMessage(role, content) for role, content in turns)
        request = ChatRequest(messages, temperature=0.0, max_tokens=limit, json_schema=schema)
        answer = await complete(self.model, request)
        self._spent.append(answer)
        return answer

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
            "message_chars": self._message_chars(state),
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

    def _message_chars(self, state: Mapping[str, Any]) -> int:
        # A script without spaces has about one and a half characters a token.
        return min(MESSAGE_CHARS, self._room(state) * 3 // 2)

    def _verdict(self, outcome: Outcome, reason: str, attempts: int, **more: Any) -> Verdict:
        return Verdict(
            outcome,
            reason,
            attempts,
            reply=without_reasoning(self._spent[-1].text).strip() if self._spent else "",
            prompt_tokens=sum(each.usage.prompt_tokens or 0 for each in self._spent),
            completion_tokens=sum(each.usage.completion_tokens or 0 for each in self._spent),
            **more,
        )


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
