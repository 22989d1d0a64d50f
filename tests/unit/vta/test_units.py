"""What a passage holds and gives, and which sentence says what a thing is."""

from __future__ import annotations

import pytest

from vta.kinds import Kind
from vta.units import UnitKind, gives, split_units


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
