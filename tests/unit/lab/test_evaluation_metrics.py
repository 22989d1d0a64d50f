"""Metrics, ROUGE and intervals against values worked out by hand, and calibration."""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lab.evaluation.calibration import Trial, calibrate, learn_alpha, upper_bound
from lab.measures.intervals import bootstrap_interval
from lab.measures.metrics import hit_at, ndcg_at, reciprocal_rank
from lab.measures.rouge import rouge
from vta.errors import InvalidInput

RANKED = ["a", "b", "c", "d"]
tokens = st.lists(st.sampled_from("abcd"), max_size=8)


def test_hit_and_reciprocal_rank_by_hand():
    """The first relevant document stands third; a grade of 0 is not relevant."""
    grades = {"c": 1, "a": 0}
    assert hit_at(2, RANKED, grades) == 0.0
    assert hit_at(3, RANKED, grades) == 1.0
    assert reciprocal_rank(RANKED, grades) == pytest.approx(1 / 3)
    assert reciprocal_rank(RANKED, {"z": 2}) == 0.0


def test_ndcg_by_hand():
    """Grades 1 and 2 at ranks 2 and 3: (1/log2 3 + 3/log2 4) over the best order (3/log2 2 + 1/log2 3)."""
    expected = (1 / math.log2(3) + 3 / 2) / (3 + 1 / math.log2(3))
    assert ndcg_at(10, RANKED, {"b": 1, "c": 2}) == pytest.approx(expected)
    assert ndcg_at(1, RANKED, {"b": 1, "c": 2}) == 0.0
    with pytest.raises(ValueError, match="nothing is judged"):
        ndcg_at(10, RANKED, {"a": 0})


@given(
    st.permutations("abcdef"), st.dictionaries(st.sampled_from("abcdefxyz"), st.integers(1, 3), min_size=1)
)
def test_ndcg_is_a_share_and_one_for_the_best_order(ranked, grades):
    """nDCG lies in 0..1 and is 1 where the documents come by falling grade."""
    assert 0.0 <= ndcg_at(10, ranked, grades) <= 1.0 + 1e-12
    best = sorted(grades, key=lambda name: -grades[name])
    assert ndcg_at(10, best, grades) == pytest.approx(1.0)


def test_rouge_by_hand():
    """Of a b c d and a c b: 3 common words of 4 and 3, no common pair, longest common sequence of 2."""
    found = rouge("a b c d".split(), "a c b".split())
    assert found.rouge_1 == pytest.approx(6 / 7)
    assert found.rouge_2 == 0.0
    assert found.rouge_l == pytest.approx(4 / 7)
    repeated = rouge("a a a".split(), "a a".split())
    assert (repeated.rouge_1, repeated.rouge_2) == (pytest.approx(4 / 5), pytest.approx(2 / 3))


@given(tokens, tokens)
def test_rouge_is_symmetric_and_whole_only_for_itself(one, other):
    """F1 is the same both ways; ROUGE-L is 1 exactly for equal texts, and at most ROUGE-1."""
    assert rouge(one, other) == rouge(other, one)
    assert rouge(one, other).rouge_l <= rouge(one, other).rouge_1
    assert (rouge(one, other).rouge_l == 1.0) == (one == other and bool(one))


def test_the_clopper_pearson_bound_is_that_of_its_closed_forms():
    """No error of n: 1 - delta^(1/n); all errors but one of n: (1 - delta)^(1/n); all errors: 1."""
    assert upper_bound(0, 59, delta=0.05) == pytest.approx(1 - 0.05 ** (1 / 59), abs=1e-9)
    assert upper_bound(9, 10, delta=0.05) == pytest.approx(0.95 ** (1 / 10), abs=1e-9)
    assert upper_bound(10, 10, delta=0.05) == 1.0
    assert upper_bound(0, 58, delta=0.05) > 0.05 > upper_bound(0, 59, delta=0.05)


def test_the_bootstrap_holds_the_mean_and_follows_its_seed():
    """The interval of a constant is a point; the same seed gives the same interval."""
    assert bootstrap_interval([0.5] * 7, seed=0) == (0.5, 0.5)
    values = [0.0, 1.0] * 50
    low, high = bootstrap_interval(values, seed=3)
    assert (low, high) == bootstrap_interval(values, seed=3)
    assert 0.38 < low < 0.5 < high < 0.62


def trial(score: float | None, right: bool, h: float = 0.0) -> Trial:
    return Trial(score=score, right=right, answerable=True, chit_chat=h)


def test_beta_parts_right_answers_from_wrong_ones():
    """Where answers above 0.5 are right and those below wrong, beta lies near 0.5 and keeps its bound."""
    trials = [trial(0.5 + n / 1000, True) for n in range(1, 301)]
    trials += [trial(0.5 - n / 1000, False) for n in range(300)]
    learned = calibrate(trials, max_error=0.05, alpha=0.5)
    assert 0.45 < learned.beta < 0.6
    assert learned.error_upper_bound <= 0.05
    assert learned.coverage == learned.direct / 600
    betas = [point.beta for point in learned.curve]
    assert betas == sorted(betas, reverse=True)
    coverages = [point.coverage for point in learned.curve]
    assert coverages == sorted(coverages)


def test_too_little_data_is_refused_with_what_is_needed():
    """Twenty right answers cannot promise 5 %; the message says how many direct answers could."""
    with pytest.raises(InvalidInput, match=r"20 labelled questions give 20 direct answers.*at least 90"):
        calibrate([trial(n / 20, True) for n in range(20)], max_error=0.05, alpha=0.5)
    with pytest.raises(InvalidInput, match="no beta keeps the error"):
        calibrate([trial(n / 400, n % 2 == 0) for n in range(400)], max_error=0.05, alpha=0.5)
    with pytest.raises(InvalidInput, match="max-error"):
        calibrate([], max_error=1.0, alpha=0.5)


def test_the_promise_is_kept_on_questions_never_seen():
    """Over 200 draws of labelled questions the true error of the learned beta exceeds the wish in few."""
    chance = random.Random(5)
    broken = 0
    for _ in range(200):
        scores = [chance.random() for _ in range(300)]
        trials = [trial(score, chance.random() < min(1.0, 0.5 + score)) for score in scores]
        try:
            beta = calibrate(trials, max_error=0.15, alpha=0.5).beta
        except InvalidInput:
            continue
        wrong = max(0.0, 0.5 - beta) ** 2 / 2 / (1 - beta)  # the mean of 0.5 - s over s above beta
        broken += wrong > 0.15
    assert broken <= 20


def test_alpha_loses_at_most_two_percent_of_real_questions():
    """Alpha rises until at most 2 of 100 questions lie above it, and never falls below the given one."""
    trials = [trial(None, True, h=n / 100) for n in range(100)]
    assert learn_alpha(trials, 0.5) == 0.97
    assert sum(t.chit_chat > 0.97 for t in trials) == 2
    assert learn_alpha([trial(None, True, h=0.1)] * 100, 0.5) == 0.5
    assert learn_alpha([], 0.5) == 0.5
