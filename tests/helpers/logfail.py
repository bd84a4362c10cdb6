"""A warning or an error in the log that no test expected fails the test it came in."""

from __future__ import annotations

import logging
import re
from collections.abc import Generator, Iterator
from contextlib import contextmanager

import pytest


class Unexpected(logging.Handler):
    """Keeps the records of level WARNING and above that match none of the expected patterns.

    A pattern is searched for in `logger name: message`. Records are kept, not raised: an exception
    inside a handler would end up in whatever code was logging.
    """

    def __init__(self, expected: list[re.Pattern[str]]) -> None:
        super().__init__(logging.WARNING)
        self._expected = expected
        self.records: list[logging.LogRecord] = []

    def emit(self, record: logging.LogRecord) -> None:
        line = f"{record.name}: {record.getMessage()}"
        if not any(pattern.search(line) for pattern in self._expected):
            self.records.append(record)

    def report(self) -> str:
        """The kept records, a line each."""
        return "\n".join(
            f"  {record.levelname} {record.name}: {record.getMessage()}" for record in self.records
        )


@contextmanager
def _watch(item: pytest.Item) -> Iterator[None]:
    """Fail when the part of the test inside logs what the test does not expect."""
    expected = [re.compile(mark.args[0]) for mark in item.iter_markers("expected_log")]
    handler = Unexpected(expected)
    root = logging.getLogger()
    root.addHandler(handler)
    try:
        yield
    finally:
        root.removeHandler(handler)
    # Reached only when the test went well: its own failure says more than the log does.
    if handler.records:
        pytest.fail(f"The log has what no test expected:\n{handler.report()}", pytrace=False)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item: pytest.Item) -> Generator[None]:
    with _watch(item):
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None]:
    with _watch(item):
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item) -> Generator[None]:
    with _watch(item):
        return (yield)
