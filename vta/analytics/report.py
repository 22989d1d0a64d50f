"""The report on a course: what an instructor is shown."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from vta.analytics.cohorts import Cell


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
    """What the language model used; `cost` is in the currency of the prices, None where none is set."""

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

    A session here is those of its turns that were asked in the range. Figures are None, and lists empty,
    where they rest on fewer than `smallest` people; `hidden` names the figures and `table/cell`s so hidden.
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
    places: tuple[VideoPlace, ...]
    left_out: LeftOut
    hidden: tuple[str, ...]
