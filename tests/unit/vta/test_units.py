"""What a passage holds and gives, and which sentence says what a thing is."""

from __future__ import annotations

import pytest

from vta.kinds import Kind
from vta.units import gives


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
