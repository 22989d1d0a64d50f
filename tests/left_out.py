"""Marks tests by what they need, and says at the end of a run what it left out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from importlib.util import find_spec
from typing import Protocol

import pytest

NEEDS = {
    "browser": "need a browser",
    "server": "need a server: Elasticsearch, PostgreSQL, Redis or a language model",
    "train": "train a model",
    "packaging": "build the wheel",
    "slow": "take more than ten seconds",
}
"""Marks of tests that the quick run leaves out; a test with several is counted under the first."""
_SERVERS = frozenset({"elasticsearch_url", "postgres_server", "redis_url"})
_KINDS = frozenset({"elasticsearch", "postgresql"})
_KEY = "left_out"


class Node(Protocol):
    """A worker of pytest-xdist that has ended."""

    workeroutput: dict[str, dict[str, int]]


def needs_libraries(*names: str) -> pytest.MarkDecorator:
    """A mark that skips where a library of the extra `train` is missing, without importing any of them."""
    missing = [name for name in names if find_spec(name) is None]
    return pytest.mark.skipif(bool(missing), reason=f"missing, install the extra `train`: {missing}")


def mark_needs(items: Sequence[pytest.Item]) -> None:
    """Mark tests by the fixtures that they use, so that nobody need remember it."""
    for item in items:
        fixtures = set(getattr(item, "fixturenames", ()))
        case = getattr(item, "callspec", None)
        kinds = {each for each in case.params.values() if isinstance(each, str)} if case else set()
        if "chromium" in fixtures:
            item.add_marker("browser")
        if fixtures & _SERVERS or kinds & _KINDS:
            item.add_marker("server")
        if "packaging" in item.path.parts:
            item.add_marker("packaging")


class LeftOut:
    """The plug-in that counts what was deselected, also where the tests run in several processes."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._counts: Counter[str] = Counter()

    def pytest_deselected(self, items: Sequence[pytest.Item]) -> None:
        self._counts.update(_need(item) for item in items)

    def pytest_sessionfinish(self) -> None:
        output = getattr(self._config, "workeroutput", None)
        if output is not None:
            output[_KEY] = dict(self._counts)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Node) -> None:
        told: dict[str, int] = getattr(node, "workeroutput", {}).get(_KEY, {})
        self._counts |= Counter(told)  # every worker leaves out the same tests

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if not self._counts or not self._config.option.markexpr:
            return
        terminalreporter.section(f"left out: {self._counts.total()} test cases")
        for need, words in {**NEEDS, "": "were not chosen"}.items():
            if self._counts[need]:
                terminalreporter.line(f"{self._counts[need]:5} {words}")
        terminalreporter.line("`make test-all` runs all of them.")


def _need(item: pytest.Item) -> str:
    return next((need for need in NEEDS if item.get_closest_marker(need)), "")
