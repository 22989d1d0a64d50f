"""What instructors do with the questions that were handed to a real TA, whichever way they come."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from services.indexing.stored_knowledge import StoredKnowledge
from services.indexing.sync import sync_index
from services.storage.sessions import SqlSessions
from services.use_cases.near_duplicates import content_terms, group_by_terms
from services.use_cases.question_bands import QuestionBands
from services.use_cases.triage import Assessment, Band
from vta.errors import NotFound
from vta.faq import bare, with_negatives
from vta.faults import Fault
from vta.ports import FaqRepository, TaQueue
from vta.text import Analyser, normalise
from vta.types import (
    Candidate,
    Course,
    CourseId,
    FaqDraft,
    FaqEntry,
    FaqId,
    Feedback,
    QuestionState,
    Source,
    Turn,
    WaitingQuestion,
)

PAGE_SIZE = 10
"""Groups on a page of what waits."""
SETTLED_PAGE_SIZE = 50
"""Questions on a page of what is settled."""
ASSESSED_AT_ONCE = 30
"""Groups that a page assesses before it is shown; of further new ones the band shows after a moment."""
REMEMBERED_TERMS = 20_000

Waiting = tuple[WaitingQuestion, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionGroup:
    """Near-duplicates that wait, oldest first, and what the course has on the first of them.

    `assessment` is None while search is away.
    """

    waiting: Waiting
    assessment: Assessment | None

    @property
    def band(self) -> Band:
        """A TA looks at what nothing is known of."""
        return self.assessment.band if self.assessment else Band.HOLD

    @property
    def wordings(self) -> tuple[str, ...]:
        """The different ways in which it was asked."""
        first: dict[str, str] = {}
        for each in self.waiting:
            first.setdefault(bare(each.question), each.question)
        return tuple(first.values())

    @property
    def entry(self) -> FaqId | None:
        """The entry whose answer the draft is, if it is one's."""
        draft = self.assessment.draft if self.assessment else None
        return entry_of(draft) if draft else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Inbox:
    """A page of the groups that wait: by band, most asked first, then oldest first.

    `counts` are the groups of each band on all pages, `waiting` all questions of the course that wait.
    `unassessed` groups stand among those for a TA until they are assessed.
    """

    groups: tuple[QuestionGroup, ...]
    counts: Mapping[Band, int]
    waiting: int
    unassessed: int
    number: int
    last: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SettledPage:
    """Questions that were answered or rejected, the last settled first."""

    questions: Waiting
    total: int
    number: int
    last: int


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionReview:
    """Questions to be settled, what the course has on them, and the entries among that."""

    waiting: Waiting
    assessment: Assessment | None
    entries: tuple[FaqEntry, ...]

    @property
    def offered(self) -> str:
        """Text of the course that may answer; empty where there is none."""
        draft = self.assessment.draft if self.assessment else None
        return draft.pair.answer if draft else ""


class QuestionService:
    """The questions for the TA of all courses. What is published is searchable when a method returns.

    Methods that settle questions raise as `TaQueue` does.
    """

    def __init__(
        self,
        *,
        sessions: SqlSessions,
        queue: TaQueue,
        faq: FaqRepository,
        knowledge: StoredKnowledge,
        bands: QuestionBands,
    ) -> None:
        self._sessions = sessions
        self._queue = queue
        self._faq = faq
        self._knowledge = knowledge
        self._bands = bands
        analyser = Analyser()
        self._terms = lru_cache(maxsize=REMEMBERED_TERMS)(lambda text: content_terms(analyser, text))
        self._groups: dict[CourseId, tuple[Waiting, tuple[Waiting, ...]]] = {}

    def questions(self, course_id: CourseId, state: QuestionState | None = None) -> Waiting:
        """The questions in one state, or in all, oldest first."""
        return self._sessions.waiting_questions(course_id, state)

    def inbox(self, course: Course, *, number: int = 1, sought: str = "") -> Inbox:
        """A page of what waits, or of the groups of which a wording holds what is sought."""
        waiting = self.questions(course.id, QuestionState.WAITING)
        groups = sorted(
            self._grouped(course.id, waiting), key=lambda each: (-len(each), each[0].created_at, each[0].id)
        )
        leaders = [group[0].question for group in groups]
        fresh = {
            each: self._bands.assess(course, each)
            for each in self._bands.outdated(course, leaders)[:ASSESSED_AT_ONCE]
        }
        bands = self._bands.known(course, leaders)
        self._bands.refresh(course, leaders)
        order = list(Band)
        groups = [each for each in groups if _holds(each, normalise(sought))]
        groups.sort(key=lambda group: order.index(bands.get(group[0].question, Band.HOLD)))
        last = max(1, -(-len(groups) // PAGE_SIZE))
        number = min(number, last)
        shown = groups[(number - 1) * PAGE_SIZE : number * PAGE_SIZE]
        return Inbox(
            groups=tuple(
                QuestionGroup(waiting=each, assessment=self._assessed(course, each[0].question, fresh))
                for each in shown
            ),
            counts=Counter(bands.get(each[0].question, Band.HOLD) for each in groups),
            waiting=len(waiting),
            unassessed=sum(each not in bands for each in leaders),
            number=number,
            last=last,
        )

    def settled(self, course_id: CourseId, state: QuestionState, *, number: int = 1) -> SettledPage:
        """A page of the questions that were answered, or of those that were rejected."""
        found = sorted(
            self.questions(course_id, state),
            key=lambda each: (each.resolved_at or each.created_at, each.id),
            reverse=True,
        )
        last = max(1, -(-len(found) // SETTLED_PAGE_SIZE))
        number = min(number, last)
        first = (number - 1) * SETTLED_PAGE_SIZE
        return SettledPage(
            questions=tuple(found[first : first + SETTLED_PAGE_SIZE]),
            total=len(found),
            number=number,
            last=last,
        )

    def review(self, course: Course, question_ids: Sequence[str]) -> QuestionReview:
        """Those of these questions that wait; `NotFound` where none does."""
        wanted = set(question_ids)
        waiting = tuple(
            each for each in self.questions(course.id, QuestionState.WAITING) if each.id in wanted
        )
        if not waiting:
            raise NotFound(Fault("waiting_question.gone"))
        assessment = self._bands.assess(course, waiting[0].question)
        candidates = assessment.candidates if assessment else ()
        near = filter(None, map(entry_of, candidates))
        return QuestionReview(
            waiting=waiting,
            assessment=assessment,
            entries=tuple(self._faq.history(course.id, each)[-1] for each in near),
        )

    def voted_down(self, course_id: CourseId, limit: int = 50) -> tuple[tuple[Turn, Feedback], ...]:
        """The answers that students put a thumb down for, newest thumbs first."""
        return self._sessions.voted_down(course_id, limit)

    def answer(
        self, course_id: CourseId, question_ids: Sequence[str], answer: FaqDraft | FaqId, *, editor: str
    ) -> FaqEntry:
        """Answer questions, and all that wait in the same words, with a new entry or an existing one."""
        entry = self._queue.answer(course_id, question_ids, answer, editor=editor)
        sync_index(self._knowledge)
        return entry

    def separate(
        self, course_id: CourseId, question_ids: Sequence[str], faq_id: FaqId, *, editor: str
    ) -> FaqEntry:
        """Say that an entry does not answer these questions, which wait on.

        `InvalidInput` where one of them is the entry's own question.
        """
        wanted = set(question_ids)
        waiting = [e for e in self.questions(course_id, QuestionState.WAITING) if e.id in wanted]
        newest = self._faq.history(course_id, faq_id)[-1]
        draft = with_negatives(newest.draft, [each.question for each in waiting])
        entry = self._faq.edit(course_id, faq_id, draft, editor=editor, expected=newest.version)
        sync_index(self._knowledge)
        return entry

    def reject(self, course_id: CourseId, question_ids: Sequence[str], *, reason: str) -> None:
        """Say that these questions will not be answered; their askers read the reason."""
        self._queue.reject(course_id, question_ids, reason=reason)

    def reopen(self, course_id: CourseId, question_ids: Sequence[str]) -> None:
        """Let settled questions wait again."""
        self._queue.reopen(course_id, question_ids)

    def _grouped(self, course_id: CourseId, waiting: Waiting) -> tuple[Waiting, ...]:
        """The groups of these questions, made anew only where other questions wait."""
        kept = self._groups.get(course_id)
        if kept is None or kept[0] != waiting:
            groups = group_by_terms(waiting, [self._terms(each.question) for each in waiting])
            kept = self._groups[course_id] = (waiting, groups)
        return kept[1]

    def _assessed(
        self, course: Course, question: str, fresh: Mapping[str, Assessment | None]
    ) -> Assessment | None:
        return fresh[question] if question in fresh else self._bands.assess(course, question)


def entry_of(candidate: Candidate) -> FaqId | None:
    """The entry that a pair is; None for a pair of a file."""
    pair = candidate.pair
    own = pair.source is Source.FAQ and pair.document is None
    return FaqId(pair.id.removeprefix("faq-")) if own else None


def _holds(group: Waiting, sought: str) -> bool:
    return not sought or any(sought in normalise(each.question) for each in group)
