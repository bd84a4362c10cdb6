"""Two answers side by side, one without a part of memory; the chat stays as it is until the person
takes one."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING

from chatty_desktop.domain.comparing import Omission
from chatty_desktop.ui.comparing.dialog import CompareDialog
from tests.helpers.servers.answers import Answer
from tests.helpers.servers.http import Received
from tests.ui.panels import button, until

if TYPE_CHECKING:
    from tests.ui.opened import Opened


def by_what_it_knows(received: Received) -> Answer:
    known = "Kyoto" in json.dumps(received.body["messages"])
    return Answer(["You go to ", "Kyoto."] if known else ["I do ", "not know."])


async def opened_dialog(at: Opened) -> CompareDialog:
    """A chat of two exchanges, of which the last reply is compared."""
    at.server.default = by_what_it_knows
    await at.new_chat()
    for number, text in enumerate(("I go to Kyoto.", "Where do I go?"), 1):
        at.write(text)
        await until(lambda number=number: len(at.views) == 2 * number)  # type: ignore[misc]
        assert at.window.chat.session_id is not None
        await at.app.chat.wait(at.window.chat.session_id)
        await until(lambda: not at.window.chat.composer.answering)
    at.window.actions_.compare.trigger()

    def shown() -> list[CompareDialog]:
        return [d for d in at.window.findChildren(CompareDialog) if d.isVisible()]

    await until(shown)
    return shown()[0]


def leave_out(dialog: CompareDialog, name: str) -> None:
    wanted = [each.name for each in dialog._compared.omissions].index(name)
    dialog.omission.setCurrentIndex(wanted)


async def test_both_answers_come_side_by_side_and_nothing_enters_the_chat(
    open_window: Opened,
) -> None:
    at = open_window
    dialog = await opened_dialog(at)
    before = at.said()
    runs = len(at.server.chats)
    leave_out(dialog, "window")
    assert dialog.chosen == Omission("part", "window")
    button(dialog, "Ask both").click()
    await until(lambda: dialog.left.box.toPlainText() == "You go to Kyoto.")
    await until(lambda: dialog.right.box.toPlainText() == "I do not know.")
    await until(lambda: dialog.run.text() == "Ask both")
    assert len(at.server.chats) == runs + 2
    assert at.said() == before
    session_id = at.window.chat.session_id or ""
    assert len(await at.app.messages.page(session_id)) == 4
    scope = at.window.inspector.scope
    assert scope is not None
    assert len(await at.app.memories.asked_for(scope)) == 2
    dialog.close()


async def test_an_answer_of_one_line_without_end_is_shown_in_lines_that_stay_short(
    open_window: Opened,
) -> None:
    at = open_window
    dialog = await opened_dialog(at)
    endless = "w" * 200_000
    at.server.default = lambda _received: Answer(["Well:\n\n", endless, "\nThe end."])
    leave_out(dialog, "window")
    button(dialog, "Ask both").click()
    await until(lambda: dialog.run.text() == "Ask both")
    await until(lambda: dialog.left.box.toPlainText().endswith("The end."))
    lines = dialog.left.box.toPlainText().split("\n")
    assert max(map(len, lines)) <= 3_000
    assert "".join(lines) == f"Well:{endless}The end."
    dialog.left.take.click()
    await until(lambda: dialog.left.take.text() == "Is in the chat")
    (*_others, taken) = await at.app.messages.page(at.window.chat.session_id or "")
    assert taken.content == f"Well:\n\n{endless}\nThe end."
    dialog.close()


async def test_an_answer_is_taken_as_a_version_beside_the_reply(open_window: Opened) -> None:
    at = open_window
    dialog = await opened_dialog(at)
    leave_out(dialog, "window")
    button(dialog, "Ask both").click()
    await until(dialog.right.take.isEnabled)
    dialog.right.take.click()
    await until(lambda: at.said()[-1:] == ["I do not know."])
    await until(lambda: dialog.right.take.text() == "Is in the chat")
    (last,) = await at.app.messages.page(at.window.chat.session_id or "", limit=1)
    versions = await at.app.messages.versions([last.id])
    assert len(versions[last.id]) == 2
    assert last.model == "lab/small"
    dialog.close()


async def test_both_can_be_stopped_and_keep_what_came(open_window: Opened) -> None:
    at = open_window
    dialog = await opened_dialog(at)
    held = asyncio.Event()
    at.server.default = Answer(["One ", "two ", "three"], held=held, held_after=2)
    button(dialog, "Ask both").click()
    await until(lambda: dialog.left.box.toPlainText() == "One two ")
    await until(lambda: dialog.right.box.toPlainText() == "One two ")
    button(dialog, "Stop").click()
    await until(lambda: dialog.run.text() == "Ask both")
    assert dialog.left.box.toPlainText() == "One two "
    for received in at.server.chats[-2:]:  # the server need not go on for nobody
        await until(received.left.is_set)
    held.set()
    dialog.close()


async def test_a_server_that_fails_is_told_of_in_its_column(open_window: Opened) -> None:
    at = open_window
    dialog = await opened_dialog(at)
    at.server.default = Answer.fail(400, "not to my liking")
    button(dialog, "Ask both").click()
    await until(lambda: "not to my liking" in dialog.left.problem.text())
    await until(lambda: "not to my liking" in dialog.right.problem.text())
    assert not dialog.left.take.isEnabled()
    dialog.close()
