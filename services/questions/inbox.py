"""Waiting questions page by page: grouped, in bands, searched, filtered and ordered."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from services.faq.near_duplicates import content_terms, group_by_terms
from services.faq.rows import entry_of_pair
from services.questions.asked import SqlAskedQuestions
from services.questions.triage import Assessment, Band, QuestionBands
from vta.faq import comparison_key
from vta.text import Analyser, normalise
from vta.types.courses import Course, CourseId, FaqId
from vta.types.inbox import QuestionState, Ta, WaitingQuestion
from vta.types.pairs import Candidate

PAGE_SIZE = 10
"""Groups on a page."""
ASSESSED_FIRST, ASSESSED_FOR_S = 5, 0.1
"""Groups that a page always assesses, and its further seconds; the rest is assessed in the background."""
REMEMBERED_TEXTS = 20_000
MOST_AT_ONCE = 1000
"""Questions that are settled by one form; of a larger group the rest stays."""

Waiting = tuple[WaitingQuestion, ...]


class InboxOrder(StrEnum):
    """Which groups of a band come first."""

    MOST_ASKED = "most"
    NEWEST = "newest"
    OLDEST = "oldest"


@dataclass(frozen=True, slots=True, kw_only=True)
class InboxQuery:
    """Filters and page of the inbox: text, band, assignee.

    `assignee` is None for everyone's groups and `NOBODY` for those that nobody takes care of.
    """

    number: int = 1
    size: int = PAGE_SIZE
    sought: str = ""
    band: Band | None = None
    assignee: Ta | None = None
    order: InboxOrder = InboxOrder.MOST_ASKED


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionGroup:
    """Waiting near-duplicates, oldest first, and the assessment of the first, None while search is away."""

    waiting: Waiting
    assessment: Assessment | None

    @property
    def band(self) -> Band:
        """The band of the assessment; without one a TA has to look."""
        return self.assessment.band if self.assessment else Band.HOLD

    @property
    def closeness(self) -> float | None:
        """The best match score S; None while search is away."""
        return self.assessment.best if self.assessment else None

    @property
    def draft(self) -> Candidate | None:
        """Text of the course that may answer."""
        return self.assessment.draft if self.assessment else None

    @property
    def wordings(self) -> tuple[str, ...]:
        """The different ways in which it was asked."""
        first: dict[str, str] = {}
        for each in self.waiting:
            first.setdefault(comparison_key(each.question), each.question)
        return tuple(first.values())

    @property
    def at_once(self) -> Waiting:
        """The first `MOST_AT_ONCE` questions: the address of a form holds no more."""
        return self.waiting[:MOST_AT_ONCE]

    @property
    def assignees(self) -> tuple[str, ...]:
        """The TAs who take care of it, in order of the questions."""
        return tuple(dict.fromkeys(each.assignee for each in self.waiting if each.assignee))

    @property
    def entry(self) -> FaqId | None:
        """The entry whose answer the draft is, if it is one's."""
        return entry_of_pair(self.draft.pair.id) if self.draft else None


@dataclass(frozen=True, slots=True, kw_only=True)
class InboxPage:
    """A page of the groups that wait.

    `counts` are the groups of each band on all pages, whichever band is shown; `waiting` are all questions of
    the course that wait, `found` the number of groups that match the query. `unassessed` groups stand among
    those for a TA until they are assessed. `assignees` are all TAs who take care of something.
    """

    groups: tuple[QuestionGroup, ...]
    counts: Mapping[Band, int]
    waiting: int
    found: int
    unassessed: int
    assignees: tuple[str, ...]
    number: int
    last: int


class InboxPages:
    """The inboxes of all courses; questions are grouped again only when others wait."""

    def __init__(self, *, asked: SqlAskedQuestions, bands: QuestionBands) -> None:
        self._asked = asked
        self._bands = bands
        analyser = Analyser()
        self.terms = lru_cache(maxsize=REMEMBERED_TEXTS)(lambda text: content_terms(analyser, text))
        self.normalised = lru_cache(maxsize=REMEMBERED_TEXTS)(normalise)
        self._groups: dict[CourseId, tuple[list[tuple[str, str | None]], tuple[tuple[int, ...], ...]]] = {}

    def page(self, course: Course, query: InboxQuery) -> InboxPage:
        """The page asked for, or the last one where there are not so many."""
        waiting = self._asked.waiting_questions(course.id, QuestionState.WAITING)
        groups = sorted(self._grouped(course.id, waiting), key=_ORDERS[query.order])
        leaders = [group[0].asks for group in groups]
        self._assess_some(course, leaders)
        bands = self._bands.known(course, leaders)
        self._bands.refresh(course, leaders)
        order = {band: number for number, band in enumerate(Band)}
        banded = [
            (bands.get(group[0].asks, Band.HOLD), group) for group in groups if self._fits(group, query)
        ]
        chosen = [each for each in banded if query.band in (None, each[0])]
        chosen.sort(key=lambda each: order[each[0]])
        last = max(1, -(-len(chosen) // query.size))
        number = min(query.number, last)
        shown = chosen[(number - 1) * query.size : number * query.size]
        return InboxPage(
            groups=tuple(
                QuestionGroup(waiting=group, assessment=self._bands.assess(course, group[0].asks))
                for _, group in shown
            ),
            counts={band: sum(each is band for each, _ in banded) for band in Band},
            waiting=len(waiting),
            found=len(chosen),
            unassessed=sum(each not in bands for each in leaders),
            assignees=tuple(sorted({each.assignee for each in waiting if each.assignee})),
            number=number,
            last=last,
        )

    def _grouped(self, course_id: CourseId, waiting: Waiting) -> list[Waiting]:
        ids = [(each.id, each.group_id) for each in waiting]
        cached = self._groups.get(course_id)
        if cached is None or cached[0] != ids:
            terms = [self.terms(each.asks) for each in waiting]
            named = {comparison_key(each.asks): each.group_id for each in waiting if each.group_id}
            decided = [each.group_id or named.get(comparison_key(each.asks)) for each in waiting]
            numbers = group_by_terms(range(len(waiting)), terms, decided)
            cached = self._groups[course_id] = (ids, numbers)
        return [tuple(waiting[number] for number in group) for group in cached[1]]

    def _assess_some(self, course: Course, leaders: Sequence[str]) -> None:
        begun = time.monotonic()
        for done, each in enumerate(self._bands.outdated(course, leaders)):
            if done >= ASSESSED_FIRST and time.monotonic() - begun > ASSESSED_FOR_S:
                return
            if self._bands.assess(course, each) is None:  # search is away
                return

    def _fits(self, group: Waiting, query: InboxQuery) -> bool:
        sought, assignee = self.normalised(query.sought), query.assignee
        return (not sought or any(sought in self.normalised(words_of(each)) for each in group)) and (
            assignee is None or any(map(assignee.has, group))
        )


def words_of(waiting: WaitingQuestion) -> str:
    """All words in which a question can be found."""
    alone = waiting.standalone_question
    return f"{waiting.question}\n{alone}" if alone else waiting.question


_ORDERS: Mapping[InboxOrder, Callable[[Waiting], tuple[object, ...]]] = {
    InboxOrder.MOST_ASKED: lambda group: (-len(group), group[0].created_at, group[0].id),
    InboxOrder.NEWEST: lambda group: (-group[-1].created_at.timestamp(), group[-1].id),
    InboxOrder.OLDEST: lambda group: (group[0].created_at, group[0].id),
}
