"""FAQ and material that disagree are found, and what only looks alike is not."""

from __future__ import annotations

import factories as make
import pytest

from vta.dialogue.conflict import ConflictFinder, is_negated, read_values
from vta.text import Analyser
from vta.types.pairs import Candidate, Source

FINDER = ConflictFinder(Analyser())
DUE = ("When is the homework due?", "Homework is due every Sunday at 23:59.")
LATE = ("Are late reports accepted?", "Late reports are not accepted after the exam.")
ZH_DUE = ("作业什么时候截止？", "作业每周日 23:59 截止。")
PASS = ("期末考试多少分及格？", "期末考试 60 分及格。")


def candidate(source: Source, question: str, answer: str, score: float = 0.5) -> Candidate:
    return make.candidate(make.pair(question, answer, id=f"{source}{answer}", source=source), score)


def find(asked: str, faq: tuple[str, str], passage: str, *, score: float = 0.5) -> str | None:
    known = [candidate(Source.MATERIAL, "Notes", passage, score), candidate(Source.FAQ, *faq)]
    found = FINDER.find(asked, known, floor=0.1)
    return found and found.difference


@pytest.mark.parametrize(
    ("faq", "passage", "difference"),
    [
        (DUE, "Welcome! Homework is due every Saturday at 23:59. Good luck.", "weekday: 7 against 6"),
        (DUE, "The homework is due every Sunday at 18:00.", "time: 23:59 against 18:00"),
        (LATE, "Late reports are accepted after the exam.", "one says it, the other denies it"),
        (("How long is the exam?", "The exam takes 90 minutes."), "The exam takes 120 minutes.",
         "minut: 90 against 120"),
        (("When is the exam?", "The exam is on June 5."), "The exam is on June 8.", "june: 5 against 8"),
        (ZH_DUE, "欢迎！作业每周六 23:59 截止。", "weekday: 7 against 6"),
        (ZH_DUE, "作業每星期六截止。", "weekday: 7 against 6"),
        (
            ("When is the exam?", "The exam is on Monday, June 5, at 10:00."),
            "The exam is on Tuesday, June 6, at 14:00.",
            "june: 5 against 6",
        ),
        (PASS, "期末考试 50 分及格。", "分: 60 against 50"),
        (("实验报告可以补交吗？", "实验报告截止后可以补交。"), "实验报告截止后不可以补交。",
         "one says it, the other denies it"),
        (("补考有几次？", "补考有两次。"), "补考有三次。", "次: 2 against 3"),
    ],
)  # fmt: skip
def test_unlike_values_or_a_negation_about_the_same_are_a_conflict(
    faq: tuple[str, str], passage: str, difference: str
) -> None:
    assert find(faq[0], faq, passage) == difference


@pytest.mark.parametrize(
    ("asked", "faq", "passage"),
    [
        (DUE[0], DUE, "Homework is due every Sunday at 23:59."),
        (DUE[0], DUE, "Is the homework due every Saturday at 23:59?"),
        (DUE[0], DUE, "Homework is due every $6$ days, every Saturday."),
        (
            "How many parameters has a layer?",
            (
                "How many parameters has a layer?",
                "A layer from 784 inputs to 10 neurons has 7850 parameters.",
            ),
            "A layer from 20 inputs to 5 neurons has 105 parameters.",
        ),
        (DUE[0], DUE, "Lectures take place every Monday at 10:15."),
        (DUE[0], DUE, "Late homework that is handed in on Monday loses 10 points per day."),
        ("What is a queue?", DUE, "Homework is due every Saturday at 23:59."),
        (LATE[0], LATE, "Reports are read by two tutors."),
        (PASS[0], PASS, "平时作业 50 分，考勤 10 分。"),
        (ZH_DUE[0], ZH_DUE, "每周六有一次答疑，不用预约。"),
        (ZH_DUE[0], ZH_DUE, "作业每星期天23:59截止，没有例外。"),
    ],
)
def test_agreement_other_subjects_and_other_questions_are_no_conflict(
    asked: str, faq: tuple[str, str], passage: str
) -> None:
    assert find(asked, faq, passage) is None


def test_a_pair_below_the_floor_conflicts_with_nothing() -> None:
    passage = "Homework is due every Saturday at 23:59."
    assert find(DUE[0], DUE, passage, score=0.1) is not None
    assert find(DUE[0], DUE, passage, score=0.09) is None


def test_the_sentence_that_disagrees_is_told_with_both_sources() -> None:
    passage = candidate(Source.MATERIAL, "Notes", "Hello. The homework is due every Saturday. Bye.")
    faq = candidate(Source.FAQ, *DUE)
    found = FINDER.find(DUE[0], [faq, passage], floor=0.1)
    assert found is not None
    assert (found.faq, found.material) == (faq, passage)
    assert found.sentence == "The homework is due every Saturday."


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("Sunday at 23:59", {"weekday": {"7"}, "time": {"23:59"}}),
        ("星期天、周三", {"weekday": {"7", "3"}}),
        ("20 % or 20% of 3.5 points", {"%": {"20"}, "point": {"3.5"}}),
        ("June 5, 5 June", {"june": {"5"}}),
        ("6月5日，共三天", {"月": {"6"}, "日": {"5"}, "天": {"3"}}),
        ("第三章", {}),
        ("no number", {}),
    ],
)
def test_values_are_read_with_their_units(text: str, values: dict[str, set[str]]) -> None:
    assert dict(read_values(text)) == values


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
