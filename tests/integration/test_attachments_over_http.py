"""Attached files on the real wire: what servers get, and what happens when they refuse."""

from __future__ import annotations

import base64
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from chatty_desktop.domain.attachments import AttachedFile
from chatty_desktop.domain.messages import Message, Status
from chatty_desktop.domain.models import with_options
from tests.helpers.attached import image_bytes, image_file, pdf_bytes, text_file
from tests.helpers.folder import Room, settings_for
from tests.helpers.servers import Answer, OllamaServer, OpenAIServer

PHOTO, NOTES = image_file(), text_file()
FULL: dict[str, Any] = {"kind": "full_transcript"}
AS_BASE64 = base64.b64encode(PHOTO.data).decode()


@pytest.fixture
async def server() -> AsyncIterator[OpenAIServer]:
    async with OpenAIServer(context_length=8192) as server:
        yield server


@pytest.fixture
async def room(tmp_path: Path, server: OpenAIServer) -> AsyncIterator[Room]:
    settings_for(tmp_path, server.base_url)
    room = await Room.open(tmp_path, FULL)
    yield room
    await room.close()


async def say(room: Room, text: str, *files: AttachedFile) -> Message:
    await room.app.chat.send(room.session_id, room.agent.id, text, files)
    await room.app.chat.wait(room.session_id)
    return (await room.messages())[-1]


async def test_texts_go_in_by_name_and_images_as_openai_has_them(
    room: Room, server: OpenAIServer
) -> None:
    await say(room, "What is this?", NOTES, PHOTO)
    (chat,) = server.chats
    words, image = chat.body["messages"][-1]["content"]
    assert words == {
        "type": "text",
        "text": "What is this?\n\nFile: notes.md\n```md\n# Notes\nKyoto in May\n```",
    }
    assert image == {
        "type": "image_url",
        "image_url": {"url": f"data:image/png;base64,{AS_BASE64}"},
    }


async def test_an_image_alone_can_be_sent_and_goes_along_with_what_follows(
    room: Room, server: OpenAIServer
) -> None:
    await say(room, "", PHOTO)
    await say(room, "And now?")
    first, second = server.chats
    assert [part["type"] for part in first.body["messages"][-1]["content"]] == ["image_url"]
    earlier = [m for m in second.body["messages"] if isinstance(m["content"], list)]
    assert len(earlier) == 1
    request = await room.app.memories.last_request(room.scope)
    assert request is not None
    assert "[Image photo.png, 40 × 20, 1 kB]" in [s.content for s in request.sections]


async def test_a_server_that_counts_little_for_an_image_is_not_taken_to_have_cut_it(
    room: Room,
) -> None:
    await say(room, "What is this?", PHOTO)
    entries = await room.app.runs.read_log(room.session_id)
    assert [entry.text for entry in entries if entry.level == "warning"] == []


async def test_a_pdf_goes_in_as_its_text(room: Room, server: OpenAIServer) -> None:
    file = await room.app.attaching.data(pdf_bytes("Kyoto in May"), "trip.pdf")
    await say(room, "When?", file)
    said = server.chats[0].body["messages"][-1]["content"]
    assert said.startswith("When?\n\nFile: trip.pdf\n```\n")
    assert "Kyoto in May" in said


async def test_a_refused_image_says_why_and_can_be_answered_again(
    room: Room, server: OpenAIServer
) -> None:
    server.script(Answer.fail(400, "image input is not supported"), "A red square.")
    failed = await say(room, "What is this?", PHOTO)
    assert failed.status is Status.FAILED
    assert "image input is not supported" in failed.error
    await room.app.chat.retry(room.session_id)
    await room.app.chat.wait(room.session_id)
    assert (await room.messages())[-1].content == "A red square."


async def test_a_model_that_is_said_to_see_none_is_told_the_names(
    room: Room, server: OpenAIServer
) -> None:
    await room.app.settings.change(lambda now: with_options(now, "lab/small", vision=False))
    await say(room, "What is this?", PHOTO)
    said = server.chats[0].body["messages"][-1]["content"]
    assert said == "What is this?\n\n[Image photo.png, 40 × 20: not shown here.]"
    entries = await room.app.runs.read_log(room.session_id)
    assert any("does not look at images" in entry.text for entry in entries)
    assert (await room.app.memories.next_request(room.scope)).sees_images is False


async def test_an_edited_message_keeps_its_files_or_those_that_are_left(
    room: Room, server: OpenAIServer
) -> None:
    await say(room, "What is this?", NOTES, PHOTO)
    (asked, _reply) = await room.messages()
    edited = await room.app.chat.edit(asked.id, "And this?")
    await room.app.chat.wait(room.session_id)
    assert edited.attachments == asked.attachments
    fewer = await room.app.chat.edit(asked.id, "Only this", files=[NOTES.about])
    await room.app.chat.wait(room.session_id)
    assert fewer.attachments == (NOTES.about,)
    assert "File: notes.md" in server.chats[-1].body["messages"][-1]["content"]
    other = await room.app.chat.ask_another(asked.id, room.agent.id)
    assert other.attachments == asked.attachments
    await room.app.chat.wait(room.session_id)


async def test_a_long_file_is_cut_to_what_the_model_takes_in(
    room: Room, server: OpenAIServer
) -> None:
    long = text_file("long.txt", "word " * 20_000)
    await say(room, "Read it", long)
    said = server.chats[0].body["messages"][-1]["content"]
    assert "characters left out here …]" in said
    assert len(said) < 8192 * 4


async def test_what_memory_folds_names_the_file_and_holds_no_image(
    tmp_path: Path, server: OpenAIServer
) -> None:
    settings_for(tmp_path / "state", server.base_url)
    room = await Room.open(tmp_path / "state")
    await say(room, "Plan by this", NOTES, PHOTO)
    (fold,) = server.folds
    asked = json.dumps(fold.body, ensure_ascii=False)
    assert "Attached file notes.md: # Notes" in asked
    assert "Attached image photo.png" in asked
    assert AS_BASE64[:40] not in asked
    await room.close()


@pytest.mark.parametrize("sees", [True, False, None])
async def test_ollama_gets_images_its_own_way_unless_it_says_that_the_model_sees_none(
    tmp_path: Path, sees: bool | None
) -> None:
    can = {True: ("completion", "vision"), False: ("completion",), None: None}[sees]
    async with OllamaServer(models=("small",), abilities=can) as ollama:
        settings_for(tmp_path, ollama.base_url, "ollama")
        room = await Room.open(tmp_path, FULL)
        await say(room, "What is this?", PHOTO)
        said = ollama.chats[0].body["messages"][-1]
        if sees is False:
            assert "images" not in said
            assert "photo.png" in said["content"]
        else:
            assert said["images"] == [AS_BASE64]
            assert said["content"] == "What is this?"
        assert (await room.app.memories.next_request(room.scope)).sees_images is sees
        await room.close()


@pytest.mark.parametrize(
    ("card", "sees"),
    [
        ({"architecture": {"input_modalities": ["text", "image"]}}, True),
        ({"architecture": {"input_modalities": ["text"]}}, False),
        ({"capabilities": ["completion", "multimodal"]}, True),
        ({"capabilities": {"vision": False}}, False),
        ({}, None),
    ],
)
async def test_what_servers_tell_of_their_models_eyes_is_understood(
    room: Room, server: OpenAIServer, card: dict[str, Any], sees: bool | None
) -> None:
    server.card = card
    assert (await room.app.memories.next_request(room.scope)).sees_images is sees


async def test_an_image_that_is_scaled_down_is_sent_as_it_is_kept(
    room: Room, server: OpenAIServer
) -> None:
    file = await room.app.attaching.data(image_bytes("BMP", (3000, 300)), "wide.bmp")
    await say(room, "Wide", file)
    (_words, image) = server.chats[0].body["messages"][-1]["content"]
    kind, data = image["image_url"]["url"].split(",", 1)
    assert kind.removeprefix("data:").removesuffix(";base64") == file.about.media_type
    assert base64.b64decode(data) == file.data
