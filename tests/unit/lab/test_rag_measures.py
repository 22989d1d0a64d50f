"""The four measures of RAGAS from given verdicts, and verdicts by words, by hand."""

from __future__ import annotations

import pytest

from lab.measures.overlap import WordOverlap
from lab.measures.rag import answer_relevancy, context_precision, share_supported
from vta.text import Analyser

OVERLAP = WordOverlap(Analyser())
STACK = (
    "Stack\nA stack is a list that grows and shrinks at one end, the top. Push and pop take constant time."
)
QUEUE = "Queue\nA queue grows at the rear and shrinks at the front."


def test_the_supported_share_of_statements():
    """|V| / |S|; without a statement it has no value."""
    assert share_supported([True, False, True, True]) == 0.75
    assert share_supported([False]) == 0.0
    assert share_supported([]) is None


@pytest.mark.parametrize(
    ("useful", "value"),
    [
        ([True], 1.0),
        ([True, False], 1.0),
        ([False, True], 0.5),
        ([True, False, True], (1 / 1 + 2 / 3) / 2),
        ([False, True, True, False], (1 / 2 + 2 / 3) / 2),
        ([False, False], 0.0),
        ([], 0.0),
    ],
)
def test_context_precision_weighs_ranks(useful, value):
    """Precision@k at each useful rank, over the number of useful passages."""
    assert context_precision(useful) == pytest.approx(value)


def test_an_evasive_answer_is_not_relevant():
    """Else it is the mean similarity; without a generated question nothing is shown, so 0."""
    assert answer_relevancy([0.5, 1.0, 0.9], noncommittal=False) == pytest.approx(0.8)
    assert answer_relevancy([1.0], noncommittal=True) == 0.0
    assert answer_relevancy([], noncommittal=False) == 0.0


def test_claims_are_sentences_with_enough_to_say():
    """Questions, headings and short sentences are none; marks are not words of them."""
    text = "# Stacks\n\nA stack grows and shrinks at the top [1]. Yes. Why does push take constant time? "
    (claim,) = OVERLAP.claims(text)
    assert claim == {"stack", "grow", "shrink", "top"}


def test_a_short_text_is_one_claim():
    """So that a short reference counts; a text without words makes none."""
    assert OVERLAP.claims("On Friday.") == [{"friday"}]
    assert OVERLAP.claims(" \n") == []
    assert OVERLAP.claims("Really?") == []


def test_a_claim_needs_one_passage_that_holds_enough_of_it():
    """Words spread over two passages do not add up."""
    claims = OVERLAP.claims("A stack grows and shrinks at the top. Printers sort jobs with purple elephants.")
    assert OVERLAP.held(claims, [QUEUE, STACK]) == [True, False]
    assert OVERLAP.held(claims, []) == [False, False]
    five = OVERLAP.claims("alpha beta gamma delta epsilon")
    assert OVERLAP.held(five, ["alpha beta"]) == [True]  # 2 of 5 are 0.4
    assert OVERLAP.held(five, ["alpha", "beta gamma delta"[:4]]) == [False]


def test_chinese_claims_are_held_however_the_text_is_cut():
    """As in the check of answers."""
    claims = OVERLAP.claims("栈只在一端插入和删除元素。")
    assert OVERLAP.held(claims, ["栈是只允许在同一端插入和删除元素的线性表。"]) == [True]
    assert OVERLAP.held(claims, ["今天天气很好。"]) == [False]


def test_coverage_and_similarity_of_texts():
    """The share of the question's content words, and the cosine of counts."""
    assert OVERLAP.coverage("What is a stack?", STACK) == 1.0
    assert OVERLAP.coverage("stack elephants", STACK) == 0.5
    assert OVERLAP.coverage("？", STACK) == 0.0
    assert OVERLAP.similarity("stack top", "stack top") == pytest.approx(1.0)
    assert OVERLAP.similarity("stack top", "stack rear") == pytest.approx(0.5)
    assert OVERLAP.similarity("stack", "") == 0.0
