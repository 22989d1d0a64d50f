"""What a passage holds and gives, and which sentence says what a thing is."""

from __future__ import annotations

import pytest

from vta.kinds import Kind
from vta.units import defines, gives, names_amount


@pytest.mark.parametrize(
    ("names", "sentence"),
    [
        (["stack"], "A stack is a list."),
        (["stack"], "A **stack** (LIFO) is a list."),
        (["Stack"], "Stacks are lists."),
        (["栈"], "栈是一种线性表。"),
        (["大O记号"], "大O记号（Big O）描述增长的上界。"),
        (["GDP"], "GDP (gross domestic product) measures what a country makes."),
    ],
)
def test_a_sentence_that_begins_with_the_name_and_says_what_it_is_defines_it(
    names: list[str], sentence: str
) -> None:
    assert defines(names, sentence)


@pytest.mark.parametrize(
    ("names", "sentence"),
    [
        (["stack"], "The top of a stack is fast."),
        (["stack"], "A stack is just like a pile."),
        (["stack"], "A stack is often faster."),
        (["Adam"], "Adam combines these ideas."),
        (["栈"], "用栈实现队列。"),
        (["C++"], "Stacks are lists."),
    ],
)
def test_other_sentences_define_nothing(names: list[str], sentence: str) -> None:
    assert not defines(names, sentence)


@pytest.mark.parametrize(
    ("kind", "passage", "given"),
    [
        (Kind.REASON, "It is fast because it is small.", True),
        (Kind.REASON, "It is fast.", False),
        (Kind.EXAMPLE, "例如一摞盘子。", True),
        (Kind.CODE, "```\nx\n```", True),
        (Kind.CODE, "no code", False),
        (Kind.FORMULA, "It reads $a = b$.", True),
        (Kind.MANNER, "- one\n- two", True),
        (Kind.DIFFERENCE, "| a | b |\n|---|---|\n| 1 | 2 |", True),
        (Kind.PERSON, "anything", True),
    ],
)
def test_a_passage_gives_what_its_words_or_units_show(kind: Kind, passage: str, given: bool) -> None:
    assert gives(kind, passage) is given


@pytest.mark.parametrize(
    ("sentence", "is_date"),
    [
        ("The exam is on Monday.", True),
        ("It opens at 9:30.", True),
        ("You have two weeks.", True),
        ("作业在第 3 周的周五截止。", True),
        ("提交后 7 天内", True),
        ("They learn for the exam for hours.", False),
        ("If the exam is hard, learn.", False),
        ("期末考试不能补交。", False),
    ],
)
def test_a_date_or_span_of_time_is_told_from_a_mere_condition(sentence: str, is_date: bool) -> None:
    assert names_amount(Kind.TIME, sentence) is is_date
    assert names_amount(Kind.AMOUNT, "There are six quizzes.")


@pytest.mark.parametrize("names", [("prop", "propagation"), ("propagation", "prop")])
def test_of_several_names_the_longest_counts_whatever_their_order(names: tuple[str, ...]) -> None:
    """A short name is no end of a longer one."""
    assert defines(names, "Propagation computes the slopes.")
