"""What a passage holds and gives, and which sentence says what a thing is."""

from __future__ import annotations

import pytest

from vta.kinds import Kind
from vta.units import UnitKind, defines, gives, split_units


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
        (Kind.TIME, "The exam is on Monday.", True),
        (Kind.TIME, "It opens at 9:30.", True),
        (Kind.TIME, "You have two weeks.", True),
        (Kind.TIME, "作业在第 3 周的周五截止。", True),
        (Kind.TIME, "提交后 7 天内", True),
        (Kind.TIME, "期末考试不能补交。", False),
        (Kind.AMOUNT, "There are six quizzes.", True),
    ],
)
def test_a_passage_gives_what_its_words_or_units_show(kind: Kind, passage: str, given: bool) -> None:
    assert gives(kind, passage) is given


@pytest.mark.parametrize("names", [("prop", "propagation"), ("propagation", "prop")])
def test_of_several_names_the_longest_counts_whatever_their_order(names: tuple[str, ...]) -> None:
    """A short name is no end of a longer one."""
    assert defines(names, "Propagation computes the slopes.")


@pytest.mark.parametrize("line", ["and goes on", "**that goes on**"])
def test_a_line_that_goes_on_with_an_item_belongs_to_the_list(line: str) -> None:
    """Without an indentation too, as CommonMark has it."""
    steps = f"- one item\n{line}\n- another\n{line}"
    assert list(split_units(f"{steps}\n\nEnd.")) == [
        (UnitKind.LIST, steps),
        (UnitKind.SENTENCE, "\n\nEnd."),
    ]


@pytest.mark.parametrize("after", ["# Heading", "> said", "```\nx\n```", "| a |\n|---|\n| b |", "$$x$$"])
def test_another_block_ends_a_list(after: str) -> None:
    assert next(iter(split_units(f"- one\n- two\n{after}"))) == (UnitKind.LIST, "- one\n- two")


def test_a_single_item_is_no_list() -> None:
    assert [kind for kind, _ in split_units("1. A title\nand its text")] == [UnitKind.SENTENCE]
