"""Reports on courses, kept until what they count changes."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import date, timedelta
from io import StringIO

from knowledge.sources.faq import guard_cell
from services.dialogue.model_usage import total_of
from services.faq.near_duplicates import group_near_duplicates
from services.settings import Settings
from services.store.rows import from_row
from services.stores import Stores
from vta.analytics.counting import concept_figures, make_report
from vta.analytics.report import Cell, ModelCost, Report
from vta.course_cache import CourseCache
from vta.errors import InvalidInput
from vta.faults import Fault
from vta.ports import Clock
from vta.types.courses import CourseId

LONGEST_RANGE = 366
"""Days of a report."""
DEFAULT_RANGE = 30
CACHED = 64
"""Cached reports."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Days:
    """A range of days in UTC, both included."""

    first: date
    last: date

    @property
    def before(self) -> Days:
        """As many days, just before these."""
        first, length = self.first.toordinal(), (self.last - self.first).days + 1
        return Days(first=date.fromordinal(max(1, first - length)), last=date.fromordinal(max(1, first - 1)))


@dataclass(frozen=True, slots=True, kw_only=True)
class CountedReport:
    """A report; `asked` says how often each concept was asked about, but for those of too few people."""

    report: Report
    asked: Mapping[str, int]


class AnalyticsService:
    """The reports on all courses, each counted again only after a change of what it counts."""

    def __init__(self, stores: Stores, settings: Settings, clock: Clock) -> None:
        self._stores = stores
        self._settings = settings
        self._clock = clock
        self._kept = CourseCache[CountedReport](CACHED)

    def days(self, first: date | None, last: date | None) -> Days:
        """The range asked for; by default the last 30 days. `InvalidInput` where it is none."""
        today, most = self._clock.now().date(), DEFAULT_RANGE - 1
        if last is None:
            last = today if first is None else first + timedelta(days=min(most, (date.max - first).days))
        if first is None:
            first = last - timedelta(days=min(most, (last - date.min).days))
        if first > last:
            raise InvalidInput(Fault("console.days_order"), field="from")
        if (last - first).days >= LONGEST_RANGE:
            raise InvalidInput(Fault("console.range", days=LONGEST_RANGE), field="from")
        return Days(first=first, last=last)

    def current(self, course_id: CourseId, days: Days) -> CountedReport:
        """The report as of now; `NotFound` for no course."""
        self._stores.courses.course(course_id)
        usage = self._stores.usage.of_days([course_id], days.first, days.last)
        state = (*self._stores.analytics.state(course_id, days.first, days.last), usage)
        return self._kept.get((course_id, days), state, lambda: self._make(course_id, days))

    def _make(self, course_id: CourseId, days: Days) -> CountedReport:
        turns = self._stores.analytics.facts(course_id, days.first, days.last)
        earlier = days.before
        total = total_of(self._stores.usage.of_days([course_id], days.first, days.last))
        report = make_report(
            turns,
            course_id=course_id,
            first=days.first,
            last=days.last,
            cost=from_row(ModelCost, total, cost=self._settings.cost_of(total)),
            group=group_near_duplicates,
            before=self._stores.analytics.facts(course_id, earlier.first, earlier.last),
        )
        asked = {each.concept: each.count for each in concept_figures(turns)[0]}
        return CountedReport(report=report, asked=asked)


HEADER = ("table", "name", "count", "value")
_FIGURES = (
    "questions",
    "sessions",
    "people",
    "rounds",
    "unanswerable",
    "satisfaction",
    "reviewed_good",
)
_TABLES = ("days", "routes", "endings", "ratings", "marks")
_HIDDEN = "hidden"


def csv_name(report: Report) -> str:
    return f"analytics-{report.first}-{report.last}.csv"


def report_csv(report: Report) -> str:
    """The report as a table with a row a figure; a hidden figure's row says `hidden`."""
    out = StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(HEADER)
    for row in _rows(report):
        writer.writerow([guard_cell(cell) if isinstance(cell, str) else cell for cell in row])
    return out.getvalue()


def _rows(report: Report) -> Iterator[tuple[object, object, object, object]]:
    everything = report.people is None
    for name in _FIGURES:
        value = getattr(report, name)
        hidden = value is None and (everything or name in report.hidden)
        yield "figures", name, "", _HIDDEN if hidden else value
    for kind, figures in (("latency_ms", report.latency), ("model", report.cost)):
        for name, value in asdict(figures).items() if figures else ():
            yield kind, name, "", value
    for table in _TABLES:
        cells: Sequence[Cell] = getattr(report, table)
        for cell in cells:
            count, share = (_HIDDEN, _HIDDEN) if cell.hidden else (cell.count, cell.share)
            yield table, cell.name, count, share
    for top in report.top_questions:
        yield "top_questions", top.question, top.count, ""
    for concept in report.concepts_asked:
        badly = _HIDDEN if concept.badly is None else concept.badly
        yield "concepts_asked", concept.concept, concept.count, badly
    for concept in report.concepts_worst:
        yield "concepts_worst", concept.concept, concept.count, concept.badly
    for spot in report.weak_spots:
        yield "weak_spots", spot.question, spot.count, spot.before
    for place in report.places:
        yield "places", f"{place.video} {place.start_s}", place.count, ""
