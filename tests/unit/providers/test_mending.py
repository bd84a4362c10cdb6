"""Halves of characters in what models say."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from chatty_desktop.domain.characters import whole_text
from chatty_desktop.domain.messages import ToolCall
from chatty_desktop.domain.requests import Delta, count_of
from chatty_desktop.providers.mending import mended


async def said(*deltas: Delta) -> list[Delta]:
    async def stream() -> AsyncIterator[Delta]:
        for delta in deltas:
            yield delta

    return [delta async for delta in mended(stream())]


async def test_a_character_that_came_in_two_halves_is_one() -> None:
    found = await said(
        Delta("a\ud83d"), Delta("\ude00b"), Delta(reasoning="\ud83d"), Delta(reasoning="\ude00"),
        Delta(finish="stop"),
    )  # fmt: skip
    assert "".join(delta.text for delta in found) == "a😀b"
    assert "".join(delta.reasoning for delta in found) == "😀"
    assert found[-1].finish == "stop"


async def test_a_half_that_stays_alone_is_shown_as_unreadable() -> None:
    cut_off = await said(Delta("x\udc00y"), Delta("end\ud83d"))
    assert "".join(delta.text for delta in cut_off) == "x\ufffdyend\ufffd"
    ended = await said(Delta("end\ud83d"), Delta(finish="stop"))
    assert [delta.text for delta in ended] == ["end", "\ufffd"]


async def test_calls_of_tools_are_mended_too() -> None:
    (found,) = await said(Delta(finish="stop", tool_calls=(ToolCall("1", "f", '"\ud800"'),)))
    assert found.tool_calls == (ToolCall("1", "f", '"\ufffd"'),)


def test_a_name_of_bytes_that_are_no_text_can_be_written() -> None:
    assert whole_text(b"caf\xe9.txt".decode("utf-8", "surrogateescape")) == "caf\ufffd.txt"


@pytest.mark.parametrize(
    ("given", "count"),
    [(3, 3), (0, 0), (-1, None), (2**60, None), ("3", None), (True, None), (1.5, None), ({}, None)],
)
def test_a_count_of_tokens_is_a_number_or_not_known(given: object, count: int | None) -> None:
    assert count_of(given) == count
