"""Which waiting questions are one group, and which are only proposed as one."""

from __future__ import annotations

import pytest

from knowledge.vectors.token_table import shipped_encoder
from services.questions.grouping import QuestionGrouping, is_negated

GROUPING = QuestionGrouping(shipped_encoder())


def grouped(*questions: str) -> list[list[str]]:
    numbers = GROUPING.groups(tuple((each, None) for each in questions))
    return [[questions[number] for number in group] for group in numbers]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Can I hand in homework late?", "can we hand in the homework late"),
        ("What are the topics of the course?", "what are the course topics"),
        ("什么是二叉树？", "二叉树是什么"),
    ],
)
def test_a_question_in_other_small_words_is_in_its_group(one: str, other: str) -> None:
    assert grouped(one, other) == [[one, other]]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Can I get an extension for hw 2?", "Can I get an extension for hw 3?"),
        ("When is problem set 4 due?", "When is problem set 5 due?"),
        ("第三次作业什么时候交", "第四次作业什么时候交"),
        ("Can I use numpy?", "Can I not use numpy?"),
        ("考试可以带计算器吗", "考试不可以带计算器吗"),
        ("When are Prof. Lee's office hours?", "When are Prof. Kim's office hours?"),
        ("When is the midterm?", "Where is the midterm?"),
        ("What is overfitting?", "What is underfitting?"),
        ("Why do we need the p-value?", "Is the p-value on the exam?"),
    ],
)
def test_a_number_a_negation_a_name_or_another_question_makes_another_group(one: str, other: str) -> None:
    assert grouped(one, other) == [[one], [other]]


def test_only_each_others_nearest_are_proposed() -> None:
    """A third that is near one of two is not, until one of the two is kept apart."""
    asked = ["Do you drop the lowest quiz?", "When is the midterm?", "Why is my kernel dead?"]
    asked += ["I bombed quiz 1, does the lowest one get dropped?", "Is the lowest quiz grade dropped?"]
    assert GROUPING.mutual(asked, range(5), []) == [4, None, None, None, 0]
    assert GROUPING.mutual(asked, range(5), [4]) == [3, None, None, 0, None]
    assert GROUPING.mutual([], [], []) == []


def test_without_an_encoder_the_words_decide() -> None:
    plain = QuestionGrouping(None)
    asked = (("What is a stack?", None), ("what is a stack", None), ("What is the stack?", None))
    assert plain.groups(asked) == ((0, 1), (2,))
    assert plain.mutual([text for text, _ in asked], [1, 2], []) == [None, None]


def test_what_a_ta_named_is_one_group_and_draws_its_wordings() -> None:
    """Each question of a named group does, and the rest is grouped as ever."""
    asked = (
        ("What is a heap?", None),
        ("Is soup good?", "x"),
        ("Do trees bloom?", "x"),
        ("do the trees bloom", None),
    )
    assert GROUPING.groups(asked) == ((0,), (1, 2, 3))


@pytest.mark.parametrize(
    ("text", "negated"),
    [
        ("It is not late", True), ("It isn't late", True), ("never", True), ("cannot do without", False),
        ("notes", False), ("不可以", True), ("没有", True), ("不同的", False), ("未来", False),
        ("不是没有", False),
    ],
)  # fmt: skip
def test_a_negation_denies_and_two_do_not(text: str, negated: bool) -> None:
    assert is_negated(text) is negated
