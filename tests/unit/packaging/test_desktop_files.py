"""What desktops show of the app: icons, the menu entry, the store's page; and the package of it."""

from __future__ import annotations

import configparser
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ET
from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image, ImageChops, ImageStat

import chatty_desktop

ROOT = Path(__file__).parents[3]
ICONS = ROOT / "packaging" / "icons"
LINUX = ROOT / "packaging" / "linux"
ENTRY = LINUX / "chatty-desktop.desktop"
METAINFO = LINUX / "chatty-desktop.metainfo.xml"


def need(program: str, package: str) -> str:
    found = shutil.which(program)
    if found is None:
        pytest.skip(f"{program} is not here (Debian's {package})")
    return found


def run(*command: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, timeout=100, check=False
    )


# --- icons -----------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [16, 22, 24, 32, 48, 64, 96, 128, 256, 512])
def test_there_is_a_picture_of_every_size(size: int) -> None:
    with Image.open(ICONS / f"chatty-desktop-{size}.png") as picture:
        assert picture.size == (size, size)
        alpha = picture.convert("RGBA").getchannel("A")
    assert alpha.getextrema() == (0, 255)  # see-through at the corners, and drawn within


def test_windows_and_macos_find_their_sizes_in_one_file_each() -> None:
    with Image.open(ICONS / "chatty-desktop.ico") as ico:
        assert {(16, 16), (32, 32), (48, 48), (256, 256)} <= ico.info["sizes"]
    with Image.open(ICONS / "chatty-desktop.icns") as icns:
        assert {(16, 16, 1), (128, 128, 1), (512, 512, 2)} <= set(icns.info["sizes"])
        icns.load()


def test_the_pictures_are_those_of_the_svg() -> None:
    drawn = (
        "import sys; sys.path.insert(0, 'packaging'); import icons\n"
        "application = icons.QGuiApplication(['-platform', 'offscreen'])\n"
        "sys.stdout.buffer.write(icons.png(128))"
    )
    done = subprocess.run(
        [sys.executable, "-c", drawn], cwd=ROOT, capture_output=True, timeout=100, check=True
    )
    file = ICONS / "chatty-desktop-128.png"
    with Image.open(BytesIO(done.stdout)) as now, Image.open(file) as kept:
        difference = ImageChops.difference(now.convert("RGBA"), kept.convert("RGBA"))
    assert max(ImageStat.Stat(difference).mean) < 2


# --- the menu entry and the store's page -----------------------------------------------------


def test_the_menu_entry_is_valid() -> None:
    done = run(need("desktop-file-validate", "desktop-file-utils"), ENTRY)
    assert (done.returncode, done.stdout) == (0, "")


def test_the_metainfo_is_valid() -> None:
    done = run(need("appstreamcli", "appstream"), "validate", "--no-net", METAINFO)
    assert done.returncode == 0, done.stdout


def test_the_menu_entry_and_the_metainfo_name_the_window_as_it_names_itself() -> None:
    entry = configparser.ConfigParser(interpolation=None)
    entry.read(ENTRY, "utf-8")
    named = entry["Desktop Entry"]
    desktop = (ROOT / "chatty_desktop" / "ui" / "desktop.py").read_text("utf-8")
    assert f'setDesktopFileName("{named["StartupWMClass"]}")' in desktop
    assert (named["Exec"], named["Icon"]) == ("chatty-desktop", "chatty-desktop")
    metainfo = ET.parse(METAINFO).getroot()
    assert metainfo.findtext("launchable") == ENTRY.name


def test_the_metainfo_tells_of_this_version() -> None:
    releases = ET.parse(METAINFO).getroot().findall("releases/release")
    assert releases[0].get("version") == chatty_desktop.__version__


# --- the package -----------------------------------------------------------------------------


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A package of a bundle that is a small script."""
    need("dpkg-deb", "dpkg")
    for name in ("packaging", "resources/icons", "chatty_desktop/__init__.py", "CHANGELOG.md"):
        place = tmp_path / name
        place.parent.mkdir(exist_ok=True)
        source = ROOT / name
        shutil.copytree(source, place) if source.is_dir() else shutil.copy(source, place)
    bundle = tmp_path / "dist" / "chatty-desktop"
    (bundle / "_internal").mkdir(parents=True)
    (bundle / "_internal" / "libxcb-cursor.so.0").write_text("a library")
    (bundle / "LICENCES.txt").write_text("The MIT licence")
    (bundle / "chatty-desktop").write_text("#!/bin/sh\necho started\n")
    (bundle / "chatty-desktop").chmod(0o755)
    done = run(sys.executable, tmp_path / "packaging" / "linux" / "deb.py")
    assert done.returncode == 0, done.stderr
    return next((tmp_path / "dist").glob("*.deb"))


def test_the_package_has_the_program_its_icons_its_entry_and_its_licences(
    package: Path, tmp_path: Path
) -> None:
    there = tmp_path / "installed"
    assert run("dpkg-deb", "-x", package, there).returncode == 0
    usr = there / "usr"
    assert run(usr / "bin" / "chatty-desktop").stdout == "started\n"
    assert (usr / "share" / "applications" / ENTRY.name).read_text() == ENTRY.read_text()
    assert (usr / "share" / "metainfo" / METAINFO.name).is_file()
    assert (usr / "share" / "doc" / "chatty-desktop" / "copyright").is_file()
    icons = usr / "share" / "icons" / "hicolor"
    assert (icons / "scalable" / "apps" / "chatty-desktop.svg").is_file()
    assert len(list(icons.glob("*x*/apps/chatty-desktop.png"))) == 10


def test_the_package_depends_on_what_the_bundle_leaves_to_the_system(package: Path) -> None:
    depends = run("dpkg-deb", "-f", package, "Depends").stdout
    assert "libc6 (>= " in depends and "libegl1" in depends and "libstdc++6" in depends
    assert "libxcb-cursor0" not in depends  # it is in the bundle
    assert run("dpkg-deb", "-f", package, "Version").stdout.strip() == chatty_desktop.__version__


def test_without_a_bundle_it_is_said_how_to_make_one(tmp_path: Path) -> None:
    (tmp_path / "packaging" / "linux").mkdir(parents=True)
    (tmp_path / "chatty_desktop").mkdir()
    shutil.copy(ROOT / "chatty_desktop" / "__init__.py", tmp_path / "chatty_desktop")
    shutil.copy(LINUX / "deb.py", tmp_path / "packaging" / "linux")
    done = run(sys.executable, tmp_path / "packaging" / "linux" / "deb.py")
    assert done.returncode == 1
    assert "make bundle" in done.stderr
