"""Two courses' facts, written for tests, and a moment to ask at."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from vta.types.facts import CourseFacts, Fact, FactKind

NOW = datetime(2026, 11, 28, 10, 0, tzinfo=UTC)


def fact(kind: str, name: str, **more: Any) -> Fact:
    """A fact, whose id is its name and beginning."""
    return Fact(id=f"{name}{more.get('weekday', '')}", kind=FactKind(kind), name=name, **more)


ENGLISH = CourseFacts(
    time_zone="Europe/Berlin",
    facts=(
        fact("deadline", "Homework 2", begins="2026-11-25T23:59"),
        fact("deadline", "Homework 3", begins="2026-12-04T23:59"),
        fact("deadline", "Project report", begins="2027-01-15"),
        fact("exam", "Midterm", begins="2026-11-10T10:00", ends="12:00", place="Hall A"),
        fact("exam", "Final exam", begins="2026-12-15T09:00", ends="11:00", place="Hall B"),
        fact("exam", "Quiz 2", begins="2026-12-02T10:00"),
        fact("lecture", "Lecture", begins="10:15", ends="11:45", weekday=1, place="Room 204"),
        fact("lecture", "Lecture", begins="10:15", ends="11:45", weekday=3, place="Room 204"),
        fact("office_hour", "Office hours of Ada Park", begins="14:00", weekday=2, place="Room 12"),
        fact("person", "Ada Park", note="instructor, ada.park@uni.example"),
        fact("person", "Ben Ito", note="teaching assistant, ben@uni.example"),
        fact("grading", "Grading", note="Homework counts 40%, the midterm 20% and the final exam 40%."),
        fact("late", "Late work", note="Late homework loses 10% a day, for three days at most."),
        fact("collaboration_ai", "Working together", note="Discuss homework; AI tools may explain only."),
        fact("room", "Hall A", place="Main building, ground floor"),
        fact("link", "Zoom", link="https://zoom.example/1"),
    ),
)
CHINESE = CourseFacts(
    time_zone="Asia/Shanghai",
    facts=(
        fact("deadline", "作业 3", begins="2026-12-04T23:59"),
        fact("exam", "期中考试", begins="2026-11-11T14:00", ends="16:00", place="二教 301"),
        fact("exam", "期末考试", begins="2027-01-12T09:00", place="一教 101"),
        fact("lecture", "上课", begins="08:00", weekday=2, place="三教 205"),
        fact("office_hour", "答疑", begins="15:00", ends="17:00", weekday=4, place="东楼"),
        fact("person", "李明", note="助教，li@uni.example"),
        fact("grading", "成绩构成", note="作业占 30%，期末占 70%。"),
        fact("late", "迟交", note="每迟交一天扣 10%，最多三天。"),
        fact("collaboration_ai", "合作与 AI", note="可以讨论；AI 工具只能帮助理解。"),
        fact("link", "腾讯会议", link="https://meeting.example/1"),
    ),
)
