"""What of attached files goes into a request, and what memory sees of them."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from chatty_desktop.domain.attachments import (
    IMAGE_TOKENS,
    SHORTEST_PART,
    AttachmentBudget,
    in_full,
    read_attachments,
    share_tokens,
    shares,
    told,
    write_attachments,
)
from tests.helpers.attached import image_file, text_file

LONG = text_file("long.txt", "word " * 4_000)


def test_files_come_back_from_their_row() -> None:
    files = (text_file().about, image_file('od"d.png').about)
    assert read_attachments(write_attachments(files)) == files
    assert read_attachments(write_attachments(())) == ()


def test_a_text_is_fenced_under_its_name_by_more_marks_than_it_holds() -> None:
    file = text_file("readme.md", "```py\nx = 1\n```")
    said = in_full("Look:", [file.about], [15], {file.about.digest: "```py\nx = 1\n```"})
    assert said == "Look:\n\nFile: readme.md\n````md\n```py\nx = 1\n```\n````"


def test_the_newest_files_come_first_and_what_is_cut_says_so() -> None:
    budget = AttachmentBudget(tokens=LONG.about.tokens + 10)
    kept = shares([("old", [LONG.about]), ("new", [LONG.about])], budget)
    assert kept["new"] == (LONG.about.chars,)
    assert kept["old"] == (SHORTEST_PART,)
    said = in_full("", [LONG.about], kept["old"], {LONG.about.digest: LONG.data.decode()})
    assert "[… 19800 of 20000 characters left out here …]" in said
    assert said.startswith("File: long.txt\n```txt\nword ")


def test_images_past_the_budget_are_named_and_none_goes_to_a_model_that_sees_none() -> None:
    photo = image_file().about
    said = [(str(number), [photo]) for number in range(12)]
    kept = shares(said, AttachmentBudget.within(100_000))
    assert [kept[str(number)] for number in range(12)] == [(0,)] * 4 + [(1,)] * 8
    blind = shares(said, AttachmentBudget.within(100_000, sees_images=False))
    assert set(blind.values()) == {(0,)}
    assert in_full("Hi", [photo], (0,), {}) == "Hi\n\n[Image photo.png, 40 × 20: not shown here.]"
    assert in_full("Hi", [photo], (1,), {}) == "Hi"
    assert share_tokens([photo], (1,)) == IMAGE_TOKENS


@given(st.lists(st.integers(0, 50_000), max_size=8), st.integers(0, 6_000))
def test_what_goes_along_of_texts_keeps_to_its_budget(lengths: list[int], tokens: int) -> None:
    files = [replace(LONG.about, chars=chars) for chars in lengths]
    kept = shares([("m", files)], AttachmentBudget(tokens=tokens))["m"]
    assert all(0 <= share <= file.chars for file, share in zip(files, kept, strict=True))
    least = len(files) * (SHORTEST_PART // 3 + 10)
    assert share_tokens(files, kept) <= tokens + least


def test_memory_reads_the_name_and_the_beginning_of_a_file_and_never_an_image() -> None:
    said = told("See this", [LONG.about, image_file().about])
    assert said.startswith("See this\n[Attached file long.txt: word word")
    assert said.endswith(" …]\n[Attached image photo.png]")
    assert len(said) < 1_200
