"""The patterns of the readers of files and pages: none takes work that grows faster than the text."""

from __future__ import annotations

import importlib
import pkgutil
import re

import pytest
from pattern_attacks import attacks_on
from processor_time import cheapest

from knowledge import sources
from services import reading

SHORT, LONG = 2_000, 8_000
NOTICED_S = 0.01
"""Of a long text; what takes less is not compared."""
ANCHORED = {"dialects._FENCE", "inline_marks._SENTENCE_OPENS", "text._BULLET"}
"""They are matched at one place, not sought in a text."""


PATTERNS = {
    f"{module.name.rsplit('.', 1)[1]}.{name}": value
    for package in (sources, reading)
    for module in pkgutil.iter_modules(package.__path__, f"{package.__name__}.")
    for name, value in vars(importlib.import_module(module.name)).items()
    if isinstance(value, re.Pattern) and isinstance(value.pattern, str)
}


def grows_too_fast(pattern: re.Pattern[str]) -> list[str]:
    """Attacks of which four times the length are more than eight times the work."""

    def work(text: str) -> float:
        return cheapest(lambda: [None for _ in pattern.finditer(text)], enough=NOTICED_S)

    pairs = zip(attacks_on(pattern, SHORT), attacks_on(pattern, LONG), strict=True)
    return [short[:4] for short, long in pairs if (took := work(long)) > NOTICED_S and took > 8 * work(short)]


@pytest.mark.fault(case="T153")
@pytest.mark.parametrize("name", sorted(PATTERNS.keys() - ANCHORED))
def test_a_pattern_is_linear(name: str) -> None:
    assert grows_too_fast(PATTERNS[name]) == []


def test_a_quadratic_pattern_is_found() -> None:
    assert grows_too_fast(re.compile(r"<[^>]*>")) != []
    assert grows_too_fast(re.compile(r"<[^<>]*>")) == []
