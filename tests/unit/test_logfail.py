"""The net under every test holds: what logs, warns or is forgotten does not pass."""

from __future__ import annotations

from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

TESTS = """
import logging, threading
import pytest

log = logging.getLogger("app.part")

def test_warning():
    log.warning("the disk is full")

def test_error_from_a_thread():
    thread = threading.Thread(target=log.error, args=("lost",))
    thread.start()
    thread.join()

@pytest.fixture
def noisy():
    yield
    log.warning("too late")

def test_warning_after_the_test(noisy):
    pass

def test_coroutine_nobody_awaits():
    async def forgotten():
        pass
    forgotten()

@pytest.mark.expected_log("disk .* full")
def test_another_warning_than_expected():
    log.warning("the disk is slow")

@pytest.mark.expected_log("app.part: the disk is full")
def test_expected_is_fine():
    log.warning("the disk is full")

def test_info_is_fine():
    log.info("all is well")
"""


def test_what_no_test_expects_fails_it(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    pytester.makepyfile(TESTS)
    pytester.makeini("[pytest]\nmarkers = expected_log(pattern)\nfilterwarnings = error\n")
    result = pytester.runpytest_subprocess("-p", "tests.helpers.logfail", "-p", "no:asyncio", "-rA")
    result.assert_outcomes(passed=3, failed=4, errors=1)
    for line in (
        "PASSED *::test_expected_is_fine",
        "PASSED *::test_info_is_fine",
        "ERROR *::test_warning_after_the_test*",
        "FAILED *::test_coroutine_nobody_awaits*",
        "FAILED *::test_error_from_a_thread*",
    ):
        result.stdout.fnmatch_lines_random([line])
