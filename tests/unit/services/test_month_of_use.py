"""The report and the conversation log of a generated month, against a count of its rows made here."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import month_of_use as month
import pytest
from clocks import SetClock
from sql_stores import new_stores

from services.analytics.service import AnalyticsService, Days
from services.learners.conversations import list_conversations, open_conversation
from services.settings import Settings
from services.stores import Stores
from vta.analytics.facts import Mark, SessionEnding
from vta.analytics.report import Report
from vta.analytics.selection import QuestionOutcome, Selection
from vta.errors import NotFound
from vta.languages import Language
from vta.types.courses import Course, CourseId, TurnId
from vta.types.language_model import ModelUsage

COURSE = CourseId("ds")
CLOCK = SetClock(datetime(2025, 3, 31, 12, tzinfo=UTC))
MARCH = Days(first=date(2025, 3, 1), last=date(2025, 3, 31))
Row = dict[str, Any]


@pytest.fixture(scope="module")
def rows() -> list[Row]:
    return list(month.generate(seed=20250301, turns=4000))


@pytest.fixture(scope="module")
def stores(rows: list[Row], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stores]:
    opened = new_stores(tmp_path_factory.mktemp("month"), clock=CLOCK)
    for course in (COURSE, CourseId("small")):
        opened.courses.add(Course(id=course, name="Data", domains=("cs",), language=Language.EN))
    opened.usage.record(
        ModelUsage(course_id=COURSE, model="m", calls=3, prompt_tokens=2000, completion_tokens=500)
    )
    month.store(opened.engine, COURSE, rows, {})
    few = [
        {**row, "turn": f"x{row['turn']}", "session": f"x{row['session']}", "learner": f"l{n % 4}"}
        for n, row in enumerate(row for row in rows[:300] if row["number"] == 1)
    ]
    month.store(opened.engine, "small", few, {})
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def report(stores: Stores, tmp_path_factory: pytest.TempPathFactory) -> Report:
    settings = Settings(home=tmp_path_factory.mktemp("home"), llm_prompt_price=1.0, llm_completion_price=2.0)
    service = AnalyticsService(stores, settings, CLOCK)
    return service.current(COURSE, MARCH).report


def who(row: Row) -> str:
    return str(row["learner"] or row["session"])


def counted(rows: list[Row], kind: Callable[[Row], object]) -> tuple[Counter[object], dict[object, set[str]]]:
    """How often each kind stands in the rows, and of whom."""
    people: dict[object, set[str]] = {}
    for row in rows:
        people.setdefault(kind(row), set()).add(who(row))
    return Counter(map(kind, rows)), people


def check_table(cells: Any, counts: Counter[object], people: dict[object, set[str]]) -> set[str]:
    """Shown cells are right and rest on 5 people or none, hidden ones on 5 together. Gives the hidden."""
    total = sum(counts.values())
    hidden = {cell.name for cell in cells if cell.hidden}
    for cell in cells:
        if cell.hidden:
            assert cell.share is None
            continue
        assert cell.count == counts[cell.name]
        assert cell.share == pytest.approx(counts[cell.name] / total)
        assert len(people.get(cell.name, set())) >= 5 or counts[cell.name] == 0
    assert {name for name, each in people.items() if len(each) < 5} <= hidden
    together = set().union(*(people.get(name, set()) for name in hidden))
    assert not hidden or len(together) >= 5
    return hidden


def test_the_figures_at_a_glance_are_those_of_the_rows(report: Report, rows: list[Row]) -> None:
    """Questions, sessions, people, rounds, latency and cost are recounted exactly."""
    sessions = {row["session"] for row in rows}
    spent = sorted(row["ms"] for row in rows)
    assert (report.questions, report.sessions) == (len(rows), len(sessions))
    assert report.people == len(set(map(who, rows)))
    assert report.rounds == pytest.approx(len(rows) / len(sessions))
    assert report.latency is not None
    for value, share in ((report.latency.p50, 50), (report.latency.p95, 95)):
        assert value == round(spent[math.ceil(len(spent) * share / 100) - 1], 1)
    assert report.cost is not None
    assert (report.cost.calls, report.cost.prompt_tokens, report.cost.completion_tokens) == (3, 2000, 500)
    assert report.cost.cost == pytest.approx(0.003)


def test_the_tables_are_those_of_the_rows_and_tell_of_no_few(report: Report, rows: list[Row]) -> None:
    """Routes, days, thumbs and marks; the route that three learners saw is hidden with one more."""
    hidden = check_table(report.routes, *counted(rows, lambda row: row["route"]))
    assert "refused" in hidden
    assert len(hidden) == 2
    assert report.unanswerable is None
    assert check_table(report.days, *counted(rows, lambda row: f"{row['asked']:%Y-%m-%d}")) == set()
    assert len(report.days) == 31
    rated = [row for row in rows if row["rating"]]
    assert check_table(report.ratings, *counted(rated, lambda row: row["rating"])) == set()
    assert report.satisfaction == pytest.approx(sum(row["rating"] == "up" for row in rated) / len(rated))
    marked = [row for row in rows if row["mark"]]
    assert check_table(report.marks, *counted(marked, lambda row: row["mark"])) == set()
    assert report.reviewed_good == pytest.approx(sum(row["mark"] == "good" for row in marked) / len(marked))


def test_sessions_end_for_the_reason_that_the_rows_tell(report: Report, rows: list[Row]) -> None:
    """Each session has one cause, by the rule of the docs."""
    last: dict[str, Row] = {}
    for row in sorted(rows, key=lambda row: row["number"]):
        before = last.get(row["session"], {"ta": False, "rounds": 0})
        rounds, ta = before["rounds"] + 1, before["ta"] or row["ta"]
        last[row["session"]] = {**row, "rounds": rounds, "ta": ta}

    def cause(row: Row) -> str:
        if row["ta"]:
            return "escalated"
        if row["failed"]:
            return "error"
        if row["route"] in ("refused", "unanswered"):
            return "refused"
        helped = row["rating"] == "up" or (row["route"] == "direct" and row["rating"] != "down")
        return "answered" if helped or row["rounds"] > 1 else "abandoned"

    assert check_table(report.endings, *counted(list(last.values()), cause)) == set()


def test_top_questions_are_the_topics_asked_most(report: Report, rows: list[Row]) -> None:
    """Wordings of one topic are one question; what three learners asked is left out."""
    counts, people = counted(rows, lambda row: row["topic"])
    of_topic = {topic: top for top in report.top_questions for topic in month.TOPICS if topic in top.question}
    assert {topic: (top.count, top.people) for topic, top in of_topic.items()} == {
        topic: (counts[topic], len(people[topic])) for topic in of_topic
    }
    shown = [top.count for top in report.top_questions]
    assert shown == sorted(counts.values(), reverse=True)[:10]
    assert len(of_topic) == 10
    assert all(month.RARE_TOPIC not in top.question for top in report.top_questions)
    assert report.left_out.questions == 1


def test_concepts_and_places_are_those_of_the_rows(report: Report, rows: list[Row]) -> None:
    """Counts, the share that went badly, and stretches of 30 s; what few people asked is counted out."""
    asked = Counter(concept for row in rows for concept in row["concepts"] if concept != month.RARE_TOPIC)
    went = Counter(
        concept
        for row in rows
        if row["route"] in ("refused", "unanswered") or row["rating"] == "down" or row["mark"] == "bad"
        for concept in row["concepts"]
    )
    expected = sorted(asked, key=lambda concept: (-asked[concept], concept))[:10]
    assert [(c.concept, c.count) for c in report.concepts_asked] == [(c, asked[c]) for c in expected]
    for figures in report.concepts_asked:
        assert figures.badly == pytest.approx(went[figures.concept] / asked[figures.concept])
    worst = [figures.badly for figures in report.concepts_worst]
    assert worst == sorted(worst, reverse=True)
    assert worst[0] == pytest.approx(max(went[concept] / asked[concept] for concept in asked))
    assert report.left_out.concepts == 1

    where = [row for row in rows if row["video"]]
    counts, people = counted(where, lambda row: (row["video"], int(row["second"]) // 30 * 30))
    shown = {place: counts[place] for place in counts if len(people[place]) >= 5}
    assert {(place.video, place.start_s): place.count for place in report.places} == shown
    assert report.left_out.places == len(counts) - len(shown)
    assert report.left_out.places > 0


def questions(stores: Stores, selection: Selection) -> int:
    return list_conversations(stores, COURSE, MARCH, selection).questions


def test_every_figure_has_as_many_questions_as_it_says(stores: Stores, report: Report) -> None:
    """Routes, ratings, marks, concepts, places and top questions; endings count conversations."""
    assert questions(stores, Selection()) == report.questions
    for cells, select in (
        (report.routes, lambda name: Selection(outcome=QuestionOutcome(name))),
        (report.ratings, lambda name: Selection(outcome=QuestionOutcome(name))),
        (report.marks, lambda name: Selection(mark=Mark(name))),
    ):
        for cell in cells:
            if not cell.hidden:
                assert questions(stores, select(cell.name)) == cell.count, cell
    for cell in report.endings:
        found = list_conversations(stores, COURSE, MARCH, Selection(ending=SessionEnding(cell.name)))
        assert len(found.conversations) == (cell.count or 0)
    for concept in report.concepts_asked:
        assert questions(stores, Selection(concept=concept.concept)) == concept.count
    for place in report.places[:5]:
        assert questions(stores, Selection(video=place.video, start_s=place.start_s)) == place.count
    for top in report.top_questions[:3]:
        assert questions(stores, Selection(alike=top.question)) == top.count
    latency = report.latency
    assert latency
    assert 0.4 < questions(stores, Selection(slower_ms=latency.p50)) / (report.questions or 0) < 0.6


def test_what_fewer_than_five_people_asked_is_not_shown(stores: Stores) -> None:
    """Three learners were refused: nothing is listed, not even how many; nobody's words are there at all."""
    few = list_conversations(stores, COURSE, MARCH, Selection(outcome=QuestionOutcome.REFUSED))
    assert (few.too_few, few.questions, few.conversations) == (True, 0, ())
    none = list_conversations(stores, COURSE, MARCH, Selection(words="no such words"))
    assert (none.too_few, none.conversations) == (False, ())
    many = list_conversations(stores, COURSE, MARCH, Selection(words="STACK overflow"))
    assert {each.last.question.lower().count("stack") for each in many.conversations} == {1}


def test_conversations_are_listed_with_the_latest_first(stores: Stores) -> None:
    """No name tells a session or learner."""
    listed = list_conversations(stores, COURSE, MARCH, Selection()).conversations
    times = [each.last.asked_at for each in listed]
    assert times == sorted(times, reverse=True)
    for each in listed:
        assert each.name.lower() not in f"{each.last.session_id} {each.last.learner}"


def test_a_conversation_opens_only_on_days_of_enough_people(stores: Stores) -> None:
    """A turn of these days, and not where it was asked on others or hardly anybody asked."""
    listed = list_conversations(stores, COURSE, MARCH, Selection()).conversations[0]
    with pytest.raises(NotFound):
        open_conversation(
            stores, COURSE, Days(first=MARCH.first, last=MARCH.first), TurnId(listed.last.turn_id)
        )
    with pytest.raises(NotFound):
        open_conversation(stores, COURSE, MARCH, TurnId("no such turn"))


def test_nothing_is_shown_of_a_course_that_four_people_asked(stores: Stores, tmp_path: Path) -> None:
    """No figure, no cell, no list, no cost: the report holds nothing but its range."""
    service = AnalyticsService(stores, Settings(home=tmp_path), CLOCK)
    small = service.current(CourseId("small"), MARCH).report
    figures = (small.questions, small.sessions, small.people, small.rounds, small.unanswerable)
    assert {*figures, small.satisfaction, small.reviewed_good, small.latency, small.cost} == {None}
    cells = (*small.days, *small.routes, *small.endings, *small.ratings, *small.marks)
    assert all(cell.hidden for cell in cells)
    lists = (small.top_questions, small.concepts_asked, small.concepts_worst, small.places)
    assert lists == ((), (), (), ())
    assert (small.left_out.questions, small.left_out.concepts, small.left_out.places) == (0, 0, 0)
    assert small.hidden == ("everything",)


def test_a_range_counts_its_own_days_alone(stores: Stores, rows: list[Row], tmp_path: Path) -> None:
    """Both ends are included, and a turn that is erased since is not in the next report."""
    service = AnalyticsService(stores, Settings(home=tmp_path), CLOCK)
    days = Days(first=date(2025, 3, 10), last=date(2025, 3, 12))
    inside = [row for row in rows if days.first <= row["asked"].date() <= days.last]
    kept = service.current(COURSE, days)
    assert kept.report.questions == len(inside)
    assert service.current(COURSE, days) is kept
    with stores.engine.begin() as connection:
        connection.exec_driver_sql(f"DELETE FROM turns WHERE id = '{inside[0]['turn']}'")
    assert service.current(COURSE, days).report.questions == len(inside) - 1
