"""Facts that the files of a course state are proposed, and ordinary sentences with a date are not."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest
from course_facts import fact

from services.facts.proposals import propose
from vta.types.courses import CourseId, PairId
from vta.types.facts import CourseFacts, Fact
from vta.types.pairs import QAPair, Source

TODAY = date(2026, 11, 1)


def proposed(text: str, *known: str) -> list[tuple[str, str, str, str]]:
    """Kind, name, begin and end of what a passage states."""
    return [(each.kind.value, each.name, each.begins, each.ends) for each in stated(text, *known)]


def stated(
    text: str, *known: str, accepted: tuple[Fact, ...] = (), dismissed: tuple[str, ...] = ()
) -> list[Fact]:
    """The facts that a passage states."""
    pair = QAPair(
        id=PairId("p"),
        course_id=CourseId("c"),
        source=Source.MATERIAL,
        question="s",
        answer=text,
        document="s.md",
    )
    rows = tuple(fact("exam", name, begins="2026-10-12") for name in known)
    facts = CourseFacts(facts=(*rows, *accepted), dismissed=dismissed)
    return [each.fact for each in propose([pair], facts, TODAY)]


@pytest.mark.parametrize(
    ("line", "stated"),
    [
        ("Midterm: Oct 12, 10:00", ("exam", "Midterm", "2026-10-12T10:00", "")),
        ("| 3 | Loops | HW 2 | 2026-10-19 |", ("deadline", "HW 2", "2026-10-19", "")),
        (
            "**Final exam**: Tuesday, December 15th, 9:00 am - 11:00 am",
            ("exam", "Final exam", "2026-12-15T09:00", "11:00"),
        ),
        (
            "The project report is due on 12 January 2027 at 18:00.",
            ("deadline", "Project report", "2027-01-12T18:00", ""),
        ),
        ("作业3截止时间：12月4日 23:59", ("deadline", "作业3", "2026-12-04T23:59", "")),
        ("期中考试：2026年11月11日（周三）14:00-16:00", ("exam", "期中考试", "2026-11-11T14:00", "16:00")),
        ("Final exam Dec 4, 2026, 14:00 / 9:00", ("exam", "Final exam", "2026-12-04T14:00", "")),
    ],
)
def test_a_line_with_a_name_and_a_date_is_proposed(line: str, stated: tuple[str, str, str, str]) -> None:
    """A day without a year is the nearest one; a second time that is no later is no end."""
    assert proposed(line) == [stated]


@pytest.mark.parametrize("line", [
    "The battle was on 12 October 1492.", "World Bank. Annual Report. Accessed April 1, 2015.",
    "Homework is fun. See 2026-01-01", "Homework from Oct 12 to Oct 19", "HW 2 | soon |", "Midterm: Feb 31",
])  # fmt: skip
def test_other_lines_are_not(line: str) -> None:
    """A sentence, two dates, none, or no day of any year."""
    assert proposed(line) == []


def test_what_is_known_is_not_proposed_again() -> None:
    """By kind and name, whatever its date."""
    assert proposed("Midterm: Oct 12\nMidterm: Oct 13") == [("exam", "Midterm", "2026-10-12", "")]
    assert proposed("Midterm: Oct 12", "midterm") == []


def test_what_was_dismissed_is_not_proposed_again() -> None:
    """Another date of the same name is."""
    (first,) = stated("Midterm: Oct 12")
    assert stated("Midterm: Oct 12", dismissed=(first.id,)) == []
    assert stated("Midterm: Oct 13", dismissed=(first.id,)) != []


def test_what_was_accepted_is_not_proposed_again_under_another_name() -> None:
    """Accepted once more it would overwrite what was written since."""
    (first,) = stated("Midterm: Oct 12")
    assert stated("Midterm: Oct 12", accepted=(replace(first, name="Test", place="Hall A"),)) == []
