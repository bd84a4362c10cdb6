"""Files as a person attaches them: read by what they hold, refused with the reason."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from PIL import Image

from chatty_desktop.domain.attachments import AttachedFile
from chatty_desktop.domain.errors import Invalid
from chatty_desktop.providers.attaching import LARGEST_FILE, LARGEST_TEXT, LONGEST_SIDE, Attaching
from tests.helpers.attached import image_bytes, pdf_bytes


async def attached(folder: Path, name: str, data: bytes) -> AttachedFile:
    file = folder / name
    file.write_bytes(data)
    return await Attaching().file(file)


@pytest.mark.parametrize(
    ("name", "data", "text"),
    [
        ("notes.md", b"# Kyoto", "# Kyoto"),
        ("Makefile", b"all:\n\techo", "all:\n\techo"),
        ("odd.png", b"not a picture at all", "not a picture at all"),
        ("bom.csv", "\ufeffa,b".encode(), "a,b"),
        ("wide.txt", "Grüße".encode("utf-16"), "Grüße"),
        ("old.txt", "Grüße".encode("cp1252"), "Grüße"),
        ("bm.txt", b"BM is how this begins", "BM is how this begins"),
    ],
)
async def test_what_decodes_is_a_text_whatever_its_name(
    tmp_path: Path, name: str, data: bytes, text: str
) -> None:
    file = await attached(tmp_path, name, data)
    assert file.data == data
    assert (file.about.name, file.about.size) == (name, len(data))
    assert (file.about.excerpt, file.about.chars) == (text, len(text))
    assert not file.about.is_image


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "GIF", "WEBP", "BMP"])
async def test_every_kind_of_image_is_kept_as_one_that_servers_take(
    tmp_path: Path, kind: str
) -> None:
    file = await attached(tmp_path, "picture.dat", image_bytes(kind))
    assert file.about.media_type in ("image/png", "image/jpeg")
    with Image.open(io.BytesIO(file.data)) as image:
        assert image.size == (file.about.width, file.about.height) == (40, 20)


async def test_a_large_photo_is_turned_upright_scaled_down_and_keeps_no_marks(
    tmp_path: Path,
) -> None:
    data = image_bytes("JPEG", (4000, 1000), orientation=6)
    file = await attached(tmp_path, "photo.jpg", data)
    assert (file.about.width, file.about.height) == (LONGEST_SIDE // 4, LONGEST_SIDE)
    assert b"Maker of cameras" in data
    assert b"Maker of cameras" not in file.data


async def test_a_pdf_gives_its_text(tmp_path: Path) -> None:
    data = pdf_bytes("Kyoto in May")
    file = await attached(tmp_path, "trip.pdf", data)
    assert file.text is not None
    assert "Kyoto in May" in file.text
    assert (file.data, file.about.media_type) == (data, "application/pdf")
    assert file.about.excerpt == file.text


@pytest.mark.parametrize(
    ("name", "data", "reason"),
    [
        ("empty.txt", b"", "is empty"),
        ("tool.exe", b"MZ\0\0\x01\x02" * 20, "neither text, PDF nor an image"),
        ("cut.png", image_bytes()[:40], "is damaged"),
        ("bomb.bmp", b"BM\0\0", "is damaged"),
        ("broken.pdf", b"%PDF-1.4\nnothing of the kind", "is damaged"),
        ("scan.pdf", pdf_bytes(""), "holds no text"),
        ("long.txt", b"a" * (LARGEST_TEXT + 1), "too large for a text"),
    ],
)
async def test_what_cannot_be_attached_says_why(
    tmp_path: Path, name: str, data: bytes, reason: str
) -> None:
    with pytest.raises(Invalid, match=reason) as told:
        await attached(tmp_path, name, data)
    assert name in str(told.value)


async def test_folders_missing_files_and_huge_ones_are_refused_before_they_are_read(
    tmp_path: Path,
) -> None:
    with pytest.raises(Invalid, match="is a folder"):
        await Attaching().file(tmp_path)
    with pytest.raises(Invalid, match="is not there"):
        await Attaching().file(tmp_path / "gone.txt")
    huge = tmp_path / "huge.bin"
    with huge.open("wb") as file:
        file.truncate(LARGEST_FILE + 1)
    with pytest.raises(Invalid, match="is too large"):
        await Attaching().file(huge)
