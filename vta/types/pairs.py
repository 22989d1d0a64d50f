"""QA pairs, the one thing that the index holds, and how a question ranks them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from vta.types.courses import CourseId, PairId


class Source(StrEnum):
    """Where a QA pair comes from (section 3.1 of the LittleMu paper)."""

    CONCEPT = "concept"
    SEARCH = "search"
    FAQ = "faq"
    MATERIAL = "material"


@dataclass(frozen=True, slots=True, kw_only=True)
class Locator:
    """Where a passage stands: under headings, on a page, or at a second of a video.

    `page` counts the pages of the file; `page_label` is what is printed on it, where that is something else.
    """

    heading_path: tuple[str, ...] = ()
    page: int | None = None
    page_label: str | None = None
    video: str | None = None
    start_s: float | None = None
    end_s: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class QAPair:
    """The unified form of everything that can answer (section 3.1 of the paper).

    (concept, explanation), (headline, text), (q, a), or a passage of course material as
    (heading path, passage). `domains` is D(c_z), the domains of the course the pair belongs to.
    `document` is the path as ingested, relative to the folder given. `similar_questions` are further ways to
    ask the question; `negative_questions` look alike, and the pair is no answer to them.
    """

    id: PairId
    course_id: CourseId
    source: Source
    question: str
    answer: str
    domains: tuple[str, ...] = ()
    document: str | None = None
    locator: Locator = field(default_factory=Locator)
    url: str | None = None
    similar_questions: tuple[str, ...] = ()
    negative_questions: tuple[str, ...] = ()

    def __hash__(self) -> int:
        """By the id alone, as few different pairs share one: caches look up every pair of a ranking."""
        return hash(self.id)

    @property
    def wordings(self) -> tuple[str, ...]:
        """The question and its further ways to be asked."""
        return (self.question, *self.similar_questions)


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchQuery:
    """The query of a question: its analysed words and character grams, each with its boost.

    `alike` are for some of the words others that mean the same, phrases as words with a space between.
    """

    words: tuple[tuple[str, float], ...]
    grams: tuple[tuple[str, float], ...]
    alike: Mapping[str, tuple[str, ...]] = field(default_factory=dict, hash=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectionStatistics:
    """The statistics of all pairs of a course for BM25, as the engine of the index counts them.

    How many there are, their average lengths in tokens by field, and in how many each (field, token) of a
    query occurs.
    """

    documents: int
    average_lengths: Mapping[str, float]
    frequencies: Mapping[tuple[str, str], int]


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceWeight:
    """Selects the pairs of one source in one course and gives them their weight in S(z, q).

    `question` and `answer` say how much a match in either side of the pair counts in its BM25.
    """

    source: Source
    course_id: CourseId
    weight: float
    question: float
    answer: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A pair with S(z, q) = weight * bm25; `score` is S.

    `similarity` is the cosine of the pair's embedding and the question's, in -1..1, where vectors are on and
    the pair is among the nearest. It never enters S: a pair that only vectors found has its own S, which is 0
    where it shares no term with the question. `relevance` is the learned probability, in 0..1, that the pair
    answers the question, gives the order, and parts what is answered from what is refused. None where it was
    not judged.
    """

    pair: QAPair
    bm25: float
    weight: float
    score: float
    similarity: float | None = None
    relevance: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranking:
    """The best pairs for a question, best first; `terms` were looked up.

    Best is the highest relevance, ties by S, then by pair id; of FAQ pairs that are as relevant as the best,
    the one whose answer most others give is the first.
    `degraded` says what was left out of the ranking, and why.
    """

    terms: tuple[str, ...]
    candidates: tuple[Candidate, ...]
    degraded: Degradation | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Degradation:
    """A stage that could not do its best, and why; the answer is still honest."""

    stage: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RankingSummary:
    """The figures of the direct-or-teach decision: the best S and beta, over `terms`."""

    score: float
    beta: float
    terms: tuple[str, ...]
