"""Written dialogues: follow-ups get their concept, and questions that stand alone are left as they are."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

from prompts.follow_up import RuleFollowUp

ROOT = Path(__file__).parents[2]
TOLERANCE = 0.02


def load_benchmark() -> ModuleType:
    """benchmarks/follow_ups.py as a module."""
    spec = importlib.util.spec_from_file_location("follow_ups_benchmark", ROOT / "benchmarks/follow_ups.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


BENCHMARK = load_benchmark()


def test_the_set_holds_as_many_chinese_as_english_dialogues():
    """60 follow-ups and 60 others a language, each with an id of its own."""
    dialogues = BENCHMARK.read_dialogues()
    counts = [
        sum(d.language == language and bool(d.wanted) is follows for d in dialogues)
        for language in ("zh", "en")
        for follows in (True, False)
    ]
    assert counts == [60, 60, 60, 60]
    assert len({dialogue.id for dialogue in dialogues}) == 240


@pytest.mark.parametrize(
    ("language", "recovered", "unchanged"), [("zh", 0.867, 1.0), ("en", 0.950, 1.0), ("both", 0.908, 1.0)]
)
def test_the_rules_recover_concepts_and_leave_other_questions_alone(language, recovered, unchanged):
    """The measured shares within the tolerance, and never below 85 % and 98 %."""
    figures = BENCHMARK.measure(BENCHMARK.read_dialogues(), RuleFollowUp(), language=language, half="all")
    assert figures.recovered_share == pytest.approx(recovered, abs=TOLERANCE)
    assert figures.unchanged_share == pytest.approx(unchanged, abs=TOLERANCE)
    assert figures.recovered_share >= 0.85
    assert figures.unchanged_share >= 0.98
