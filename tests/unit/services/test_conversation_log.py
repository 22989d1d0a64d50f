"""The conversation log on a generated month: a figure's questions are as many as the figure says."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime
from pathlib import Path

import month_of_use as month
import pytest
from clocks import SetClock
from sql_stores import new_stores

from services.analytics.service import AnalyticsDesk, Days
from services.learners.conversations import list_conversations, open_conversation
from services.settings import Settings
from services.stores import Stores
from vta.analytics.facts import Mark, SessionEnding
from vta.analytics.report import Report
from vta.analytics.selection import QuestionOutcome, Selection
from vta.errors import NotFound
from vta.languages import Language
from vta.types.courses import Course, CourseId, TurnId

COURSE = CourseId("ds")
CLOCK = SetClock(datetime(2025, 3, 31, 12, tzinfo=UTC))
MARCH = Days(first=date(2025, 3, 1), last=date(2025, 3, 31))


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stores]:
    opened = new_stores(tmp_path_factory.mktemp("month"), clock=CLOCK)
    opened.courses.add(Course(id=COURSE, name="Data", domains=("cs",), language=Language.EN))
    month.store(opened.engine, COURSE, list(month.generate(seed=20250301, turns=2000)), {})
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def report(source: Stores, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Report]:
    desk = AnalyticsDesk(source, Settings(home=Path(tmp_path_factory.mktemp("home"))), CLOCK)
    yield desk.fresh(COURSE, MARCH)
    desk.close()


def questions(source: Stores, selection: Selection) -> int:
    return list_conversations(source, COURSE, MARCH, selection).questions


def test_every_figure_has_as_many_questions_as_it_says(source: Stores, report: Report) -> None:
    """Routes, ratings, marks, concepts, places and top questions; endings count conversations."""
    assert questions(source, Selection()) == report.questions
    for cells, select in (
        (report.routes, lambda name: Selection(outcome=QuestionOutcome(name))),
        (report.ratings, lambda name: Selection(outcome=QuestionOutcome(name))),
        (report.marks, lambda name: Selection(mark=Mark(name))),
    ):
        for cell in cells:
            if not cell.hidden:
                assert questions(source, select(cell.name)) == cell.count, cell
    for cell in report.endings:
        found = list_conversations(source, COURSE, MARCH, Selection(ending=SessionEnding(cell.name)))
        assert len(found.conversations) == (cell.count or 0)
    for concept in report.concepts_asked:
        assert questions(source, Selection(concept=concept.concept)) == concept.count
    for place in report.places[:5]:
        assert questions(source, Selection(video=place.video, start_s=place.start_s)) == place.count
    for top in report.top_questions[:3]:
        assert questions(source, Selection(alike=top.question)) == top.count
    latency = report.latency
    assert latency
    assert 0.4 < questions(source, Selection(slower_ms=latency.p50)) / (report.questions or 0) < 0.6


def test_conversations_are_listed_with_the_latest_first(source: Stores) -> None:
    """No name tells a session or learner."""
    listed = list_conversations(source, COURSE, MARCH, Selection()).conversations
    times = [each.last.asked_at for each in listed]
    assert times == sorted(times, reverse=True)
    for each in listed:
        assert each.name.lower() not in f"{each.last.session_id} {each.last.learner}"


def test_a_conversation_opens_only_on_days_of_enough_people(source: Stores) -> None:
    """A turn of these days, and not where it was asked on others or hardly anybody asked."""
    listed = list_conversations(source, COURSE, MARCH, Selection()).conversations[0]
    with pytest.raises(NotFound):
        open_conversation(
            source, COURSE, Days(first=MARCH.first, last=MARCH.first), TurnId(listed.last.turn_id)
        )
    with pytest.raises(NotFound):
        open_conversation(source, COURSE, MARCH, TurnId("no such turn"))
