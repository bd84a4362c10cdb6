"""Packs the bundle in dist into a package for Debian and Ubuntu, dist/chatty-desktop_….deb.

    python packaging/linux/deb.py

It needs dpkg-deb alone. What the app writes lies in each person's home; nothing of it is in the
package, and removing the package leaves nothing else behind.
"""

from __future__ import annotations

import gzip
import hashlib
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from chatty_desktop import __version__  # noqa: E402

NAME = "chatty-desktop"
BUNDLE = ROOT / "dist" / NAME
TREE = ROOT / "build" / "deb"
PACKAGING = ROOT / "packaging"

CONTROL = """Package: {name}
Version: {version}
Architecture: {architecture}
Maintainer: The Chatty Desktop authors <chatty-desktop@localhost>
Installed-Size: {kilobytes}
Depends: {depends}
Suggests: gnome-keyring | kwalletmanager
Section: utils
Priority: optional
Description: chat with language models and see what they remember
 Chat with language models on your own computer, and decide, see and correct
 what they remember. A small model comes with the app, so it works without an
 account and without a network. Ollama and every server that speaks the OpenAI
 protocol plug in.
"""


def main() -> int:
    """Lay the files out and pack them; the exit status."""
    if not (BUNDLE / NAME).is_file():
        print("There is no bundle in dist: make bundle.", file=sys.stderr)
        return 1
    if shutil.which("dpkg-deb") is None:
        print("There is no dpkg-deb here: Debian and Ubuntu have it.", file=sys.stderr)
        return 1
    architecture = _output("dpkg", "--print-architecture")
    lay_out()
    (TREE / "DEBIAN").mkdir()
    sums = "".join(f"{_md5(file)}  {file.relative_to(TREE)}\n" for file in _files())
    (TREE / "DEBIAN" / "md5sums").write_text(sums)
    control = CONTROL.format(
        name=NAME,
        version=__version__,
        architecture=architecture,
        kilobytes=sum(file.stat().st_size for file in _files()) // 1024,
        depends=", ".join(depends()),
    )
    (TREE / "DEBIAN" / "control").write_text(control)
    package = ROOT / "dist" / f"{NAME}_{__version__}_{architecture}.deb"
    command = ["dpkg-deb", "--root-owner-group", "-Zzstd", "-z6", "--build", TREE, package]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    shutil.rmtree(TREE)
    print(f"{package}, {package.stat().st_size / 1e6:.0f} MB")
    return 0


def lay_out() -> None:
    """The files where they will lie, in TREE."""
    shutil.rmtree(TREE, ignore_errors=True)
    share = TREE / "usr" / "share"
    # Hard links: no second copy of a gigabyte.
    shutil.copytree(
        BUNDLE,
        TREE / "usr" / "lib" / NAME,
        symlinks=True,
        copy_function=os.link,  # type: ignore[arg-type]
    )
    (TREE / "usr" / "bin").mkdir()
    (TREE / "usr" / "bin" / NAME).symlink_to(f"../lib/{NAME}/{NAME}")
    linux, icons = PACKAGING / "linux", PACKAGING / "icons"
    _put(linux / f"{NAME}.desktop", share / "applications")
    _put(linux / f"{NAME}.metainfo.xml", share / "metainfo")
    for picture in icons.glob("*.png"):
        pixels = picture.stem.rpartition("-")[2]
        folder = share / "icons" / "hicolor" / f"{pixels}x{pixels}" / "apps"
        _put(picture, folder, f"{NAME}.png")
    scalable = share / "icons" / "hicolor" / "scalable" / "apps"
    _put(ROOT / "resources" / "icons" / f"{NAME}.svg", scalable)
    _put(BUNDLE / "LICENCES.txt", share / "doc" / NAME, "copyright")
    changes = gzip.compress((ROOT / "CHANGELOG.md").read_bytes(), 9, mtime=0)
    (share / "doc" / NAME / "changelog.gz").write_bytes(changes)
    for folder, _, _ in os.walk(TREE):
        Path(folder).chmod(0o755)


def depends() -> list[str]:
    """The packages of the libraries that the bundle leaves to the system."""
    script = (PACKAGING / "qt-libraries.sh").read_text("utf-8")
    listed = re.search(r"^libraries='\n(.*?)'", script, re.M | re.S)
    pairs = [line.split() for line in (listed[1].splitlines() if listed else [])]
    brought = {file.name for file in (BUNDLE / "_internal").iterdir()}
    libc = os.confstr("CS_GNU_LIBC_VERSION") or ""
    packages = sorted({package for library, package in pairs if library not in brought})
    return [f"libc6 (>= {libc.removeprefix('glibc ')})", *map(_either, packages)]


def _either(package: str) -> str:
    """Some packages got another name when their time stamps grew to 64 bit."""
    return f"{package}t64 | {package}" if package == "libglib2.0-0" else package


def _put(file: Path, folder: Path, name: str = "") -> None:
    folder.mkdir(parents=True, exist_ok=True)
    place = folder / (name or file.name)
    shutil.copyfile(file, place)
    place.chmod(0o644)


def _files() -> list[Path]:
    found = [file for file in TREE.rglob("*") if file.is_file() and not file.is_symlink()]
    return sorted(file for file in found if file.parts[len(TREE.parts)] != "DEBIAN")


def _md5(file: Path) -> str:
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "md5").hexdigest()


def _output(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


if __name__ == "__main__":
    sys.exit(main())
