"""The report on a course: what an instructor is shown.

k-anonymity: figures that rest on too few people are hidden, and cannot be worked out from the others.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime

SMALLEST = 5
"""People from which a cohort is shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """A figure of a table; `count` and `share` (of the table's sum, 0..1) are None where it is hidden."""

    name: str
    count: int | None
    share: float | None

    @property
    def hidden(self) -> bool:
        return self.count is None


Members = Sequence[str]
"""Whom a cell counts, one entry a thing counted, so that a person stands there as often as they were."""


def partition(members: Mapping[str, Members], smallest: int = SMALLEST) -> tuple[Cell, ...]:
    """The cells of a table whose parts make up a known sum, in the order given.

    A part of some but fewer than `smallest` people is hidden. Hidden parts that hold fewer people than that
    together could be worked out from the sum, so the smallest shown part goes with them, and so on. All
    are hidden where the whole rests on fewer people, but not where it rests on nobody. An empty part of a
    shown table is shown as 0.
    """
    people = {name: frozenset(persons) for name, persons in members.items()}
    hidden = {name for name, persons in people.items() if 0 < len(persons) < smallest}
    if 0 < len(_union(people.values())) < smallest:
        hidden = set(people)
    shown = sorted((n for n in people if people[n] and n not in hidden), key=lambda n: (len(people[n]), n))
    while hidden and shown and len(_union(people[name] for name in hidden)) < smallest:
        hidden.add(shown.pop(0))
    total = sum(map(len, members.values()))
    return tuple(
        Cell(name=name, count=None, share=None)
        if name in hidden
        else Cell(name=name, count=len(persons), share=len(persons) / total if total else 0.0)
        for name, persons in members.items()
    )


def large_enough(people: Iterable[str]) -> bool:
    """Whether a figure that rests on these people may be shown."""
    return len(frozenset(people)) >= SMALLEST


def _union(groups: Iterable[frozenset[str]]) -> frozenset[str]:
    return frozenset().union(*groups)


@dataclass(frozen=True, slots=True, kw_only=True)
class TopQuestion:
    """Questions that ask nearly the same; `question` is the wording of most people."""

    question: str
    count: int
    people: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ConceptFigures:
    """How often a concept was asked about, and in which share of these turns (0..1) it went badly.

    Badly: refused, left unanswered, voted down, or marked bad by a TA. None where that is hidden.
    """

    concept: str
    count: int
    badly: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class WeakSpot:
    """Questions that ask nearly the same and went badly, as `ConceptFigures` has it.

    `turn_id` is the latest of them, asked at `asked_at`, `waiting` the question of the inbox if one of them
    waits there, `unit` where most were asked, None where that is not known; `before` is
    their number in as many days before the report.
    """

    question: str
    turn_id: str
    unit: str | None
    count: int
    before: int
    asked_at: datetime
    waiting: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """Figures of some days; each may be hidden."""

    questions: int | None
    people: int | None
    unanswerable: float | None
    satisfaction: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class VideoPlace:
    """Questions asked in a stretch of a video; it begins at `start_s` and lasts `STRETCH_S` seconds."""

    video: str
    start_s: int
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Latency:
    """Milliseconds of the traces: the nearest-rank percentiles."""

    p50: float
    p95: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelCost:
    """The usage of the language model; `cost` is in the currency of the prices, None without prices."""

    calls: int
    uncounted: int
    prompt_tokens: int
    completion_tokens: int
    cost: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """How many entries of a list rest on too few people to be shown."""

    questions: int
    concepts: int
    places: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """The analytics of a course from the day `first` to the day `last`, both included, in UTC.

    A session here is those of its turns that were asked in the range; `earlier` is of as many days before it.
    Figures are None, and lists empty, where they rest on fewer than `smallest` people; `hidden` names the
    figures and `table/cell`s so hidden.
    """

    course_id: str
    first: date
    last: date
    smallest: int
    questions: int | None
    sessions: int | None
    people: int | None
    rounds: float | None
    unanswerable: float | None
    satisfaction: float | None
    reviewed_good: float | None
    earlier: Figures
    latency: Latency | None
    cost: ModelCost | None
    days: tuple[Cell, ...]
    routes: tuple[Cell, ...]
    endings: tuple[Cell, ...]
    ratings: tuple[Cell, ...]
    marks: tuple[Cell, ...]
    top_questions: tuple[TopQuestion, ...]
    concepts_asked: tuple[ConceptFigures, ...]
    concepts_worst: tuple[ConceptFigures, ...]
    weak_spots: tuple[WeakSpot, ...]
    places: tuple[VideoPlace, ...]
    left_out: LeftOut
    hidden: tuple[str, ...]
