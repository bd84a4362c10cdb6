"""One exact version of every package, and no address of where packages come from."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from importlib.metadata import PackageNotFoundError, requires
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[3]


def _pins() -> list[Requirement]:
    lines = (ROOT / "packaging" / "constraints.txt").read_text("utf-8").splitlines()
    return [Requirement(line) for line in lines if line and not line.startswith("#")]


def _asked_for() -> list[Requirement]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    lists = [project["dependencies"], *project["optional-dependencies"].values()]
    return [Requirement(line) for part in lists for line in part]


def _applies(requirement: Requirement, extras: Iterable[str]) -> bool:
    marker = requirement.marker
    return marker is None or any(marker.evaluate({"extra": extra}) for extra in ("", *extras))


def test_every_pin_is_one_exact_version_without_an_address() -> None:
    for pin in _pins():
        assert pin.url is None, pin
        assert re.fullmatch(r"==[\w.]+", str(pin.specifier)), pin


def test_no_package_is_pinned_twice_for_one_machine() -> None:
    here = [canonicalize_name(pin.name) for pin in _pins() if _applies(pin, ())]
    assert len(set(here)) == len(here)


def test_what_the_project_asks_for_is_pinned_to_a_version_it_allows() -> None:
    pins = {canonicalize_name(pin.name): pin for pin in _pins() if _applies(pin, ())}
    for asked in _asked_for():
        pinned = str(pins[canonicalize_name(asked.name)].specifier).removeprefix("==")
        assert asked.specifier.contains(pinned, prereleases=True), asked


def test_what_those_packages_need_in_turn_is_pinned_too() -> None:
    pinned = {canonicalize_name(pin.name) for pin in _pins()}
    waiting = [requirement for requirement in _asked_for() if _applies(requirement, ())]
    seen: set[tuple[str, frozenset[str]]] = set()
    missing: set[str] = set()
    while waiting:
        requirement = waiting.pop()
        name = canonicalize_name(requirement.name)
        key = (name, frozenset(requirement.extras))
        if key in seen:
            continue
        seen.add(key)
        if name not in pinned:
            missing.add(name)
        try:
            lines = requires(name) or []
        except PackageNotFoundError:
            continue  # an extra that this environment was made without
        below = [Requirement(line) for line in lines]
        waiting += [each for each in below if _applies(each, requirement.extras)]
    assert not missing
    assert len(seen) > 40
