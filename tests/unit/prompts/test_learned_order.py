"""The learned order of passages: the arithmetic of the trees, and what it does with what a course holds."""

from __future__ import annotations

import factories as make
import numpy as np
import pytest

from vta.dialogue.teaching.asked import Asked
from vta.dialogue.teaching.choosing import Chooser
from vta.dialogue.teaching.order import FEATURES, shipped_trees
from vta.scoring import Trees
from vta.text import Analyser
from vta.types.pairs import Candidate

EXERCISE = "1. What is a heap? 2. How deep is a heap of seven nodes? 3. Which node of a heap is the largest?"
TEXT = (
    "A heap is a binary tree in which every node is at least as large as its children. So the largest "
    "value stands at the root, and it is found in constant time."
)
ASIDE = "Schedulers keep their jobs by urgency. Some use a heap for this, others a sorted list."


def passage(id: str, heading: str, text: str) -> Candidate:
    return make.candidate(make.passage(text, heading, id=id), relevance=0.5)


def first(question: str, *candidates: Candidate) -> str:
    chooser = Chooser(Asked(question, candidates, analyser=Analyser()), candidates)
    return candidates[chooser.order[0] - 1].pair.id


def test_a_row_goes_left_where_its_feature_is_at_most_the_threshold() -> None:
    """Two trees: a stump on the first feature, and a constant."""
    trees = Trees(
        feature=np.zeros((2, 3), dtype=np.int16),
        threshold=np.array([[0.5, np.inf, np.inf], [np.inf] * 3], dtype=np.float32),
        left=np.array([[1, 1, 2], [0, 1, 2]], dtype=np.int16),
        right=np.array([[2, 1, 2], [0, 1, 2]], dtype=np.int16),
        value=np.array([[0, -1, 2], [0.25, 0, 0]], dtype=np.float32),
        depth=np.array(1),
    )
    rows = np.array([[0.4], [0.5], [0.6]], dtype=np.float32)
    assert trees.scores(rows).tolist() == [-0.75, -0.75, 2.25]


def test_the_shipped_trees_ask_for_features_that_are_there_and_end_in_leaves() -> None:
    trees = shipped_trees()
    assert 0 <= trees.feature.min() <= trees.feature.max() < len(FEATURES)
    at = np.zeros(len(trees.value), dtype=int)
    every = np.arange(len(at))
    for _ in range(int(trees.depth)):
        at = trees.left[every, at]
    assert (trees.left[every, at] == at).all()
    assert (trees.right[every, at] == at).all()


@pytest.mark.parametrize("swapped", [False, True])
def test_what_teaches_goes_before_exercises_and_asides(swapped: bool) -> None:
    """Wherever the search placed them."""
    teaches = passage("teaches", "Heap", TEXT)
    for other in (passage("exercise", "Self-check", EXERCISE), passage("aside", "Schedulers", ASIDE)):
        pair = (other, teaches) if swapped else (teaches, other)
        assert first("What is a heap?", *pair) == "teaches"


def test_no_candidates_have_no_order() -> None:
    assert Chooser(Asked("heap", (), analyser=Analyser()), ()).order == ()
