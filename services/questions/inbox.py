"""Waiting questions page by page: grouped, in bands, searched, filtered and ordered."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from functools import lru_cache

from services.faq.rows import entry_of_pair
from services.questions.asked import SqlAskedQuestions
from services.questions.grouping import REMEMBERED_TEXTS, QuestionGrouping
from services.questions.triage import Assessment, Band, QuestionBands
from vta.faq import comparison_key
from vta.text import normalise
from vta.types.courses import Course, FaqId
from vta.types.inbox import QuestionState, Ta, WaitingQuestion
from vta.types.pairs import Candidate

PAGE_SIZE = 10
"""Groups on a page."""
ASSESSED_FIRST, ASSESSED_FOR_S = 5, 0.1
"""New groups that a page always assesses, and its further seconds; the rest is assessed in the background."""
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
    """Waiting questions that ask the same, oldest first, and the assessment of the first.

    `assessment` is None while search is away; `near` is the first question of a group that may ask the same.
    `is_late` says whether the first waits longer than usual in the course.
    """

    waiting: Waiting
    assessment: Assessment | None
    near: WaitingQuestion | None = None
    is_late: bool = False

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

    def __init__(self, *, asked: SqlAskedQuestions, bands: QuestionBands, grouping: QuestionGrouping) -> None:
        self._asked = asked
        self._bands = bands
        self._grouping = grouping
        self.normalised = lru_cache(maxsize=REMEMBERED_TEXTS)(normalise)

    def page(self, course: Course, query: InboxQuery) -> InboxPage:
        """The page asked for, or the last one where there are not so many."""
        waiting = self._asked.all_questions(course.id, QuestionState.WAITING)
        groups = sorted(self.grouped(waiting), key=_ORDERS[query.order])
        leaders = [group[0].asks for group in groups]
        self._assess_some(course, leaders)
        bands = self._bands.known(course, leaders)
        order = {band: number for number, band in enumerate(Band)}
        banded = [
            (bands.get(group[0].asks, Band.HOLD), group) for group in groups if self._fits(group, query)
        ]
        chosen = [each for each in banded if query.band in (None, each[0])]
        chosen.sort(key=lambda each: order[each[0]])
        last = max(1, -(-len(chosen) // query.size))
        number = min(query.number, last)
        shown = [group for _, group in chosen[(number - 1) * query.size : number * query.size]]
        near, usual = self._near(groups, shown), self._asked.usual_wait(course.id)
        late_before = datetime.now(UTC) - usual if usual is not None else None
        shown_groups = tuple(
            QuestionGroup(
                waiting=group,
                assessment=self._bands.assess(course, group[0].asks),
                near=near.get(group[0].id),
                is_late=late_before is not None and group[0].created_at < late_before,
            )
            for group in shown
        )
        self._bands.refresh(course, leaders)  # behind the page, which has what it shows
        return InboxPage(
            groups=shown_groups,
            counts={band: sum(each is band for each, _ in banded) for band in Band},
            waiting=len(waiting),
            found=len(chosen),
            unassessed=sum(each not in bands for each in leaders),
            assignees=tuple(sorted({each.assignee for each in waiting if each.assignee})),
            number=number,
            last=last,
        )

    def grouped(self, waiting: Waiting) -> list[Waiting]:
        """These questions in groups."""
        numbers = self._grouping.groups(tuple((each.asks, each.group_id) for each in waiting))
        return [tuple(waiting[number] for number in group) for group in numbers]

    def _near(self, groups: Sequence[Waiting], shown: Sequence[Waiting]) -> dict[str, WaitingQuestion]:
        """The first question of the group that each shown one may be one with, by that of its own.

        It stands at the later of two groups, or at the one that no TA has decided on; a question that was
        kept apart is proposed no more.
        """
        decided = [any(each.group_id for each in group) for group in groups]
        apart = [place for place, named in enumerate(decided) if named and _is_one_wording(groups[place])]
        ids = {group[0].id for group in shown}
        places = [place for place, group in enumerate(groups) if group[0].id in ids and not decided[place]]
        mates = self._grouping.mutual([group[0].asks for group in groups], places, apart)
        return {
            groups[place][0].id: groups[mate][0]
            for place, mate in zip(places, mates, strict=True)
            if mate is not None and (mate < place or decided[mate])
        }

    def _assess_some(self, course: Course, leaders: Sequence[str]) -> None:
        """Assess some of the groups that never were, as their place depends on it."""
        begun, known = time.monotonic(), self._bands.known(course, leaders)
        for done, each in enumerate(leader for leader in leaders if leader not in known):
            if done >= ASSESSED_FIRST and time.monotonic() - begun > ASSESSED_FOR_S:
                return
            if self._bands.assess(course, each) is None:  # search is away
                return

    def _fits(self, group: Waiting, query: InboxQuery) -> bool:
        sought, assignee = self.normalised(query.sought), query.assignee
        return (not sought or any(sought in self.normalised(words_of(each)) for each in group)) and (
            assignee is None or any(map(assignee.has, group))
        )


def _is_one_wording(group: Waiting) -> bool:
    return len({comparison_key(each.asks) for each in group}) == 1


def words_of(waiting: WaitingQuestion) -> str:
    """All words in which a question can be found."""
    alone = waiting.standalone_question
    return f"{waiting.question}\n{alone}" if alone else waiting.question


_ORDERS: Mapping[InboxOrder, Callable[[Waiting], tuple[object, ...]]] = {
    InboxOrder.MOST_ASKED: lambda group: (-len(group), group[0].created_at, group[0].id),
    InboxOrder.NEWEST: lambda group: (-group[-1].created_at.timestamp(), group[-1].id),
    InboxOrder.OLDEST: lambda group: (group[0].created_at, group[0].id),
}
