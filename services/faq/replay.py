"""What if: real questions answered with the FAQ as it is, and as a draft would make it. Nothing is written.

The pairs of each question are gathered once, and judged twice: as they are, and together with the pair of the
draft under the statistics that the index has once the draft is in it and what it replaces is gone. The same
routing is applied to both.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from knowledge.learned_ranking import DEPTH, LearnedRanker
from services.faq.rows import pair_of_entry
from services.settings import Settings
from services.stores import Stores
from vta.dialogue.assistant import Assistant
from vta.dialogue.conflict import ConflictFinder
from vta.dialogue.gate import is_small_talk
from vta.dialogue.question import UnderstoodQuestion
from vta.dialogue.routing import decide
from vta.dialogue.understanding import Understanding
from vta.faq import clean_draft, faq_pair
from vta.ports import Knowledge, KnowledgeBase, LanguageModel
from vta.text import Analyser
from vta.types.answers import Route, Turn
from vta.types.courses import Course, CourseId, FaqId
from vta.types.faq import FaqDraft
from vta.types.pairs import Candidate, QAPair

QUESTIONS = 200
"""So many of the last real questions are asked again unless another number is wished."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FaqProposal:
    """A change of the FAQ: `draft` in the place of the entry, a new one without `entry`; None removes it."""

    draft: FaqDraft | None
    entry: FaqId | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayedAnswer:
    """How a question is answered, by which pair first; `near`: it only comes close, and no model explains."""

    route: Route
    lead: Candidate | None
    near: bool = False

    @property
    def counts_as(self) -> Route:
        """As in `counted_route`: what only comes closest is no answer."""
        return Route.UNANSWERED if self.near else self.route

    def same_as(self, other: ReplayedAnswer) -> bool:
        """Whether a student would see the same road and the same first source with the same text."""
        return (self.route, _visible(self.lead)) == (other.route, _visible(other.lead))


@dataclass(frozen=True, slots=True, kw_only=True)
class Replayed:
    """A real question with its answer as things are and as they would be."""

    turn: Turn
    now: ReplayedAnswer
    then: ReplayedAnswer

    @property
    def changed(self) -> bool:
        return not self.now.same_as(self.then)

    @property
    def same_way(self) -> bool:
        """Whether it is answered in the same way, whatever comes first."""
        return self.now.counts_as is self.then.counts_as


class QuestionPlatform(Protocol):
    """What of the platform is needed to ask a course again, as it is or as it would be."""

    @property
    def settings(self) -> Settings: ...

    @property
    def stores(self) -> Stores: ...

    @property
    def knowledge(self) -> KnowledgeBase: ...

    @property
    def reader(self) -> Understanding: ...

    @property
    def model(self) -> LanguageModel | None: ...

    @property
    def previewer(self) -> Assistant: ...

    @property
    def previewer_of(self) -> Callable[[KnowledgeBase], Assistant]: ...


def replay(
    platform: QuestionPlatform, course_id: CourseId, proposal: FaqProposal, *, limit: int
) -> tuple[Replayed, ...]:
    """The last real questions of a course, newest first, each with and without the proposal.

    Equal to asking before and after publishing, with these bounds: search engines are not asked, and hints
    count as questions. Raises as `clean_draft` and `SqlFaq.history` do.
    """
    course = platform.stores.courses.course(course_id)
    questioner = _questioner(platform, course, platform.knowledge.current())
    change = change_of(platform, proposal, course)
    turns = platform.stores.sessions.latest_questions(course_id, limit)
    return tuple(questioner.replay(turn, change) for turn in turns)


def replay_thresholds(
    platform: QuestionPlatform, course_id: CourseId, tried: Mapping[str, Any], *, limit: int
) -> tuple[Replayed, ...]:
    """The last real questions of a course, newest first, with its thresholds as they are and as `tried`.

    The same bounds as those of `replay` hold.
    """
    course, knowledge = platform.stores.courses.course(course_id), platform.knowledge.current()
    other = replace(course, **tried)
    now, then = (_questioner(platform, each, knowledge) for each in (course, other))
    turns = platform.stores.sessions.latest_questions(course_id, limit)
    return tuple(
        Replayed(turn=turn, now=now.replay(turn, NO_CHANGE).now, then=then.replay(turn, NO_CHANGE).now)
        for turn in turns
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexChange:
    """What a proposal does to the pairs of the index."""

    gone: tuple[QAPair, ...]
    new: tuple[QAPair, ...]


NO_CHANGE = IndexChange(gone=(), new=())


class Questioner:
    """Answers questions of one course from one state of its knowledge, as far as their route."""

    def __init__(
        self, *, reader: Understanding, course: Course, knowledge: Knowledge, can_reason: bool
    ) -> None:
        if not isinstance(knowledge.ranker, LearnedRanker):
            raise TypeError(f"{type(knowledge.ranker).__name__} cannot judge a pair that is not in the index")
        self._reader, self._course, self._knowledge = reader, course, knowledge
        self._ranker = knowledge.ranker
        self._can_reason = can_reason
        self._conflicts = ConflictFinder(Analyser())

    def replay(self, turn: Turn, change: IndexChange) -> Replayed:
        """A stored question as it was understood then, with and without the change."""
        context = self._reader.recall(turn, course=self._course, knowledge=self._knowledge)
        asked = self._ranker.by_words.ask(
            context.standalone,
            course=self._course,
            mentions=context.mentions,
            chit_chat=context.intent.chit_chat,
        )
        pool = self._ranker.gather(asked, max(context.thresholds.top_k, DEPTH))
        now = self._route(context, self._ranker.judge(pool))
        if change == NO_CHANGE:
            return Replayed(turn=turn, now=now, then=now)
        then = self._ranker.judge(pool, joining=change.new, leaving=change.gone)
        return Replayed(turn=turn, now=now, then=self._route(context, then))

    def _route(self, context: UnderstoodQuestion, judged: Sequence[Candidate]) -> ReplayedAnswer:
        found = judged[: context.thresholds.top_k]
        decision = decide(
            context,
            found,
            small_talk=is_small_talk(context, found),
            can_reason=self._can_reason,
            conflicts=self._conflicts,
        )
        is_shown = decision.known and decision.route not in (Route.UNANSWERED, Route.CHIT_CHAT)
        lead = decision.known[0] if is_shown else None
        return ReplayedAnswer(route=decision.route, lead=lead, near=decision.near and not self._can_reason)


def _questioner(platform: QuestionPlatform, course: Course, knowledge: Knowledge) -> Questioner:
    return Questioner(
        reader=platform.reader, course=course, knowledge=knowledge, can_reason=platform.model is not None
    )


def change_of(platform: QuestionPlatform, proposal: FaqProposal, course: Course) -> IndexChange:
    """What becomes of the pairs of a course. Raises as `replay` does."""
    gone: tuple[QAPair, ...] = ()
    pair_id = pair_of_entry("draft")
    if proposal.entry is not None:
        entry = platform.stores.faq.history(course.id, proposal.entry)[-1]
        pair_id = pair_of_entry(entry.id)
        if entry.answers:
            gone = (faq_pair(entry.draft, pair_id, course=course, document=None),)
    if proposal.draft is None:
        return IndexChange(gone=gone, new=())
    return IndexChange(
        gone=gone, new=(faq_pair(clean_draft(proposal.draft), pair_id, course=course, document=None),)
    )


def _visible(lead: Candidate | None) -> tuple[str, str] | None:
    """What is read of a pair; its wordings and ids do not show."""
    return None if lead is None else (lead.pair.question, lead.pair.answer)
