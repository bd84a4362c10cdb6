"""Room on the disk, and files that are whole or not there."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from chatty_desktop.domain.errors import StorageFailed
from chatty_desktop.storage.disk import files_below, require_room, scratch_file, whole_file


def test_too_little_room_is_told_with_how_much_is_wanted_and_where(tmp_path: Path) -> None:
    require_room(tmp_path, 1, "The backup")
    with pytest.raises(StorageFailed, match=r"needs about 9,000,000,020 MB in .+are free"):
        require_room(tmp_path, 9 * 10**15, "The backup")


def test_a_file_takes_its_name_only_when_all_of_it_is_written(tmp_path: Path) -> None:
    target = tmp_path / "file"
    target.write_text("old")
    with whole_file(target) as partial:
        partial.write_text("new")
        assert target.read_text() == "old"
    assert target.read_text() == "new"

    def fail() -> None:
        with whole_file(target) as partial:
            partial.write_text("half")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert target.read_text() == "new"
    assert [each.name for each in tmp_path.iterdir()] == ["file"]


def test_trouble_with_the_disk_is_told_with_the_name_of_the_file(tmp_path: Path) -> None:
    with (
        pytest.raises(StorageFailed, match=r"file could not be written: .+ unharmed"),
        whole_file(tmp_path / "no folder" / "file") as partial,
    ):
        partial.write_text("new")


def test_a_scratch_file_is_gone_at_the_end_written_or_not(tmp_path: Path) -> None:
    with scratch_file(tmp_path / "file") as scratch:
        scratch.write_text("x")
    with scratch_file(tmp_path / "file"):
        pass
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(os.name == "nt", reason="links want rights there")
def test_files_are_counted_once_and_links_are_not_followed(tmp_path: Path) -> None:
    (tmp_path / "in" / "deep").mkdir(parents=True)
    (tmp_path / "in" / "deep" / "a").write_bytes(b"x" * 10)
    (tmp_path / "in" / "b").write_bytes(b"x" * 5)
    (tmp_path / "in" / "round").symlink_to(tmp_path / "in")
    sizes = sorted(known.st_size for known in files_below(tmp_path / "in"))
    assert sizes[:2] == [5, 10]
    assert len(sizes) == 3
    assert list(files_below(tmp_path / "no folder")) == []
