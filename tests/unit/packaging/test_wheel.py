"""What is built holds everything the installed app needs."""

from __future__ import annotations

import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built("wheel", tmp_path_factory.mktemp("wheel"))


def built(kind: str, folder: Path) -> Path:
    """The one file of a wheel or an sdist, built into an empty folder."""
    done = subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", kind, "-d", str(folder)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=50,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    (file,) = folder.iterdir()
    return file


def test_the_wheel_holds_every_resource_and_the_licence(wheel: Path) -> None:
    inside = zipfile.ZipFile(wheel).namelist()
    files = [path for path in (ROOT / "resources").rglob("*") if path.is_file()]
    resources = {path.relative_to(ROOT).as_posix() for path in files}
    assert {f"chatty_desktop/{name}" for name in resources} <= set(inside)
    assert any(name.endswith("licenses/LICENSE") for name in inside)
    assert not any(name.startswith("tests/") for name in inside)


def test_the_sdist_holds_all_that_the_commands_need_and_nothing_that_they_made(
    tmp_path: Path,
) -> None:
    with tarfile.open(built("sdist", tmp_path)) as inside:
        names = {name.partition("/")[2] for name in inside.getnames()}
    kept = ("resources", "packaging", "tests", "chatty_desktop")
    files = [path for folder in kept for path in (ROOT / folder).rglob("*") if path.is_file()]
    ours = {path.relative_to(ROOT).as_posix() for path in files if "__pycache__" not in path.parts}
    assert ours | {"Makefile", "LICENSE", "README.md", ".ci/run"} <= names
    assert not [name for name in names if name.startswith(("dist/", "build/", ".venv"))]


def test_the_installed_app_finds_its_resources_inside_the_package(
    wheel: Path, tmp_path: Path
) -> None:
    zipfile.ZipFile(wheel).extractall(tmp_path)
    code = (
        f"import sys; sys.path.insert(0, {str(tmp_path)!r})\n"
        "from chatty_desktop.paths import resources_folder\n"
        "print(resources_folder(), len(list(resources_folder().glob('prompts/*.md'))) > 0)"
    )
    printed = subprocess.run(
        [sys.executable, "-P", "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path
    ).stdout
    assert printed.split() == [str(tmp_path / "chatty_desktop" / "resources"), "True"]


def test_an_install_for_development_is_the_checkout_and_nothing_else(tmp_path: Path) -> None:
    code = f"import hatchling.build; print(hatchling.build.build_editable({str(tmp_path)!r}))"
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, check=True)
    inside = zipfile.ZipFile(next(tmp_path.glob("*.whl"))).namelist()
    code_or_data = [name for name in inside if ".dist-info/" not in name]
    assert code_or_data == ["_chatty_desktop.pth"]
