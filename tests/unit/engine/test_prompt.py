"""What goes out to a model, whatever memory recalls."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from chatty_desktop.domain.branch import Branch
from chatty_desktop.domain.messages import Message, Role, Status, ToolCall, tail
from chatty_desktop.domain.runs import Section
from chatty_desktop.domain.tokens import estimate
from chatty_desktop.engine.prompt import build_prompt

TEXT = st.text(min_size=1, max_size=40)


def message(number: int, role: Role, content: str, *, calls: bool = False) -> Message:
    call = (ToolCall(f"call{number}", "clock", "{}"),) if calls else ()
    of = f"call{number - 1}" if role == "tool" else ""
    return Message(
        f"m{number}", "s", None, "a", "r", role, content, float(number),
        tool_calls=call, tool_call_id=of,
    )  # fmt: skip


@st.composite
def logs(draw: st.DrawFn) -> list[Message]:
    """A scope's log: exchanges of a question, tool steps, and at times a reply."""
    log: list[Message] = []
    for _ in range(draw(st.integers(0, 6))):
        log.append(message(len(log), "user", draw(TEXT)))
        for _ in range(draw(st.integers(0, 3))):
            log.append(message(len(log), "assistant", "", calls=True))
            log.append(message(len(log), "tool", draw(TEXT)))
        if draw(st.booleans()):
            log.append(message(len(log), "assistant", draw(TEXT)))
    return log


@given(st.text(max_size=30), st.lists(TEXT, max_size=4), logs(), TEXT)
def test_the_newest_message_always_goes_out_last(
    system: str, texts: list[str], log: list[Message], new: str
) -> None:
    sections = [Section("spec", text=text) for text in texts]
    sections.append(Section("window", "user", messages=tuple(log)))
    wire = build_prompt(system, sections, message(99, "user", new)).messages()
    assert wire[-1].role == "user"
    assert wire[-1].content.endswith(new)


@given(st.text(max_size=30), st.lists(TEXT, max_size=4), logs(), TEXT)
def test_there_is_at_most_one_system_message_and_it_comes_first(
    system: str, texts: list[str], log: list[Message], new: str
) -> None:
    sections = [Section("window", "user", messages=tuple(log))]
    sections += [Section("state", text=text) for text in texts]
    wire = build_prompt(system, sections, message(99, "user", new)).messages()
    assert all(each.role != "system" for each in wire[1:])
    if any(texts) or system.strip():
        assert wire[0].role == "system"
        assert all(text in wire[0].content for text in texts)


@given(logs(), TEXT)
def test_no_two_messages_of_the_person_stand_next_to_each_other(
    log: list[Message], new: str
) -> None:
    section = Section("window", "user", messages=tuple(log))
    wire = build_prompt("", [section], message(99, "user", new)).messages()
    pairs = pairwise(wire)
    assert not any(a.role == b.role == "user" for a, b in pairs)
    said = [m.content for m in log if m.content] + [new]
    sent = "\x00".join(m.content for m in wire)
    for text in said:  # all of it goes out, in order
        assert text in sent
        sent = sent[sent.index(text) + len(text) :]


@given(logs(), st.integers(1, 30))
def test_a_tail_never_begins_with_a_tool_result_and_loses_nothing_else(
    log: list[Message], count: int
) -> None:
    shown = tail(log, count)
    assert len(shown) <= count
    assert list(shown) == log[len(log) - len(shown) :]
    assert not shown or shown[0].role != "tool"
    missing = log[max(0, len(log) - count) : len(log) - len(shown)]
    assert all(each.role == "tool" for each in missing)


@given(logs())
def test_the_last_exchange_begins_with_the_last_message_of_the_person(log: list[Message]) -> None:
    exchange = Branch(log).last_exchange("a")
    assert exchange == log[len(log) - len(exchange) :]
    assert [each.role for each in exchange].count("user") == (1 if exchange else 0)
    assert not exchange or exchange[0].role == "user"


@given(TEXT, logs(), TEXT)
def test_the_estimate_of_a_prompt_is_that_of_its_sections(
    system: str, log: list[Message], new: str
) -> None:
    section = Section("window", "user", messages=tuple(log))
    recalled = [section] if log else []
    prompt = build_prompt(system, recalled, message(99, "user", new))
    parts = [*([system.strip()] if system.strip() else []), *(m.content for m in log), new]
    calls = [f"{call.name}{call.arguments}" for m in log for call in m.tool_calls]
    assert prompt.tokens() == sum(map(estimate, parts + calls))


@given(st.text(max_size=200), st.text(max_size=200))
def test_more_text_is_never_estimated_as_fewer_tokens(text: str, more: str) -> None:
    assert estimate(text + more) >= estimate(text) > 0


KIND = st.tuples(st.sampled_from("ab"), st.sampled_from(list(Status)), st.booleans())
CHANGE = st.one_of(
    st.tuples(st.just("append"), KIND),
    st.tuples(st.integers(0, 12), KIND),  # the message at a place takes another form
    st.tuples(st.sampled_from("ab"), st.tuples(st.integers(0, 12), st.integers(0, 12) | st.none())),
)


@given(st.lists(KIND, max_size=12), st.lists(CHANGE, max_size=12))
def test_a_branch_gives_an_agent_its_messages_that_count(
    kinds: list[tuple[str, Status, bool]], changes: list[tuple[Any, Any]]
) -> None:
    def made(number: int, kind: tuple[str, Status, bool]) -> Message:
        agent, status, said = kind
        new = message(number, "assistant", "x" if said else "")
        parent = f"m{number - 1}" if number else None
        return replace(new, agent_id=agent, status=status, parent_id=parent)

    log = [made(number, kind) for number, kind in enumerate(kinds)]
    branch = Branch(log)
    for what, how in [*changes, ("a", (0, None)), ("b", (3, 9))]:
        if what == "append":
            log.append(made(len(log), how))
            assert branch.append(log[-1])
        elif isinstance(what, int):
            if what < len(log):
                log[what] = made(what, how)
                branch.replace(log[what])
        else:
            begin, end = how
            mine = [each for each in log[begin:end] if each.agent_id == what and each.counts]
            assert branch.of_agent(what, begin, end) == mine
