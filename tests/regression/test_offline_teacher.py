"""Without a language model, readers of a real book get cited answers, and a plain no where there is none."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import offline_teacher
from services.settings import Settings
from services.wiring import build_platform
from vta.languages import Language

ROOT = Path(__file__).parents[2]
BOOK = ROOT.parent / "shared" / "data" / "hello_algo"


@pytest.mark.skipif(not BOOK.is_dir(), reason="real data not proven: ../shared/data/hello_algo is absent")
def test_what_the_book_answers_is_taught_with_sources_and_some_of_the_rest_is_not(tmp_path):
    """Left so: at most 15 % of the fully answerable, 20 % or more of the rest; ROUGE within 0.02.

    The goal for the unanswerable, 60 %, is missed: docs/measured.md.
    """
    platform = build_platform(Settings(home=tmp_path))
    asked = [each for language in Language for each in offline_teacher.ask_book(platform, BOOK, language)]
    platform.close()
    figures = offline_teacher.measure(asked, "both")
    assert figures.asked == {"full": 26, "partial": 20, "no": 16}
    assert figures.refused["no"] >= 0.20 * figures.asked["no"]
    assert figures.refused["full"] <= 0.15 * figures.asked["full"]
    assert figures.cited == figures.answered
    taught = figures.rouge_of_answered
    assert taught["offline teacher"] == pytest.approx((0.252, 0.061, 0.151), abs=0.02)
