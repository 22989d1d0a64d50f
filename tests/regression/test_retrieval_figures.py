"""Real sets are ranked no worse than docs/measured.md tells."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from lab.evaluation.faq_folds import ask_folds, read_asked
from lab.evaluation.faq_report import report_folds
from lab.evaluation.retrieval_sets import find_sets, measure_set

LARGE = 1000
DATA = Path(__file__).parents[2].parent / "shared" / "data"
absent = pytest.mark.skipif(
    not (DATA / "ir").is_dir(), reason="real data not proven: ../shared/data is absent"
)


@absent
@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "ndcg", "hit"),
    [
        ("ir/stard_reduced", 0.46, 0.36),
        ("ir/boolq_dev", 0.78, 0.66),
        ("ir/cmrc2018_dev", 0.98, 0.96),
    ],
)
def test_judged_documents_are_found(name, ndcg, hit):
    """nDCG@10 and hit@1 with the shipped defaults, by every fourth question of a large set."""
    (given,) = find_sets(DATA / name)
    every = 4 if len(given.queries) > LARGE else 1
    found = measure_set(replace(given, queries=given.queries[::every]))
    assert found.ndcg_at_10.mean >= ndcg
    assert found.hit_at_1.mean >= hit


@absent
@pytest.mark.slow
def test_readers_of_a_book_are_led_to_the_page():
    """hit@1 over the judged questions of each language.

    With the learned order Chinese is at 0.897, English at 0.793, where S alone has 0.897; its goal of 0.88 is
    missed.
    """
    found = {given.language: measure_set(given).hit_at_1.mean for given in find_sets(DATA / "hello_algo")}
    assert found["zh"] >= 0.85
    assert found["en"] >= 0.78


@absent
@pytest.mark.slow
def test_repeated_questions_get_the_answer_of_the_faq():
    """ROUGE over the folds of the sessions, and the shipped beta keeps its error of 10 %."""
    report = report_folds(ask_folds(read_asked(DATA / "vta" / "qa_dev.jsonl")), max_error=0.1, seed=0)
    best, shipped = report["best_answer"], report["direct_at_shipped_beta"]
    assert isinstance(best, dict)
    assert isinstance(shipped, dict)
    assert best["rouge_1"] >= 0.46
    assert best["rouge_2"] >= 0.40
    assert best["rouge_l"] >= 0.45
    assert shipped["error"] <= 0.10
    assert shipped["coverage"] >= 0.45
