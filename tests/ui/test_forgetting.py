"""Forgetting with proof, in the window: what goes is told, then it is gone, and that is shown."""

from __future__ import annotations

import zipfile
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QPushButton

from chatty_desktop.domain.forgetting import ForgetTarget
from chatty_desktop.domain.messages import Message
from chatty_desktop.ui.forgetting.dialog import ForgetDialog
from tests.ui.panels import button, says, until

if TYPE_CHECKING:
    from tests.ui.opened import Opened

PLANTED = "xyloplant77"


async def asked(at: Opened) -> Message:
    """A chat that is open with the planted word in it; the message that has it."""
    await at.new_chat()
    at.write(f"My word is {PLANTED}, keep it.")
    await until(lambda: len(at.views) == 2 and not at.window.chat.composer.answering)
    session_id = at.window.chat.session_id
    assert session_id is not None
    await at.app.chat.wait(session_id)
    return (await at.app.messages.page(session_id))[0]


def open_dialog(at: Opened) -> ForgetDialog | None:
    found = [each for each in at.window.findChildren(ForgetDialog) if each.isVisible()]
    return found[0] if found else None


def rows(dialog: ForgetDialog) -> list[str]:
    assert dialog.page is not None
    tree = dialog.page.tree
    return [item.text(0) for i in range(tree.topLevelItemCount()) if (item := tree.topLevelItem(i))]


async def test_a_message_is_forgotten_from_its_menu_and_the_proof_is_shown(
    open_window: Opened,
) -> None:
    at = open_window
    message = await asked(at)
    menu = at.window.chat.acts.menu(message)
    next(a for a in menu.actions() if a.text() == "Forget with proof …").trigger()
    await until(lambda: open_dialog(at))
    dialog = open_dialog(at)
    assert dialog is not None
    assert dialog.page is not None
    assert "2 messages" in rows(dialog)
    assert "1 request that was sent" in rows(dialog)
    assert PLANTED in dialog.page.words.text()
    assert await at.app.messages.get(message.id), "nothing is done yet"
    dialog.forget.click()
    await until(lambda: says(dialog, "Nothing of it is left."))
    await until(lambda: says(dialog, f"the words “{PLANTED}"))
    assert await at.app.messages.get(message.id) is None
    await until(lambda: at.views == [])
    held = [p for p in at.app.paths.data.rglob("*") if p.is_file() and p.name != "chatty.lock"]
    assert [p for p in held if PLANTED.encode() in p.read_bytes()] == []
    button(dialog, "Close").click()


async def test_nothing_is_forgotten_when_it_is_called_off(open_window: Opened) -> None:
    at = open_window
    message = await asked(at)
    at.window.actions_.forget_message.trigger()
    await until(lambda: open_dialog(at))
    dialog = open_dialog(at)
    assert dialog is not None
    button(dialog, "Cancel").click()
    await until(lambda: open_dialog(at) is None)
    assert await at.app.messages.get(message.id)


async def test_a_chat_is_forgotten_and_a_backup_that_holds_it_can_be_deleted(
    open_window: Opened,
) -> None:
    at = open_window
    message = await asked(at)
    at.app.paths.backups.mkdir(exist_ok=True)
    backup = at.app.paths.backups / "old.zip"
    with zipfile.ZipFile(backup, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("chatty.db", PLANTED * 20)
    at.window.actions_.forget_chat.trigger()
    await until(lambda: open_dialog(at))
    dialog = open_dialog(at)
    assert dialog is not None
    dialog.forget.click()
    await until(lambda: says(dialog, "Backups still hold it."))
    assert at.window.chat.session_id != message.session_id
    delete = button(dialog, "Delete this backup")
    assert isinstance(delete, QPushButton)
    delete.click()
    await until(lambda: says(dialog, "Nothing of it is left."))
    assert not backup.exists()
    button(dialog, "Close").click()


async def test_what_is_gone_already_is_said_in_the_window(open_window: Opened) -> None:
    at = open_window
    await asked(at)
    at.window.everywhere.forget(ForgetTarget("fact", at.window.chat.session_id or "", "none"))
    await until(lambda: at.failures == ["That fact is no longer there."])
    at.failures.clear()
