"""What is built holds everything the installed app needs."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    done = subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=50,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return next(folder.glob("*.whl"))


def test_the_wheel_holds_every_resource_and_the_licence(wheel: Path) -> None:
    inside = zipfile.ZipFile(wheel).namelist()
    resources = [path for path in (ROOT / "resources").rglob("*") if path.is_file()]
    assert resources
    for path in resources:
        assert f"chatty_desktop/resources/{path.relative_to(ROOT / 'resources')}" in inside
    assert any(name.endswith("licenses/LICENSE") for name in inside)
    assert not any(name.startswith("tests/") for name in inside)


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
