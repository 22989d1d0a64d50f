"""Makes reports on courses and keeps them ready, so that a page need not wait for one."""

from __future__ import annotations

import logging
import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta

from services.settings import Settings
from services.storage.stores import Stores
from services.use_cases.near_duplicates import group_near_duplicates
from vta.analytics.cohorts import SMALLEST
from vta.analytics.counting import concept_figures, make_report
from vta.analytics.report import ModelCost, Report
from vta.errors import InvalidInput, VtaError
from vta.faults import Fault
from vta.ports import Clock
from vta.text import Analyser
from vta.types import CourseId

LONGEST_RANGE = 366
"""Days of a report."""
DEFAULT_RANGE = 30
LOOKED_AT_S = 30
"""Seconds for which a page shows the report it has without asking whether something has changed."""
KEPT = 64
"""Reports kept ready."""
_MILLION = 1_000_000
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Days:
    """A range of days in UTC, both included."""

    first: date
    last: date


@dataclass(frozen=True, slots=True, kw_only=True)
class Filed:
    """A report, when it was last found to hold, and whether that is being looked at again right now.

    `asked` says how often each concept was asked about, those that too few people asked about left out.
    """

    report: Report
    asked: Mapping[str, int]
    made_at: datetime
    outdated: bool = False


@dataclass(frozen=True, slots=True)
class _Kept:
    filed: Filed
    state: tuple[object, ...]


class AnalyticsDesk:
    """Gives out reports. `fresh` ones hold as of now; `ready` ones may be those of a moment ago."""

    def __init__(self, stores: Stores, settings: Settings, clock: Clock) -> None:
        self._stores = stores
        self._settings = settings
        self._clock = clock
        self._analyser = Analyser()
        self._kept: OrderedDict[tuple[CourseId, Days], _Kept] = OrderedDict()
        self._under_way: dict[tuple[CourseId, Days], Future[None]] = {}
        self._lock = threading.Lock()
        self._worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="analytics")

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

    def fresh(self, course_id: CourseId, days: Days) -> Report:
        """The report as of now, made anew only where something has changed; `NotFound` for no course."""
        self._stores.courses.course(course_id)
        return self._file(course_id, days).report

    def ready(self, course_id: CourseId, days: Days) -> Filed:
        """The report kept ready, if there is one; from `LOOKED_AT_S` on it is made anew behind the page."""
        key = (course_id, days)
        with self._lock:
            kept, under_way = self._kept.get(key), self._under_way.get(key)
        if kept is None and under_way is not None:
            under_way.result()
            with self._lock:
                kept = self._kept.get(key)
        if kept is None:
            return self._file(course_id, days)
        if self._clock.now() - kept.filed.made_at < timedelta(seconds=LOOKED_AT_S):
            return kept.filed
        self._begin(course_id, days)
        return replace(kept.filed, outdated=True)

    def prepare(self, course_id: CourseId) -> None:
        """Begin the report of the usual days, for whoever may soon look at it; nothing waits for it."""
        days = self.days(None, None)
        with self._lock:
            is_there = (course_id, days) in self._kept
        if not is_there:
            self._begin(course_id, days)

    def _begin(self, course_id: CourseId, days: Days) -> None:
        with self._lock:
            if (course_id, days) not in self._under_way:
                self._under_way[course_id, days] = self._worker.submit(self._renew, course_id, days)

    def _renew(self, course_id: CourseId, days: Days) -> None:
        try:
            self._file(course_id, days)
        except VtaError:
            _log.warning("the analytics of %s could not be made anew", course_id, exc_info=True)
        finally:
            with self._lock:
                self._under_way.pop((course_id, days), None)

    def _file(self, course_id: CourseId, days: Days) -> Filed:
        state = self._state(course_id, days)
        key = (course_id, days)
        with self._lock:
            kept = self._kept.get(key)
        holds = kept is not None and kept.state == state
        filed = kept.filed if kept is not None and holds else self._make(course_id, days)
        filed = replace(filed, made_at=self._clock.now())
        with self._lock:
            self._kept[key] = _Kept(filed, state)
            self._kept.move_to_end(key)
            while len(self._kept) > KEPT:
                self._kept.popitem(last=False)
        return filed

    def _state(self, course_id: CourseId, days: Days) -> tuple[object, ...]:
        usage = self._stores.usage.of_days(course_id, days.first, days.last)
        return (*self._stores.analytics.state(course_id, days.first, days.last), usage)

    def _make(self, course_id: CourseId, days: Days) -> Filed:
        turns = self._stores.analytics.facts(course_id, days.first, days.last)
        report = make_report(
            turns,
            course_id=course_id,
            first=days.first,
            last=days.last,
            cost=self._cost(course_id, days),
            group=self._group,
        )
        asked = {each.concept: each.count for each in concept_figures(turns, SMALLEST)[0]}
        return Filed(report=report, asked=asked, made_at=self._clock.now())

    def _group(self, wordings: Sequence[str]) -> Sequence[Sequence[str]]:
        return group_near_duplicates(wordings, wordings, self._analyser)

    def _cost(self, course_id: CourseId, days: Days) -> ModelCost:
        used = self._stores.usage.of_days(course_id, days.first, days.last)
        prompt = sum(usage.prompt_tokens for usage in used)
        completion = sum(usage.completion_tokens for usage in used)
        prices = (self._settings.llm_prompt_price, self._settings.llm_completion_price)
        return ModelCost(
            calls=sum(usage.calls for usage in used),
            uncounted=sum(usage.uncounted for usage in used),
            prompt_tokens=prompt,
            completion_tokens=completion,
            cost=round((prompt * prices[0] + completion * prices[1]) / _MILLION, 6) if any(prices) else None,
        )
