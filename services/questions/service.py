"""The questions for a real TA, as API, console and command line work on them."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import datetime
from heapq import nlargest
from textwrap import shorten

from services.faq.rows import entry_of_pair
from services.indexing.stored_knowledge import StoredKnowledge, sync_index
from services.questions.grouping import NEAR, QuestionGrouping
from services.questions.inbox import InboxPage, InboxPages, InboxQuery, Waiting, words_of
from services.questions.triage import Assessment, Band, QuestionBands
from services.stores import Stores
from vta.dialogue.grounding import without_marks
from vta.errors import InvalidInput, NotFound
from vta.faq import asks, comparison_key, with_negatives
from vta.faults import Fault
from vta.text import normalise
from vta.types.answers import Answer, Turn
from vta.types.courses import Course, CourseId, FaqId, TurnId
from vta.types.faq import FaqDraft, FaqEntry
from vta.types.inbox import QuestionContext, QuestionMessage, QuestionState, Ta, WaitingQuestion
from vta.types.pairs import Source

SETTLED_PAGE_SIZE = 50
"""Questions on a page of what is settled."""
SHOWN_EARLIER, LOOKED_BACK = 3, 2000
"""Settled questions that are shown beside those to be settled, and among how many they are looked for."""
EXCERPT = 400
"""Characters of a place in a draft."""
SHOWN_CONTEXTS = 10
"""Of the questions that are settled together, those shown with their conversation."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SettledPage:
    """Questions that were answered or rejected, the last settled first; `said` as `SqlTaQueue.said`."""

    questions: Waiting
    said: Mapping[str, str]
    total: int
    number: int
    last: int


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionReport:
    """A question in any state, how it came up, and what was written about it."""

    question: WaitingQuestion
    context: QuestionContext
    messages: tuple[QuestionMessage, ...]

    @property
    def conversation(self) -> tuple[Turn, ...]:
        """The turns before the question, then its own."""
        return (*self.context.before, self.context.turn)


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionReview:
    """Questions to be settled, what the course has on them, and the entries among that.

    `earlier` are settled questions that ask nearly the same, the nearest first, with what was said to them.
    `contexts` say how the first `SHOWN_CONTEXTS` of them came up, by their turns.
    """

    waiting: Waiting
    assessment: Assessment | None
    entries: tuple[FaqEntry, ...]
    earlier: tuple[tuple[WaitingQuestion, str], ...]
    messages: tuple[QuestionMessage, ...]
    contexts: Mapping[TurnId, QuestionContext]

    @property
    def offered(self) -> str:
        """A draft to start from: text of the course that may answer, else its best place with an excerpt.

        Empty where nothing comes near. The answer of an FAQ is one only to its own question: that of another
        stands among those to add to.
        """
        if self.assessment is None or self.assessment.band is Band.DISCARD:
            return ""
        draft, candidates = self.assessment.draft, self.assessment.candidates
        if draft is not None and (
            draft.pair.source is not Source.FAQ or asks(draft.pair, self.waiting[0].asks)
        ):
            return draft.pair.answer
        places = (each.pair for each in candidates if each.pair.source is Source.MATERIAL)
        place = next(places, None)
        if place is None:
            return ""
        return f"{_named(place.question, place.url)}\n\n> {shorten(place.answer, EXCERPT, placeholder=' …')}"


def as_draft(answer: Answer) -> str:
    """An answer of the assistant as a draft: without marks, its sources below it."""
    sources = dict.fromkeys(f"- {_named(each.title, each.url)}" for each in answer.citations)
    return "\n".join((without_marks(answer.text).rstrip(), "", *sources)).rstrip()


def _named(title: str, url: str | None) -> str:
    title = title.partition("\n")[0]
    return f"[{title}]({url})" if url else f"**{title}**"


class QuestionService:
    """The questions for the TA of all courses. What is published is searchable when a method returns.

    Methods that settle questions raise as `SqlTaQueue` does.
    """

    def __init__(
        self, stores: Stores, knowledge: StoredKnowledge, bands: QuestionBands, grouping: QuestionGrouping
    ) -> None:
        self._stores = stores
        self._knowledge = knowledge
        self._bands = bands
        self._grouping = grouping
        self._inbox = InboxPages(asked=stores.asked, bands=bands, grouping=grouping)

    def found(
        self,
        course_id: CourseId,
        state: QuestionState | None,
        *,
        sought: str = "",
        assignee: Ta | None = None,
        since: datetime | None = None,
    ) -> Waiting:
        """The questions in one state, or in all, filtered by text, assignee and time.

        `since` takes those that were asked or settled then or later.
        """
        found, words = self._stores.asked.all_questions(course_id, state), normalise(sought)
        if since is not None:
            found = tuple(each for each in found if (each.resolved_at or each.created_at) >= since)
        if assignee is not None:
            found = tuple(filter(assignee.has, found))
        return tuple(each for each in found if words in normalise(words_of(each))) if words else found

    def report(self, course_id: CourseId, question_id: str) -> QuestionReport:
        """A question with its context and messages; `NotFound` for one of another course."""
        for question in self._stores.asked.questions_of(course_id, [question_id]):
            context = self.contexts(course_id, (question,))[question.turn_id]
            messages = self._stores.threads.messages(course_id, [question_id]).get(question_id, ())
            return QuestionReport(question=question, context=context, messages=messages)
        raise NotFound(Fault("waiting_question.unknown", question=question_id, course=course_id))

    def inbox(self, course: Course, query: InboxQuery | None = None) -> InboxPage:
        return self._inbox.page(course, query or InboxQuery())

    def settled(self, course_id: CourseId, state: str, *, sought: str = "", number: int = 1) -> SettledPage:
        asked, found = self._stores.asked, self._holding(course_id, state, sought) if sought else None
        total = asked.count_waiting(course_id, state) if found is None else len(found)
        last = max(1, -(-total // SETTLED_PAGE_SIZE))
        number = min(number, last)
        first = (number - 1) * SETTLED_PAGE_SIZE
        if found is None:
            shown = asked.settled_questions(course_id, state, offset=first, limit=SETTLED_PAGE_SIZE)
        else:
            shown = found[first : first + SETTLED_PAGE_SIZE]
        said = self._stores.ta_queue.said(course_id, shown)
        return SettledPage(questions=shown, said=said, total=total, number=number, last=last)

    def _holding(self, course_id: CourseId, state: str, sought: str) -> Waiting:
        """The settled questions whose words, reason or answer hold the text."""
        words, holds = normalise(sought), self._inbox.normalised
        said = self._stores.ta_queue.said(course_id)
        return tuple(
            each
            for each in self._stores.asked.settled_questions(course_id, state)
            if words in holds(words_of(each))
            or words in holds(each.reason or "")
            or words in holds(_said(said, each))
        )

    def review(self, course: Course, question_ids: Sequence[str]) -> QuestionReview:
        """The waiting ones of these questions, for their page; `NotFound` if none waits."""
        found = self._stores.asked.questions_of(course.id, question_ids)
        waiting = tuple(each for each in found if each.state is QuestionState.WAITING)
        if not waiting:
            raise NotFound(Fault("waiting_question.gone"))
        assessment = self._bands.assess(course, waiting[0].asks)
        candidates = assessment.candidates if assessment else ()
        near = filter(None, (entry_of_pair(each.pair.id) for each in candidates))
        entries = tuple(self._stores.faq.history(course.id, each)[-1] for each in near)
        return QuestionReview(
            waiting=waiting,
            assessment=assessment,
            entries=entries,
            earlier=self._earlier(course.id, waiting[:SHOWN_CONTEXTS], {each.id for each in entries}),
            messages=self.threads(course.id, [waiting])[waiting[0].id],
            contexts=self.contexts(course.id, waiting[:SHOWN_CONTEXTS]),
        )

    def _earlier(
        self, course_id: CourseId, waiting: Waiting, shown: Container[FaqId | None]
    ) -> tuple[tuple[WaitingQuestion, str], ...]:
        """How questions that ask nearly the same were settled, but by the entries that are shown already."""
        settled = self._stores.asked.settled_questions(course_id, None, limit=LOOKED_BACK)
        others = [each for each in settled if each.faq_id not in shown]
        alike: dict[str, tuple[float, WaitingQuestion]] = {}
        for own in waiting:
            likeness = self._grouping.likeness(own.asks, [each.asks for each in others])
            for each, closeness in zip(others, likeness, strict=True):
                name = each.faq_id or each.id
                if closeness >= max(NEAR, alike[name][0] if name in alike else 0):
                    alike[name] = closeness, each
        found = [each for _, each in nlargest(SHOWN_EARLIER, alike.values(), key=lambda pair: pair[0])]
        said = self._stores.ta_queue.said(course_id, found)
        return tuple((each, _said(said, each)) for each in found)

    def answer(
        self, course_id: CourseId, question_ids: Sequence[str], answer: FaqDraft | FaqId, *, editor: str
    ) -> FaqEntry:
        """Answer questions, and all that wait in the same words, with a new entry or an existing one."""
        entry = self._stores.ta_queue.answer(course_id, question_ids, answer, editor=editor)
        sync_index(self._knowledge)
        return entry

    def take_back(self, course_id: CourseId, question_ids: Sequence[str], *, editor: str) -> None:
        """Undo the answers that settled these questions; the questions wait again."""
        self._stores.ta_queue.take_back(course_id, question_ids, editor=editor)
        sync_index(self._knowledge)

    def separate(
        self, course_id: CourseId, question_ids: Sequence[str], faq_id: FaqId, *, editor: str
    ) -> FaqEntry:
        """Add these questions to the negative ones of an entry; they still wait.

        `InvalidInput` where one of them is the entry's own question.
        """
        found = self._stores.asked.questions_of(course_id, question_ids)
        waiting = [each for each in found if each.state is QuestionState.WAITING]
        newest = self._stores.faq.history(course_id, faq_id)[-1]
        draft = with_negatives(newest.draft, [each.asks for each in waiting])
        entry = self._stores.faq.edit(course_id, faq_id, draft, editor=editor, expected=newest.version)
        sync_index(self._knowledge)
        return entry

    def group(self, course_id: CourseId, chosen: Sequence[str], shown: Sequence[str]) -> list[str]:
        """Make the chosen questions one group and the rest of the shown ones another; returns the first.

        A question with the words of one that was not chosen stays with it.
        """
        found = self._stores.asked.questions_of(course_id, {*chosen, *shown})
        words = {comparison_key(each.asks) for each in found if each.id not in chosen}
        rest = [each.id for each in found if comparison_key(each.asks) in words]
        together = [each.id for each in found if each.id not in rest]
        if not together:
            raise InvalidInput(Fault("waiting_question.same_words"), field="questions")
        self._stores.ta_queue.group(course_id, [together, rest] if rest else [together])
        return together

    def join(self, course_id: CourseId, question_id: str, other_id: str) -> None:
        """Make the groups of these two waiting questions one; `NotFound` where one is settled."""
        groups = self._groups_of(course_id, {question_id, other_id})
        self._stores.ta_queue.group(course_id, [[each for group in groups for each in group]])

    def keep_apart(self, course_id: CourseId, question_id: str, other_id: str) -> None:
        """Let the groups of these two stand as they are, with no merge proposed; errors as in `join`."""
        self._stores.ta_queue.group(course_id, self._groups_of(course_id, {question_id, other_id}))

    def _groups_of(self, course_id: CourseId, sought: Set[str]) -> list[list[str]]:
        """The groups that hold these waiting questions; `NotFound` where one is settled."""
        groups = self._inbox.grouped(self._stores.asked.all_questions(course_id, QuestionState.WAITING))
        ids = [[each.id for each in group] for group in groups]
        found = [group for group in ids if not sought.isdisjoint(group)]
        if not sought <= {each for group in found for each in group}:
            raise NotFound(Fault("waiting_question.gone"))
        return found

    def tas(self, course_id: CourseId, me: Ta) -> Mapping[Ta, int]:
        """The possible assignees, each with the number of waiting questions that they have.

        `me` first, then the members of the course, then those who do but are none, as after an LTI launch.
        """
        members = (each.person for each in self._stores.memberships.members(course_id))
        known = dict.fromkeys((me, *(Ta(name=each.name, id=each.id) for each in members)))
        assigned = self._stores.ta_queue.assigned(course_id)
        others = (Ta(name=ta.name) for ta in assigned if not any(each.is_same(ta) for each in known))
        return {
            each: sum(count for ta, count in assigned.items() if each.is_same(ta))
            for each in (*known, *others)
        }

    def contexts(self, course_id: CourseId, questions: Waiting) -> Mapping[TurnId, QuestionContext]:
        """How these questions came up, by their turns."""
        return self._stores.asked.contexts(course_id, [each.turn_id for each in questions])

    def threads(
        self, course_id: CourseId, groups: Sequence[Waiting]
    ) -> Mapping[str, tuple[QuestionMessage, ...]]:
        """The messages of each group, by the id of its first question; each message once."""
        found = self._stores.threads.messages(course_id, [each.id for group in groups for each in group])
        return {group[0].id: _merged([found.get(each.id, ()) for each in group]) for group in groups}


def _said(said: Mapping[str, str], question: WaitingQuestion) -> str:
    return said.get(question.faq_id or question.id, "")


def _merged(threads: Sequence[Sequence[QuestionMessage]]) -> tuple[QuestionMessage, ...]:
    """All messages, oldest first; one that was written to several threads at once appears once."""
    found = dict.fromkeys(message for thread in threads for message in thread)
    return tuple(sorted(found, key=lambda message: message.created_at))
