"""Citation recall and precision of benchmarks/citations.py, as in ALCE."""

from __future__ import annotations

import pytest
from citations import Cited, measure

ONE, TWO, BOTH = frozenset({1}), frozenset({2}), frozenset({1, 2})


@pytest.mark.parametrize(
    ("cited", "support", "recall", "precision"),
    [
        ((1,), (ONE,), 1.0, 1.0),
        ((2,), (ONE,), 0.0, 0.0),
        ((), (ONE,), 0.0, None),
        ((1, 2), (ONE,), 1.0, 0.5),
        ((1, 2), (ONE, TWO), 1.0, 1.0),
        ((1, 2), (BOTH,), 1.0, 1.0),
        ((1,), (BOTH,), 0.0, 0.0),
        ((1,), (), 0.0, 0.0),
    ],
)
def test_a_citation_counts_where_its_claim_is_supported_and_needs_it(
    cited: tuple[int, ...], support: tuple[frozenset[int], ...], recall: float, precision: float | None
) -> None:
    found = measure([Cited(cited=cited, support=support)])
    assert (found["recall"], found["precision"]) == (recall, precision)


def test_claims_that_are_marked_are_told_apart() -> None:
    claims = [Cited(cited=(1,), support=(ONE,)), Cited(cited=(), support=(), marked=True)]
    found = measure(claims)
    assert (found["recall"], found["recall_of_those_not_marked"]) == (0.5, 1.0)
    assert found["marked_without_support"] == "1 of 1"
