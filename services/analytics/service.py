"""Reports on courses, cached so that a page need not wait for one."""

from __future__ import annotations

import csv
import logging
import threading
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import asdict, dataclass, replace
from datetime import date, datetime, timedelta
from io import StringIO

from knowledge.sources.faq import guard_cell
from services.dialogue.model_usage import total_of
from services.faq.near_duplicates import group_near_duplicates
from services.settings import Settings
from services.store.rows import from_row
from services.stores import Stores
from vta.analytics.counting import concept_figures, make_report
from vta.analytics.report import Cell, ModelCost, Report
from vta.errors import InvalidInput, VtaError
from vta.faults import Fault
from vta.ports import Clock
from vta.types.courses import CourseId

LONGEST_RANGE = 366
"""Days of a report."""
DEFAULT_RANGE = 30
LOOKED_AT_S = 30
"""Seconds for which a page shows the report it has without asking whether something has changed."""
CACHED = 64
"""Cached reports."""
MADE_AT_ONCE = 4
"""Reports that are made behind pages at the same time."""
_log = logging.getLogger(__name__)


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
class CachedReport:
    """A report, when it was last checked, and whether it is being made again right now.

    `asked` says how often each concept was asked about, those that too few people asked about left out.
    `state` is that of the store that the report counts.
    """

    report: Report
    asked: Mapping[str, int]
    state: tuple[object, ...]
    made_at: datetime
    outdated: bool = False


class AnalyticsService:
    """The reports on all courses: `current` ones as of now, `cached` ones perhaps of a moment ago."""

    def __init__(self, stores: Stores, settings: Settings, clock: Clock) -> None:
        self._stores = stores
        self._settings = settings
        self._clock = clock
        self._cache: OrderedDict[tuple[CourseId, Days], CachedReport] = OrderedDict()
        self._under_way: dict[tuple[CourseId, Days], Future[CachedReport]] = {}
        self._lock = threading.Lock()
        self._worker = ThreadPoolExecutor(max_workers=MADE_AT_ONCE, thread_name_prefix="analytics")

    def close(self) -> None:
        """Finish the reports under way and begin no other."""
        self._worker.shutdown()

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

    def current(self, course_id: CourseId, days: Days) -> Report:
        """The report as of now, counted again only after a change; `NotFound` for no course."""
        self._stores.courses.course(course_id)
        return self._refresh(course_id, days).report

    def cached(self, course_id: CourseId, days: Days) -> CachedReport:
        """The cached report, made once for all first views; after `LOOKED_AT_S` refreshed behind the page."""
        with self._lock:
            found = self._cache.get((course_id, days))
        if found is None:
            return self._begin(course_id, days).result()
        if self._clock.now() - found.made_at < timedelta(seconds=LOOKED_AT_S):
            return found
        self._begin(course_id, days)
        return replace(found, outdated=True)

    def _begin(self, course_id: CourseId, days: Days) -> Future[CachedReport]:
        """Refresh a report in the background, unless that is under way."""
        key = course_id, days
        with self._lock:
            running = self._under_way.get(key)
            if running is None:
                running = self._under_way[key] = self._worker.submit(self._try_refresh, course_id, days)
        return running

    def _try_refresh(self, course_id: CourseId, days: Days) -> CachedReport:
        try:
            return self._refresh(course_id, days)
        except VtaError:
            _log.warning("the analytics of %s could not be refreshed", course_id, exc_info=True)
            raise
        finally:
            with self._lock:
                self._under_way.pop((course_id, days), None)

    def _refresh(self, course_id: CourseId, days: Days) -> CachedReport:
        state, key = self._state(course_id, days), (course_id, days)
        with self._lock:
            before = self._cache.get(key)
        if before is None or before.state != state:
            before = self._make(course_id, days, state)
        found = replace(before, made_at=self._clock.now())
        with self._lock:
            self._cache[key] = found
            self._cache.move_to_end(key)
            if len(self._cache) > CACHED:
                self._cache.popitem(last=False)
        return found

    def _state(self, course_id: CourseId, days: Days) -> tuple[object, ...]:
        usage = self._stores.usage.of_days([course_id], days.first, days.last)
        return (*self._stores.analytics.state(course_id, days.first, days.last), usage)

    def _make(self, course_id: CourseId, days: Days, state: tuple[object, ...]) -> CachedReport:
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
        return CachedReport(report=report, asked=asked, state=state, made_at=self._clock.now())


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
    """The name of the file that holds a report."""
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
