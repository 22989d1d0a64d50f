"""What a sentence claims, clause by clause, and what in the course speaks against it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vta.dialogue.claims.clauses import read_opposites, read_statement
from vta.dialogue.claims.contradiction import Contradiction, contradiction
from vta.dialogue.claims.values import counts_of, values_of
from vta.sentences import sentence_spans
from vta.text import Analyser, normalise

ANALYSER = Analyser()
HEAP = (
    "A heap is a complete tree. Removing the root takes O(log n) time. If the heap is empty, removal is an "
    "error. Building a heap bottom-up is faster than inserting the values one by one. A heap does not keep "
    "its leaves sorted. The swim step runs before the sink step. The array holds 31 values."
)
HEAP_ZH = (
    "堆是完全二叉树。删除堆顶需要 O(log n) 时间。如果堆是空的，删除就会出错。自底向上建堆比逐个插入快。"
    "堆的叶子不需要有序。数组里有 31 个元素。"
)


def fault(claim: str, passage: str, context: str = "") -> Contradiction | None:
    said = [read_statement(passage[start:end], ANALYSER) for start, end in sentence_spans(passage)]
    known = read_statement(context, ANALYSER).words
    return contradiction(read_statement(claim, ANALYSER), said, context=known)


@pytest.mark.parametrize(
    ("claim", "passage", "expected"),
    [
        ("Removing the root takes O(n) time.", HEAP, Contradiction.NUMBER),
        ("The array holds 13 values.", HEAP, Contradiction.NUMBER),
        ("A heap keeps its leaves sorted.", HEAP, Contradiction.NEGATION),
        ("A heap is not a complete tree.", HEAP, Contradiction.NEGATION),
        ("Removal from a heap is an error.", HEAP, Contradiction.CONDITION),
        (
            "Inserting the values one by one is faster than building a heap bottom-up.",
            HEAP,
            Contradiction.COMPARISON,
        ),
        (
            "Building a heap bottom-up is slower than inserting the values one by one.",
            HEAP,
            Contradiction.COMPARISON,
        ),
        ("The swim step runs after the sink step.", HEAP, Contradiction.COMPARISON),
        ("删除堆顶需要 O(1) 时间。", HEAP_ZH, Contradiction.NUMBER),
        ("数组里有 13 个元素。", HEAP_ZH, Contradiction.NUMBER),
        ("堆的叶子需要有序。", HEAP_ZH, Contradiction.NEGATION),
        ("堆不是完全二叉树。", HEAP_ZH, Contradiction.NEGATION),
        ("逐个插入比自底向上建堆快。", HEAP_ZH, Contradiction.COMPARISON),
        ("自底向上建堆比逐个插入慢。", HEAP_ZH, Contradiction.COMPARISON),
        (
            "Cooks season the soup at the stove, and waiters carry the plates to the table.",
            "Waiters season the soup at the stove, and cooks carry the plates to the table.",
            Contradiction.ROLES,
        ),
        ("队列是后进先出，栈是先进先出。", "栈是后进先出，队列是先进先出。", Contradiction.ROLES),
        ("Salt is important for slow bread.", "Salt is useless for slow bread.", Contradiction.POLARITY),
        ("Bread does not need salt.", "Salt is necessary for bread.", Contradiction.POLARITY),
        ("This dough is not harmful to the oven.", "This dough damages the oven.", Contradiction.POLARITY),
        ("加盐对面包有利。", "加盐对面包不利。", Contradiction.POLARITY),
        ("面团发酵时放出氧气。", "面团发酵时吸收氧气，烤的时候放出水汽。", Contradiction.POLARITY),
        ("发酵在烤箱里进行。", "面盆里进行发酵，烤箱里进行烘烤。", Contradiction.ROLES),
        (
            "If the rate is too small, the loss diverges.",
            "If the rate is too large, the loss diverges. If the rate is too small, training is slow.",
            Contradiction.COMPARISON,
        ),
    ],
)
def test_a_fault_is_found_though_the_words_are_those_of_the_course(
    claim: str, passage: str, expected: Contradiction
) -> None:
    assert fault(claim, passage) is expected


@pytest.mark.parametrize(
    ("claim", "passage"),
    [
        ("Inserting the values one by one is slower than building a heap bottom-up.", HEAP),
        ("Before the sink step, the swim step runs.", HEAP),
        ("The sink step runs after the swim step.", HEAP),
        ("If the heap is empty, removal is an error.", HEAP),
        ("It is not necessary that leaves are sorted, and a heap does not do that.", HEAP),
        ("逐个插入比自底向上建堆慢。", HEAP_ZH),
        ("空的堆不能删除。", HEAP_ZH),
        ("堆的叶子不必有序。", HEAP_ZH),
        ("Graphs may have cycles.", HEAP),
    ],
)
def test_the_same_in_other_words_is_no_fault(claim: str, passage: str) -> None:
    assert fault(claim, passage) is None


@pytest.mark.parametrize(
    ("text", "signs"),
    [
        ("it is useful", {1}),
        ("it is useless", {-1}),
        ("it is not useful", {-1}),
        ("it is not useless", {1}),
        ("对它有利", {1}),
        ("对它不利", {-1}),
        ("并非对它有利", {-1}),
        ("it is useful and useless", {0}),
    ],
)
def test_a_negation_turns_an_opposite_round(text: str, signs: set[int]) -> None:
    assert set(read_opposites(text)[1].values()) == signs


def test_a_condition_that_the_question_names_is_not_dropped() -> None:
    claim = "Removal from a heap is an error."
    assert fault(claim, HEAP, context="What if the heap is empty?") is None


@given(st.sampled_from([HEAP, HEAP_ZH]), st.data())
def test_no_sentence_speaks_against_the_passage_that_it_stands_in(passage: str, data: st.DataObject) -> None:
    start, end = data.draw(st.sampled_from(sentence_spans(passage)))
    assert fault(passage[start:end], passage) is None


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("O(n \\log n), O(n²) and $O(n^{2})$", {"growth": {"nlogn", "n2"}}),
        ("constant time", {"growth": {"1"}}),
        ("常数时间", {"growth": {"1"}}),
        ("2,000 flats at 3.5 %", {"number": {"2000", "3.5"}}),
        ("百分之六十", {"number": {"60"}}),
        ("on Sunday at 23:59", {"weekday": {"7"}, "number": {"23:59"}}),
        ("log2 n, x1, a 3x3 kernel", {}),
        ("no values", {}),
    ],
)
def test_values_are_read_by_their_kind(text: str, values: dict[str, set[str]]) -> None:
    assert {kind: set(found) for kind, found in values_of(normalise(text)).items()} == values


@pytest.mark.parametrize(
    ("text", "counts"), [("two ends", {"end": {"two"}}), ("栈的一端", {"端": {"一"}}), ("an end", {})]
)
def test_small_counts_are_read_by_what_they_count(text: str, counts: dict[str, set[str]]) -> None:
    assert {what: set(found) for what, found in counts_of(text).items()} == counts


def test_a_sentence_is_read_clause_by_clause() -> None:
    statement = read_statement(
        "If the loss is convex, every minimum is global, but it is not unique.", ANALYSER
    )
    assert [clause.is_premise for clause in statement.clauses] == [True, False, False]
    assert [bool(clause.denied) for clause in statement.clauses] == [False, False, True]
    assert statement.is_conditional
    (condition,) = statement.conditions
    assert condition.words == {"loss", "convex"}
    assert condition.then >= {"minimum", "global"}
