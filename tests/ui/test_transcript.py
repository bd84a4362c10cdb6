"""The transcript pages, follows, keeps still, and never mixes two chats."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest
from PySide6.QtWidgets import QAbstractButton, QApplication, QLabel, QPushButton
from pytestqt.qtbot import QtBot

from chatty_desktop.domain.events import LogEntry, MessageCommitted, RunLogged, TextStreamed
from chatty_desktop.domain.messages import Message, Role, Status
from chatty_desktop.ui.chat.asked import AnswerAgain, SendEdited, ShowRecord
from chatty_desktop.ui.chat.body import MessageBody
from chatty_desktop.ui.chat.drawn import KEPT
from chatty_desktop.ui.chat.edit_box import EditBox
from chatty_desktop.ui.chat.message import MessageView
from chatty_desktop.ui.chat.message_text import PIECE
from chatty_desktop.ui.chat.transcript import FIRST, Transcript
from chatty_desktop.ui.tasks import Tasks
from chatty_desktop.ui.theme import Theme
from tests.ui.panels import button, message_views, says, until


class Log:
    """Chats of numbered messages, read page by page as the store gives them."""

    def __init__(self, count: int) -> None:
        self.messages = {"s": [message(n) for n in range(count)], "other": []}
        self.partial: dict[str, tuple[str, str, str]] = {}
        self.log: list[LogEntry] = []
        self.gate: asyncio.Event | None = None

    async def page(self, session: str, before: str | None, limit: int) -> list[Message]:
        messages = self.messages[session]
        end = len(messages)
        if before is not None:
            end = next(i for i, m in enumerate(messages) if m.id == before)
        page = messages[max(0, end - limit) : end]
        if self.gate is not None:
            await self.gate.wait()
        return page

    async def whole(self, session: str) -> Sequence[Message]:
        return self.messages[session]

    async def warnings(self, _session: str, runs: Sequence[str]) -> list[LogEntry]:
        return [entry for entry in self.log if entry.run_id in runs]

    async def versions(self, _ids: Sequence[str]) -> dict[str, tuple[str, ...]]:
        return {}


def message(
    number: int, role: Role | None = None, text: str = "", status: Status = Status.COMPLETE
) -> Message:
    return Message(
        id=f"m{number}",
        session_id="s",
        parent_id=f"m{number - 1}" if number else None,
        agent_id="ada",
        run_id="r",
        role=role or ("user" if number % 2 == 0 else "assistant"),
        content=text or f"message {number}",
        at=1_700_000_000.0,
        status=status,
    )


class Scene:
    """A transcript over a log, 700 × 500."""

    def __init__(self, theme: Theme, qtbot: QtBot, count: int) -> None:
        self.log = Log(count)
        self.failures: list[str] = []
        self.tasks = Tasks(self.failures.append)
        self.transcript = Transcript(
            page=self.log.page,
            whole=self.log.whole,
            warnings=self.log.warnings,
            partial=self.log.partial.get,
            versions=self.log.versions,
            theme=theme,
            tasks=self.tasks,
        )
        qtbot.addWidget(self.transcript)
        self.transcript.resize(700, 500)
        self.transcript.show()
        self.column = self.transcript.column
        self.bar = self.column.verticalScrollBar()

    async def open(self, session: str = "s") -> None:
        self.transcript.open(session)
        await self.tasks.idle()
        await self.quiet()

    async def quiet(self) -> None:
        """Until no more views are made."""
        before = -1
        while before != len(self.column.views):
            before = len(self.column.views)
            for _ in range(5):
                await self.tasks.idle()
                await asyncio.sleep(0.01)

    @property
    def views(self) -> list[MessageView]:
        return message_views(self.column)

    def said(self) -> list[str]:
        return [view.text.plain().strip() for view in self.views]

    def top_in_sight(self) -> tuple[str, int]:
        """The first message in sight and how far below the border it begins."""
        value = self.bar.value()
        view = next(v for v in self.column.views if v.y() + v.height() > value)
        return view.message.id, view.y() - value

    def commit(self, new: Message) -> None:
        log = self.log.messages[new.session_id]
        at = next((i for i, m in enumerate(log) if m.id == new.id), None)
        if at is None:
            log.append(new)
        else:
            log[at] = new
        self.transcript.take(MessageCommitted(new))

    def stream(self, number: int, text: str, reasoning: str = "") -> None:
        self.transcript.take(TextStreamed("s", f"m{number}", text, reasoning))


async def test_a_long_chat_opens_at_its_end_with_few_messages_drawn(
    theme: Theme, qtbot: QtBot
) -> None:
    scene = Scene(theme, qtbot, 10_000)
    scene.transcript.open("s")
    await scene.tasks.idle()
    assert len(scene.column.views) <= FIRST
    assert scene.said()[-1] == "message 9999"
    await scene.quiet()
    assert scene.bar.value() == scene.bar.maximum()
    assert len(scene.column.views) < 100


async def test_scrolling_up_reads_on_without_moving_what_is_in_sight(
    theme: Theme, qtbot: QtBot
) -> None:
    scene = Scene(theme, qtbot, 400)
    await scene.open()
    for _ in range(6):
        scene.bar.setValue(scene.bar.value() // 3)
        before = scene.top_in_sight()
        drawn = len(scene.column.views)
        await scene.quiet()
        assert scene.top_in_sight() == before
        assert len(scene.column.views) >= drawn
    numbers = [int(text.split()[1]) for text in scene.said()]
    assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))


async def test_far_from_the_end_the_end_is_let_go_and_comes_back(
    theme: Theme, qtbot: QtBot
) -> None:
    scene = Scene(theme, qtbot, 600)
    await scene.open()
    while "message 0" not in scene.said():
        scene.bar.setValue(0)
        await scene.quiet()
    assert len(scene.column.views) <= KEPT
    assert "message 599" not in scene.said()
    button(scene.column, "Jump to end").click()
    await scene.quiet()
    assert scene.said()[-1] == "message 599"
    assert scene.bar.value() == scene.bar.maximum()


async def test_a_message_that_is_looked_for_is_read_and_brought_into_sight(
    theme: Theme, qtbot: QtBot
) -> None:
    scene = Scene(theme, qtbot, 3_000)
    await scene.open()
    assert await scene.transcript.show_message("m1200")
    await scene.quiet()
    view = next(v for v in scene.views if v.message.id == "m1200")
    assert 0 <= view.y() - scene.bar.value() < scene.column.viewport().height()
    assert not await scene.transcript.show_message("nowhere")


async def test_at_the_end_the_reply_is_followed_and_elsewhere_nothing_moves(
    theme: Theme, qtbot: QtBot
) -> None:
    scene = Scene(theme, qtbot, 60)
    await scene.open()
    scene.commit(message(60))
    scene.commit(message(61, text="It begins", status=Status.STREAMING))
    scene.stream(61, "\nline" * 40)
    view = scene.views[-1]
    await until(lambda: "line" in view.text.plain())
    await scene.quiet()
    assert scene.bar.value() == scene.bar.maximum()
    scene.bar.setValue(scene.bar.maximum() - 400)
    before = scene.top_in_sight()
    scene.stream(61, "\nmore" * 40)
    await until(lambda: "more" in view.text.plain())
    await scene.quiet()
    assert scene.top_in_sight() == before
    assert button(scene.column, "Jump to end").isVisible()


async def test_a_streamed_reply_is_plain_text_and_markdown_once_it_is_done(
    theme: Theme, qtbot: QtBot
) -> None:
    scene = Scene(theme, qtbot, 1)
    await scene.open()
    scene.commit(message(1, text="**bo", status=Status.STREAMING))
    scene.stream(1, "ld**")
    await until(lambda: scene.said()[-1] == "**bold**")
    scene.commit(message(1, text="**bold** and done"))
    assert scene.said()[-1] == "bold and done"


async def test_many_pieces_are_drawn_in_few_repaints(theme: Theme, qtbot: QtBot) -> None:
    scene = Scene(theme, qtbot, 1)
    await scene.open()
    scene.commit(message(1, text="start", status=Status.STREAMING))
    drawn: list[int] = []
    view = scene.views[-1]
    view.resized.connect(lambda: drawn.append(1))
    for n in range(500):
        scene.stream(1, f" {n}")
    await until(lambda: scene.said()[-1].endswith("499"))
    assert len(drawn) <= 3


async def test_two_chats_are_never_mixed(theme: Theme, qtbot: QtBot) -> None:
    scene = Scene(theme, qtbot, 1)
    await scene.open()
    scene.commit(message(1, text="for s", status=Status.STREAMING))
    await scene.open("other")
    scene.stream(1, " and more")
    scene.commit(message(1, text="for s and more"))
    await scene.quiet()
    assert scene.said() == []
    await scene.open("s")
    assert scene.said()[-1] == "for s and more"


async def test_coming_back_to_a_chat_shows_all_that_was_streamed_meanwhile(
    theme: Theme, qtbot: QtBot
) -> None:
    scene = Scene(theme, qtbot, 1)
    await scene.open()
    scene.commit(message(1, text="one", status=Status.STREAMING))
    await scene.open("other")
    scene.log.partial["s"] = ("m1", "one two three", "")
    await scene.open("s")
    assert scene.said()[-1] == "one two three"
    scene.stream(1, " four")
    await until(lambda: scene.said()[-1] == "one two three four")


async def test_what_is_committed_while_a_chat_opens_is_not_lost(theme: Theme, qtbot: QtBot) -> None:
    scene = Scene(theme, qtbot, 4)
    scene.log.gate = asyncio.Event()
    scene.transcript.open("s")
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    scene.commit(message(4, text="just now"))
    scene.log.gate.set()
    await scene.quiet()
    assert scene.said()[-2:] == ["message 3", "just now"]


async def test_another_branch_replaces_what_followed(theme: Theme, qtbot: QtBot) -> None:
    scene = Scene(theme, qtbot, 4)
    await scene.open()
    scene.transcript.take(
        MessageCommitted(replace(message(3), id="other", content="another answer"))
    )
    assert scene.said() == ["message 0", "message 1", "message 2", "another answer"]


@pytest.mark.parametrize(
    ("status", "text"),
    [
        (Status.STOPPED, "Stopped by you"),
        (Status.CUT, "cut off"),
        (Status.TRUNCATED, "length limit"),
        (Status.FAILED, "No answer came"),
    ],
)
async def test_how_a_reply_ended_is_said_where_it_ended_and_can_be_retried(
    status: Status, text: str, theme: Theme, qtbot: QtBot
) -> None:
    scene = Scene(theme, qtbot, 1)
    await scene.open()
    scene.commit(message(1, text="half", status=status))
    view = scene.views[-1]
    assert says(view, text)
    asked: list[object] = []
    scene.transcript.asked.connect(asked.append)
    button(view, "Ask for this reply again").click()
    assert asked == [AnswerAgain(view.message.id)]


async def test_only_the_newest_reply_can_be_asked_again(theme: Theme, qtbot: QtBot) -> None:
    scene = Scene(theme, qtbot, 2)
    await scene.open()
    first = scene.views[-1]
    assert button(first, "Answer again").isVisible()
    scene.commit(message(2))
    scene.commit(message(3, status=Status.FAILED))
    names = [b.accessibleName() for b in first.findChildren(QAbstractButton) if b.isVisible()]
    assert "Answer again" not in names


async def test_reasoning_is_folded_away_timed_and_can_be_read(theme: Theme, qtbot: QtBot) -> None:
    scene = Scene(theme, qtbot, 1)
    await scene.open()
    started = replace(message(1, status=Status.STREAMING), content="", reasoning="Let me see")
    scene.commit(started)
    view = scene.views[-1]
    fold = button(view, "Show or hide the model's reasoning")
    assert fold.text() == "Thinking …"
    scene.stream(1, "", ", so")
    scene.stream(1, "The answer")
    await until(lambda: view.text.plain() == "The answer")
    assert fold.text().startswith("Thought for ")
    assert "Let me see" not in view.text.plain()
    fold.click()
    assert any(
        "Let me see, so" in body.toPlainText() and body.isVisible()
        for body in view.findChildren(type(view.text._bodies[0]))
    )


async def test_how_long_the_model_reasoned_is_still_known_when_the_chat_is_opened_again(
    theme: Theme, qtbot: QtBot
) -> None:
    scene = Scene(theme, qtbot, 1)
    thought = replace(message(1), reasoning="Let me see", thought_seconds=8.3)
    scene.log.messages["s"] += [thought, replace(message(3), parent_id="m1", reasoning="hm")]
    await scene.open()
    folds = [button(view, "Show or hide the model's reasoning").text() for view in scene.views[1:]]
    assert folds == ["Thought for 8 s", "Reasoning"]


async def test_the_line_stands_above_the_first_message_the_model_sees_verbatim(
    theme: Theme, qtbot: QtBot
) -> None:
    scene = Scene(theme, qtbot, 8)
    await scene.open()

    def marked() -> list[str]:
        return [v.message.id for v in scene.views if says(v, "word for word")]

    assert marked() == []
    scene.transcript.drawn.set_verbatim_from("m6")
    assert marked() == ["m6"]
    scene.transcript.drawn.set_verbatim_from("m4")
    assert marked() == ["m4"]
    # From the first message on, everything is verbatim: a line would say nothing.
    scene.transcript.drawn.set_verbatim_from("m0")
    assert marked() == []


async def test_a_message_of_a_megabyte_leaves_the_loop_its_turns(
    theme: Theme, qtbot: QtBot
) -> None:
    scene = Scene(theme, qtbot, 1)
    await scene.open()
    huge = "A line of words that goes on.\n" * 35_000
    scene.commit(message(1, text=huge))
    view = scene.views[-1]
    assert len(view.text.plain()) < 2 * PIECE
    more = next(b for b in view.findChildren(QPushButton) if "Show more" in b.text())
    assert "characters left" in more.text()
    more.click()
    assert PIECE < len(view.text.plain()) < 3 * PIECE
    button(view, "Copy message").click()
    assert QApplication.clipboard().text() == huge


async def test_a_message_of_a_megabyte_can_be_streamed(theme: Theme, qtbot: QtBot) -> None:
    scene = Scene(theme, qtbot, 1)
    await scene.open()
    scene.commit(message(1, text="x", status=Status.STREAMING))
    for _ in range(100):
        scene.stream(1, "0123456789" * 1_000)
    view = scene.views[-1]
    await until(lambda: len(view.text.shown) == 1_000_001)
    assert len(view.text.plain()) <= 60_000


async def test_the_palette_can_flip_with_messages_on_the_screen(theme: Theme, qtbot: QtBot) -> None:
    scene = Scene(theme, qtbot, 12)
    await scene.open()
    heights = [view.height() for view in scene.views]
    theme.force("dark")
    await scene.quiet()
    assert scene.said()[-1] == "message 11"
    assert [view.height() for view in scene.views] == heights
    assert theme.tokens.text in scene.views[-1].text._bodies[0].document().toHtml()


async def test_a_flip_of_the_palette_looks_after_what_is_in_sight_alone(
    theme: Theme, qtbot: QtBot
) -> None:
    scene = Scene(theme, qtbot, 300)
    await scene.open()
    for _ in range(20):
        scene.bar.setValue(0)
        await scene.quiet()
    assert len(scene.column.views) > 100
    before = scene.top_in_sight()
    counted: list[int] = []

    def count() -> None:
        counted.append(len(scene.transcript.findChildren(MessageView)))

    theme.changed.connect(count)
    theme.force("dark")
    theme.changed.disconnect(count)
    assert counted[0] < 15
    await scene.quiet()
    assert scene.top_in_sight() == before
    numbers = [int(text.split()[1]) for text in scene.said()]
    assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))
    theme.force("light")
    scene.transcript.to_end()
    await scene.quiet()
    assert scene.said()[-1] == "message 299"


async def test_what_is_being_written_in_place_of_a_message_is_there_when_it_is_in_sight_again(
    theme: Theme, qtbot: QtBot
) -> None:
    def boxes() -> list[EditBox]:
        return [box for view in scene.views for box in view.findChildren(EditBox)]

    scene = Scene(theme, qtbot, 600)
    await scene.open()
    scene.transcript.edit("m598")
    (box,) = boxes()
    box.words.setPlainText("not sent yet")
    leaving: list[Callable[[], None]] = [
        scene.transcript.to_start,
        lambda: scene.transcript.open("other"),
    ]
    for leave in leaving:
        leave()
        await scene.quiet()
        assert not boxes()
        if scene.transcript.last is None:
            await scene.open()
        scene.transcript.to_end()
        await scene.quiet()
        (box,) = boxes()
        assert (box.text, box.isVisible()) == ("not sent yet", True)
    theme.force("dark")
    await scene.quiet()
    (box,) = boxes()
    sent: list[object] = []
    scene.transcript.asked.connect(sent.append)
    box.send.click()
    assert sent == [SendEdited("m598", "not sent yet", ())]
    scene.transcript.to_start()
    await scene.quiet()
    scene.transcript.to_end()
    await scene.quiet()
    assert not boxes()


async def test_each_piece_of_a_long_message_takes_on_the_other_colours(
    theme: Theme, qtbot: QtBot
) -> None:
    def colours() -> list[str]:
        bodies = scene.views[-1].text.findChildren(MessageBody)
        return [body.document().toHtml() for body in bodies]

    scene = Scene(theme, qtbot, 1)
    await scene.open()
    scene.commit(message(1, text="```python\nclass A: pass\n```\n\n" * 1_000))
    for _ in range(3):
        scene.views[-1].findChildren(QPushButton)[0].click()
    scene.transcript.mark_words(re.compile("class"))
    light, marks = theme.tokens, scene.views[-1].text.findChildren(MessageBody)[2].marks.count
    theme.force("dark")
    await scene.quiet()
    assert len(colours()) == 4
    assert all(theme.tokens.code_keyword in html for html in colours())
    assert not any(light.code_keyword in html for html in colours())
    bodies = scene.views[-1].text.findChildren(MessageBody)
    assert bodies[2].marks.count == marks > 0


async def test_a_chat_can_be_left_while_it_takes_on_the_other_colours(
    theme: Theme, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("chatty_desktop.ui.chat.drawn.AT_ONCE_SECONDS", 0.0)
    for breaths in range(1, 6):
        scene = Scene(theme, qtbot, 1)
        await scene.open()
        scene.commit(message(1, text="class A\n\n" * 3_000))
        scene.views[-1].findChildren(QPushButton)[0].click()
        scene.transcript.mark_words(re.compile("class"))
        scene.views[-1].text.set_found(0)
        theme.force("dark" if breaths % 2 else "light")
        for _ in range(breaths):
            await asyncio.sleep(0)
        scene.transcript.open("other")
        await scene.quiet()
        assert scene.failures == []
        scene.transcript.close()


async def test_the_start_of_a_long_chat_is_a_jump_away_and_so_is_its_end(
    theme: Theme, qtbot: QtBot
) -> None:
    scene = Scene(theme, qtbot, 10_000)
    await scene.open()
    scene.transcript.to_start()
    await until(lambda: "message 0" in scene.said())
    await scene.quiet()
    assert scene.said()[0] == "message 0"
    assert scene.top_in_sight()[0] == "m0"
    assert len(scene.column.views) <= KEPT
    assert button(scene.column, "Jump to the end of the chat").isVisible()
    scene.transcript.to_end()
    await scene.quiet()
    assert scene.said()[-1] == "message 9999"
    assert scene.bar.value() == scene.bar.maximum()
    # Everything between is there.
    numbers = [int(text.split()[-1]) for text in scene.said()]
    assert numbers == list(range(numbers[0], 10_000))


async def test_what_befell_the_memory_of_a_run_stands_at_its_reply_after_a_restart_too(
    theme: Theme, qtbot: QtBot
) -> None:
    scene = Scene(theme, qtbot, 0)
    scene.log.messages["s"] = [replace(message(n), run_id=f"r{n // 2}") for n in range(4)]
    scene.log.log = [LogEntry("r0", 1.0, "warning", "The fold of 2 messages was refused: no <b>.")]
    await scene.open()
    await until(lambda: says(scene.views[1], "The fold of 2 messages was refused: no <b>."))
    assert not any(says(view, "refused") for view in scene.views if view.message.id != "m1")
    asked: list[object] = []
    scene.transcript.asked.connect(asked.append)
    button(scene.views[1], "Show what is kept of this run").click()
    assert asked == [ShowRecord()]


async def test_what_befalls_memory_is_said_at_once_and_what_the_reply_says_itself_is_not_repeated(
    theme: Theme, qtbot: QtBot
) -> None:
    scene = Scene(theme, qtbot, 1)
    await scene.open()
    scene.commit(replace(message(1), status=Status.CUT, error="The line broke."))
    view = scene.views[1]
    height = view.height()
    for text in ("The line broke.", "Memory was not updated: no model."):
        scene.transcript.take(RunLogged("s", LogEntry("r", 1.0, "warning", text)))
    scene.transcript.take(RunLogged("s", LogEntry("r", 1.0, "info", "Folded 2 messages.")))
    scene.transcript.take(RunLogged("other", LogEntry("r", 1.0, "error", "Elsewhere.")))
    assert says(view, "Memory was not updated")
    assert not says(view, "Folded")
    assert not says(view, "Elsewhere")
    lines = [label.text() for label in view.findChildren(QLabel)]
    assert lines.count("The line broke.") == 1
    await until(lambda: view.height() > height)
