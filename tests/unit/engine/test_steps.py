"""Runs with tools: step by step until the answer, each step in the log, no call without result."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from typing import Any

import pytest

from chatty_desktop.domain.errors import Refused, Unreachable
from chatty_desktop.domain.events import MessageCommitted, TextStreamed, ToolEnded, ToolStarted
from chatty_desktop.domain.messages import Message, Status, ToolCall
from chatty_desktop.domain.requests import ChatRequest, Delta, Usage
from chatty_desktop.domain.settings import ModelOptions, ProviderSettings, Settings
from chatty_desktop.domain.tools import ToolResult, ToolUse
from chatty_desktop.storage.messages import StoredMessages
from tests.helpers.desk import Desk
from tests.helpers.scripted import ScriptedModel
from tests.helpers.waiting import until


@pytest.fixture(autouse=True)
async def _equipped(desk: Desk) -> None:
    await desk.use({"kind": "full_transcript"})
    await desk.equip("echo")


def calls(*uses: tuple[str, dict[str, Any] | str], text: str = "") -> list[Delta]:
    """An answer that calls tools."""
    made = tuple(
        ToolCall(f"c{n}", name, given if isinstance(given, str) else json.dumps(given))
        for n, (name, given) in enumerate(uses)
    )
    said = [Delta(text)] if text else []
    return [*said, Delta(finish="tool_calls", tool_calls=made, usage=Usage(10, 5))]


def echo(text: str) -> list[Delta]:
    return calls(("echo", {"text": text}))


async def log(desk: Desk) -> list[Message]:
    """The branch as it is stored."""
    return list(await StoredMessages(desk.database).branch(desk.session.id))


def shape(messages: Sequence[Message]) -> list[tuple[str, str]]:
    return [(m.role, ",".join(c.name for c in m.tool_calls) or m.content) for m in messages]


def sent(request: ChatRequest) -> list[tuple[str, str]]:
    return [
        (m.role, ",".join(c.name for c in m.tool_calls) or m.content)
        for m in request.messages
        if m.role != "system"
    ]


def unanswered(messages: Sequence[Message]) -> list[str]:
    """Calls without a result right behind them."""
    found = []
    for at, message in enumerate(messages):
        results = {m.tool_call_id for m in messages[at + 1 :][: len(message.tool_calls)]}
        found += [call.id for call in message.tool_calls if call.id not in results]
    return found


async def stop(desk: Desk) -> None:
    desk.chat.stop(desk.session.id)
    await desk.chat.wait(desk.session.id)


# --- the way to an answer --------------------------------------------------------------------


async def test_a_call_is_run_and_its_result_goes_to_the_model(
    desk: Desk, model: ScriptedModel
) -> None:
    model.answers.extend([calls(("echo", {"text": "hi"}), text="Let me see."), "It said hi."])
    reply = await desk.say("Go")
    assert (reply.content, reply.status) == ("It said hi.", Status.COMPLETE)
    assert shape(await log(desk)) == [
        ("user", "Go"),
        ("assistant", "echo"),
        ("tool", "echo: hi"),
        ("assistant", "It said hi."),
    ]
    first, second = model.chats
    assert [tool.name for tool in first.tools] == ["echo"] == [t.name for t in second.tools]
    assert sent(second) == [("user", "Go"), ("assistant", "echo"), ("tool", "echo: hi")]
    messages = await log(desk)
    assert messages[1].content == "Let me see."
    assert messages[2].tool_call_id == messages[1].tool_calls[0].id == "c0"


async def test_the_steps_of_a_run_stay_with_the_exchange_in_the_next_one(
    desk: Desk, model: ScriptedModel
) -> None:
    model.answers.extend([echo("hi"), "Done."])
    await desk.say("Go")
    await desk.say("And?")
    assert sent(model.chats[-1]) == [
        ("user", "Go"),
        ("assistant", "echo"),
        ("tool", "echo: hi"),
        ("assistant", "Done."),
        ("user", "And?"),
    ]


async def test_every_message_is_told_of_and_says_how_long_it_took(
    desk: Desk, model: ScriptedModel
) -> None:
    model.answers.extend([echo("hi"), "Done."])
    await desk.say("Go")
    final = {e.message.id: e.message for e in desk.events if isinstance(e, MessageCommitted)}
    assert list(final.values()) == await log(desk)
    started = [e for e in desk.events if isinstance(e, ToolStarted)]
    ended = [e for e in desk.events if isinstance(e, ToolEnded)]
    message = (await log(desk))[1]
    assert [(e.message_id, e.call_id) for e in started] == [(message.id, "c0")]
    assert [(e.call_id, e.failed) for e in ended] == [("c0", False)]
    assert (await log(desk))[2].seconds == pytest.approx(ended[0].seconds, abs=0.1)


async def test_each_step_has_its_prompt_and_the_run_its_sum_of_tokens(
    desk: Desk, model: ScriptedModel
) -> None:
    model.answers.extend([echo("hi"), echo("again"), "Done."])
    await desk.say("Go")
    request = await desk.memories.last_request(desk.scope)
    assert request is not None
    assert (request.step, request.usage) == (3, Usage(11, 7))
    assert request.run_usage == Usage(10 + 10 + 11, 5 + 5 + 7)
    assert [(s.origin, s.role) for s in request.sections] == [
        ("system", "system"),
        ("tools", "system"),
        ("new", "user"),
        *[("steps", "assistant"), ("steps", "tool")] * 2,
    ]
    assert 'echo({"text": "hi"})' in request.sections[3].content
    assert await desk.log_lines() == ["Used echo (0.0 s)."] * 2


async def test_calls_of_one_step_run_at_the_same_time_and_answer_in_their_order(
    desk: Desk, model: ScriptedModel
) -> None:
    second_ran = asyncio.Event()

    async def wait(use: ToolUse) -> str:
        if use.arguments["text"] == "first":
            await second_ran.wait()
        second_ran.set()
        return str(use.arguments["text"])

    desk.tools.add("wait", wait)
    await desk.equip("wait")
    uses = [("wait", {"text": text}) for text in ("first", "second")]
    model.answers.extend([calls(*uses), "Done."])
    await desk.say("Go")
    assert [text for role, text in shape(await log(desk)) if role == "tool"] == ["first", "second"]


async def test_only_so_many_calls_run_at_once(desk: Desk, model: ScriptedModel) -> None:
    async def yielding(use: ToolUse) -> str:
        for _ in range(20):
            await asyncio.sleep(0)
        return str(use.arguments["text"])

    desk.tools.add("yielding", yielding)
    await desk.equip("yielding")
    model.answers.extend([calls(*(("yielding", {"text": str(n)}) for n in range(12))), "Done."])
    await desk.say("Go")
    assert len(desk.tools.used) == 12
    assert desk.tools.most == 4
    assert unanswered(await log(desk)) == []


async def test_calls_without_ids_of_their_own_get_some(desk: Desk, model: ScriptedModel) -> None:
    same = (ToolCall("call_0", "echo", '{"text": "a"}'), ToolCall("call_0", "echo", "{}"))
    for made in (same[:1], same, ()):
        model.answers.append(
            [Delta("Done." if not made else ""), Delta(finish="stop", tool_calls=made)]
        )
    await desk.say("Go")
    ids = [call.id for m in await log(desk) for call in m.tool_calls]
    assert len(set(ids)) == len(ids) == 3
    assert unanswered(await log(desk)) == []


# --- calls that cannot be run ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "arguments", "words"),
    [
        ("nothing_like_it", "{}", "There is no tool called nothing_like_it. The tools are: echo."),
        ("echo", "{text: hi}", "not JSON"),
        ("echo", "[1]", "not a JSON object"),
        ("echo", '{"text": 5}', "text: 5 is not of type 'string'"),
        ("echo", '"{\\"text\\": 5}"', "text: 5 is not of type 'string'"),
    ],
)
async def test_a_call_that_is_wrong_gets_a_result_that_says_how_to_mend_it(
    desk: Desk, model: ScriptedModel, name: str, arguments: str, words: str
) -> None:
    model.answers.extend([calls((name, arguments)), "Sorry."])
    assert (await desk.say("Go")).content == "Sorry."
    result = (await log(desk))[2]
    assert words in result.content
    assert result.error == result.content
    assert desk.tools.used == []


async def test_a_tool_that_fails_says_why_and_the_run_goes_on(
    desk: Desk, model: ScriptedModel
) -> None:
    async def fails(use: ToolUse) -> ToolResult:
        if use.arguments["text"] == "gone":
            raise Unreachable("The server of the tool is gone.")
        return ToolResult("No such file.", failed=True)

    desk.tools.add("fails", fails)
    await desk.equip("fails")
    model.answers.extend(
        [calls(("fails", {"text": "gone"}), ("fails", {"text": "file"})), "So be it."]
    )
    assert (await desk.say("Go")).content == "So be it."
    results = [m for m in await log(desk) if m.role == "tool"]
    assert [m.error for m in results] == ["The server of the tool is gone.", "No such file."]
    assert all(m.counts for m in results)


@pytest.mark.expected_log("The tool breaks failed")
async def test_a_tool_that_breaks_does_not_take_the_run_along(
    desk: Desk, model: ScriptedModel
) -> None:
    async def breaks(use: ToolUse) -> str:
        raise KeyError("oh")

    desk.tools.add("breaks", breaks)
    await desk.equip("breaks")
    model.answers.extend([calls(("breaks", {})), "So be it."])
    assert (await desk.say("Go")).content == "So be it."
    assert "KeyError" in (await log(desk))[2].content


async def never(use: ToolUse) -> str:
    await asyncio.Event().wait()
    return ""


async def stubborn(use: ToolUse) -> str:
    """Does not end when it is cancelled, for a while."""
    for _ in range(3):
        try:
            await asyncio.sleep(1)
        except asyncio.CancelledError:
            continue
    return "late"


@pytest.mark.parametrize("does", [never, stubborn])
async def test_a_tool_that_never_returns_is_stopped_after_its_time(
    desk: Desk, model: ScriptedModel, does: Any
) -> None:
    desk.tools.add("slow", does)
    await desk.equip("slow")
    model.answers.extend([calls(("slow", {})), "Never mind."])
    assert (await desk.say("Go")).content == "Never mind."
    result = (await log(desk))[2]
    assert "not done within 1 seconds" in result.error
    assert result.status is Status.TIMED_OUT
    assert result.counts


async def test_a_tool_that_gives_nothing_back_still_has_a_result(
    desk: Desk, model: ScriptedModel
) -> None:
    async def silent(use: ToolUse) -> str:
        return ""

    desk.tools.add("silent", silent)
    await desk.equip("silent")
    model.answers.extend([calls(("silent", {})), "Fine."])
    await desk.say("Go")
    assert ("tool", "The tool gave nothing back.") in sent(model.chats[-1])


# --- ends ------------------------------------------------------------------------------------


async def test_the_third_same_call_in_a_row_is_not_run_and_ends_the_run(
    desk: Desk, model: ScriptedModel
) -> None:
    model.answers.extend(calls(("echo", text)) for text in ('{"text":"a"}', '{ "text": "a" }') * 5)
    reply = await desk.say("Go")
    assert len(desk.tools.used) == 1
    assert len(model.chats) == 3
    assert (reply.status, reply.content) == (Status.FAILED, "")
    assert "echo a third time in a row" in reply.error
    messages = await log(desk)
    assert unanswered(messages) == []
    assert messages[-2].error.startswith("Not run.")
    model.answers.clear()
    assert (await desk.say("Do something else.")).status is Status.COMPLETE
    assert sent(model.chats[-1])[-1] == ("user", "Do something else.")


async def test_other_calls_between_make_the_same_call_a_new_one(
    desk: Desk, model: ScriptedModel
) -> None:
    model.answers.extend([echo("a"), echo("a"), echo("b"), echo("a"), echo("a"), "Done."])
    assert (await desk.say("Go")).content == "Done."
    assert [use.arguments["text"] for use in desk.tools.used] == ["a", "b", "a"]


async def test_a_call_made_again_gets_the_result_it_has_and_is_asked_for_words(
    desk: Desk, model: ScriptedModel
) -> None:
    model.answers.extend([echo("a"), echo("a"), "It says a.", "And more."])
    reply = await desk.say("Go")
    assert (reply.status, reply.content) == (Status.COMPLETE, "It says a.")
    assert len(desk.tools.used) == 1
    assert unanswered(await log(desk)) == []
    first, second, last = model.chats
    assert first.tools and second.tools and not last.tools
    # Told once, in words, with a plain sentence at the end.
    (asked, called, given) = [m for m in last.messages if m.role != "system"]
    assert (asked.content, called.content) == ("Go", 'I use echo: {"text": "a"}')
    assert given.role == "user" and given.content.count("echo: a") == 2
    assert given.content.endswith("Answer with it now, in words.")
    await desk.say("Go on")
    assert model.chats[-1].tools


async def test_a_call_that_failed_may_be_made_again(desk: Desk, model: ScriptedModel) -> None:
    given = [ToolResult("Try again.", failed=True), ToolResult("There it is.")]

    async def moody(_use: ToolUse) -> ToolResult:
        return given.pop(0)

    desk.tools.add("moody", moody)
    await desk.equip("moody")
    model.answers.extend([calls(("moody", {})), calls(("moody", {})), "Done."])
    assert (await desk.say("Go")).content == "Done."
    assert given == []


async def test_a_call_written_as_text_where_words_were_asked_for_is_still_none_to_be_shown(
    desk: Desk, model: ScriptedModel
) -> None:
    written = '{"name": "echo", "arguments": {"text": "a"}}'
    model.answers.extend([written, written, written])
    reply = await desk.say("Go")
    assert (reply.content, reply.status) == ("", Status.FAILED)
    assert "third time in a row" in reply.error


async def test_the_limit_of_steps_ends_the_run(desk: Desk, model: ScriptedModel) -> None:
    await desk.equip("echo", max_steps=3)
    model.answers.extend(echo(str(n)) for n in range(9))
    reply = await desk.say("Go")
    assert len(model.chats) == 3
    assert (reply.status, "limit of 3 steps" in reply.error) == (Status.FAILED, True)
    assert unanswered(await log(desk)) == []
    assert len(desk.tools.used) == 2


async def test_a_model_that_goes_away_in_mid_run_leaves_its_steps(
    desk: Desk, model: ScriptedModel
) -> None:
    model.answers.extend([echo("a"), Unreachable("lab is gone.")])
    reply = await desk.say("Go")
    assert (reply.status, reply.error) == (Status.FAILED, "lab is gone.")
    assert shape(await log(desk))[:3] == [
        ("user", "Go"),
        ("assistant", "echo"),
        ("tool", "echo: a"),
    ]
    await desk.say("Again")
    assert sent(model.chats[-1])[:3] == shape(await log(desk))[:3]


# --- Stop ------------------------------------------------------------------------------------


async def test_stop_reaches_the_tools_and_every_call_has_its_result(
    desk: Desk, model: ScriptedModel
) -> None:
    desk.tools.add("never", never)
    await desk.equip("never", "echo")
    model.answers.append(calls(("echo", {"text": "a"}), ("never", {}), ("echo", {"text": "b"})))
    await desk.chat.send(desk.session.id, desk.agent.id, "Go")
    await until(lambda: len(desk.tools.used) == 3 and desk.tools.running == 1)
    await stop(desk)
    assert [use.tool.name for use in desk.tools.stopped] == ["never"]
    messages = await log(desk)
    assert unanswered(messages) == []
    assert shape(messages[2:]) == [
        ("tool", "echo: a"),
        ("tool", "Stopped by the person before it was done."),
        ("tool", "echo: b"),
        ("assistant", ""),
    ]
    assert messages[-1].status is Status.STOPPED
    await desk.say("And now?")
    assert [role for role, _ in sent(model.chats[-1])] == [
        "user",
        "assistant",
        *["tool"] * 3,
        "user",
    ]


@pytest.mark.parametrize("moments", range(0, 90, 4))
async def test_stop_at_any_moment_leaves_no_call_without_its_result(
    desk: Desk, model: ScriptedModel, moments: int
) -> None:
    model.answers.extend([calls(("echo", {"text": "a"}), ("echo", {})), echo("b"), "Done."])
    await desk.chat.send(desk.session.id, desk.agent.id, "Go")
    for _ in range(moments):
        await asyncio.sleep(0.0005 if moments % 8 else 0)
    await stop(desk)
    messages = await log(desk)
    assert unanswered(messages) == []
    assert [m.parent_id for m in messages[1:]] == [m.id for m in messages[:-1]]
    assert messages[-1].role == "assistant"
    assert all(m.status is not Status.STREAMING for m in messages)
    assert list(await desk.messages.branch(desk.session.id)) == messages


async def test_stop_takes_a_question_for_consent_back(desk: Desk, model: ScriptedModel) -> None:
    desk.consents.attend()
    await desk.equip("echo", tool_policies={"echo": "ask"})
    model.answers.append(echo("a"))
    await desk.chat.send(desk.session.id, desk.agent.id, "Go")
    await until(desk.consents.waiting)
    await stop(desk)
    assert desk.consents.waiting() == ()
    assert unanswered(await log(desk)) == []
    assert desk.tools.used == []


async def test_a_reply_that_was_stopped_after_its_tools_is_gone_on_with_after_them(
    desk: Desk, model: ScriptedModel
) -> None:
    model.answers.extend([echo("a"), [Delta("Half of")], " it."])
    cut = await desk.say("Go")
    assert cut.status is Status.CUT
    await desk.chat.go_on(cut.id)
    await desk.chat.wait(desk.session.id)
    assert sent(model.chats[-1])[1:] == [
        ("assistant", "echo"),
        ("tool", "echo: a"),
        ("assistant", "Half of"),
    ]
    messages = await log(desk)
    assert messages[-1].content == "Half of it."
    assert messages[-1].parent_id == cut.parent_id


async def test_a_call_whose_result_a_crash_took_is_sent_with_one_that_says_so(
    desk: Desk, model: ScriptedModel
) -> None:
    model.answers.extend([echo("a"), "Done."])
    await desk.say("Go")
    messages = await log(desk)
    await desk.messages.set_leaf(desk.session.id, messages[1].id)
    await desk.say("Still there?")
    wire = model.chats[-1].messages
    assert [m.role for m in wire] == ["system", "user", "assistant", "tool", "user"]
    assert "the app was closed" in wire[3].content


# --- consent ---------------------------------------------------------------------------------


async def ask_and_say(desk: Desk, model: ScriptedModel, consent: Any, text: str = "a") -> Message:
    model.answers.extend([echo(text), "Done."])
    await desk.chat.send(desk.session.id, desk.agent.id, "Go")
    await until(desk.consents.waiting)
    desk.consents.answer(desk.consents.waiting()[0].question_id, consent)
    await desk.chat.wait(desk.session.id)
    return [m for m in await log(desk) if m.role == "tool"][-1]


async def test_a_tool_that_asks_runs_once_the_person_agrees(
    desk: Desk, model: ScriptedModel
) -> None:
    desk.consents.attend()
    await desk.equip("echo", tool_policies={"echo": "ask"})
    assert (await ask_and_say(desk, model, "once")).content == "echo: a"
    declined = await ask_and_say(desk, model, "refused")
    assert "declined" in declined.error
    assert declined.status is Status.DECLINED
    assert declined.counts
    assert (await ask_and_say(desk, model, "chat")).content == "echo: a"
    model.answers.extend([echo("b"), "Done."])
    await desk.say("Again")
    assert len(desk.tools.used) == 3


async def test_without_a_person_what_would_ask_is_refused_with_that_reason(
    desk: Desk, model: ScriptedModel
) -> None:
    await desk.equip("echo", tool_policies={"echo": "ask"})
    model.answers.extend([echo("a"), "Done."])
    await desk.say("Go")
    assert "nobody can be asked" in (await log(desk))[2].error
    assert desk.tools.used == []


async def test_what_is_not_harmless_asks_unless_the_agent_says_otherwise(
    desk: Desk, model: ScriptedModel
) -> None:
    async def write(use: ToolUse) -> str:
        return "written"

    desk.tools.add("write", write, harmless=False)
    for policies, result in (({}, "nobody can be asked"), ({"write": "allow"}, "written")):
        await desk.equip("write", tool_policies=policies)
        model.answers.extend([calls(("write", {})), "Done."])
        await desk.say("Go")
        assert result in [m for m in await log(desk) if m.role == "tool"][-1].content


async def test_a_tool_that_is_switched_off_is_neither_offered_nor_run(
    desk: Desk, model: ScriptedModel
) -> None:
    await desk.equip("echo", tool_policies={"echo": "never"})
    model.answers.extend([echo("a"), "Done."])
    await desk.say("Go")
    assert model.chats[0].tools == ()
    assert "switched off" in (await log(desk))[2].error


# --- models that know no tools, or write calls as text ---------------------------------------


@pytest.mark.parametrize(
    ("pieces", "shown"),
    [
        (['{"name": "echo", ', '"arguments": {"text": "a"}}'], ""),
        (["I look. ", "<tool", '_call>{"na', 'me": "echo", "arguments": {"text": "a"}}</tool_call'],
         "I look."),
        (["```json\n{", '"name": "echo", "arguments": {"text": "a"}}\n```'], ""),
    ],
)  # fmt: skip
async def test_a_call_written_as_text_is_run_and_not_shown_as_the_answer(
    desk: Desk, model: ScriptedModel, pieces: list[str], shown: str
) -> None:
    model.answers.extend([[*map(Delta, pieces), Delta(finish="stop")], "Done."])
    assert (await desk.say("Go")).content == "Done."
    message, result = (await log(desk))[1:3]
    assert (message.content, result.content) == (shown, "echo: a")
    streamed = [e.text for e in desk.events if isinstance(e, TextStreamed)]
    assert not any("{" in text or "<" in text for text in streamed)


async def test_text_like_a_call_is_an_answer_where_no_tools_were_offered(
    desk: Desk, model: ScriptedModel
) -> None:
    await desk.equip()
    text = '{"name": "echo", "arguments": {"text": "a"}}'
    model.answers.append(text)
    assert (await desk.say("Go")).content == text


@pytest.mark.parametrize(
    "text", ['Use {"a": 1} and <b>.', "x < y", 'See ```json\n{"b": 2}```', "["]
)
async def test_text_that_is_no_call_is_shown_whole(
    desk: Desk, model: ScriptedModel, text: str
) -> None:
    model.answers.append([*map(Delta, text), Delta(finish="stop")])
    assert (await desk.say("Go")).content == text
    commits = [e.message for e in desk.events if isinstance(e, MessageCommitted)]
    streamed = "".join(e.text for e in desk.events if isinstance(e, TextStreamed))
    assert commits[1].content + streamed == text


async def test_a_model_known_to_take_no_tools_is_asked_without_and_the_log_says_so(
    desk: Desk, model: ScriptedModel
) -> None:
    options = {"small": ModelOptions(tools=False)}
    provider = ProviderSettings(id="test", kind="openai", model_options=options)
    desk.settings = Settings(providers=(provider,), default_model="test/small")
    await desk.say("Go")
    assert model.chats[0].tools == ()
    assert await desk.log_lines() == [
        "test/small does not take tools, so it was asked without them."
    ]


async def test_a_server_that_refuses_tools_is_asked_again_without_and_once_for_all(
    desk: Desk, model: ScriptedModel
) -> None:
    model.answers.extend([echo("a"), "Done.", Refused("400: tools are not supported"), "Plain."])
    await desk.say("Go")
    assert (await desk.say("More")).content == "Plain."
    assert [bool(request.tools) for request in model.chats] == [True, True, True, False]
    assert sent(model.chats[-1])[1:3] == [
        ("assistant", 'I use echo: {"text": "a"}'),
        ("user", "Result of echo:\necho: a"),
    ]
    await desk.say("And more")
    assert model.chats[-1].tools == ()
    lines = [line for line in await desk.log_lines() if "tools" in line]
    assert len(lines) == 2


async def test_a_refusal_that_has_nothing_to_do_with_tools_is_told_as_it_is(
    desk: Desk, model: ScriptedModel
) -> None:
    model.answers.extend([Refused("The chat is too long."), Refused("Still too long.")])
    reply = await desk.say("Go")
    assert (reply.status, reply.error) == (Status.FAILED, "The chat is too long.")
    await desk.say("Go")
    assert [tool.name for tool in model.chats[-1].tools] == ["echo"]


async def test_tools_that_are_not_there_are_told_of(desk: Desk, model: ScriptedModel) -> None:
    await desk.equip("echo", "gone")
    await desk.say("Go")
    assert [tool.name for tool in model.chats[0].tools] == ["echo"]
    assert await desk.log_lines() == ["The agent has to do without tools not there: gone."]


# --- long results ----------------------------------------------------------------------------


async def test_a_long_result_is_cut_in_the_prompt_and_whole_in_its_message(
    desk: Desk, model: ScriptedModel
) -> None:
    whole = "".join(f"line {n}\n" for n in range(9000))

    async def long(use: ToolUse) -> str:
        return whole

    desk.tools.add("long", long)
    await desk.equip("long")
    model.answers.extend([calls(("long", {})), "Done."])
    await desk.say("Go")
    result = model.chats[-1].messages[-1].content
    assert len(result) < 9000
    assert result.startswith("line 0\n") and result.endswith("line 8999\n")
    assert "characters left out here" in result
    assert (await log(desk))[2].content == whole
    request = await desk.memories.last_request(desk.scope)
    assert request is not None
    assert request.sections[-1].content == result


async def test_many_long_results_leave_room_for_the_rest_and_the_newest_is_kept_best(
    desk: Desk, model: ScriptedModel
) -> None:
    async def long(use: ToolUse) -> str:
        return str(use.arguments["text"]) * 50_000

    desk.tools.add("long", long)
    await desk.equip("long")
    model.answers.extend([calls(("long", {"text": chr(97 + n)})) for n in range(20)] + ["Done."])
    assert (await desk.say("Go")).status is Status.COMPLETE
    request = await desk.memories.last_request(desk.scope)
    assert request is not None
    assert request.estimated_tokens < 8192
    results = [s.tokens for s in request.sections if s.role == "tool"]
    assert results[-1] > 1000 > results[0]
    assert not [line for line in await desk.log_lines() if "more than" in line]
