"""Real questions answered with the FAQ as it is, and as a draft would make it. Nothing is written.

The pairs of each question are gathered once, and judged twice: as they are, and together with the pair of the
draft under the statistics that the index has once the draft is in it and what it replaces is gone. The same
routing is applied to both.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from knowledge.learned_ranking import DEPTH, LearnedRanker
from services.faq.rows import pair_of_entry
from services.wiring import Platform
from vta.dialogue.gate import is_small_talk
from vta.dialogue.question import UnderstoodQuestion
from vta.dialogue.routing import decide
from vta.faq import clean_draft, faq_pair
from vta.ports import Knowledge
from vta.types.answers import Route, Turn
from vta.types.courses import Course, CourseId, FaqId
from vta.types.faq import FaqDraft
from vta.types.pairs import Candidate, QAPair

QUESTIONS = 200
"""The last real questions that are asked again by default."""


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
        """As in `counted_route`: a pair that only comes close is no answer."""
        return Route.UNANSWERED if self.near else self.route

    @property
    def visible(self) -> tuple[Route, str, str]:
        """The part that a student sees: the route and the texts of the first source."""
        pair = self.lead.pair if self.lead else None
        return self.route, pair.question if pair else "", pair.answer if pair else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Replayed:
    """A real question with its present answer and the one after the change."""

    turn: Turn
    now: ReplayedAnswer
    then: ReplayedAnswer

    @property
    def changed(self) -> bool:
        return self.now.visible != self.then.visible

    @property
    def same_way(self) -> bool:
        """Is the route the same, whatever source comes first?"""
        return self.now.counts_as is self.then.counts_as


def replay(
    platform: Platform, course_id: CourseId, proposal: FaqProposal, *, limit: int
) -> tuple[Replayed, ...]:
    """The last real questions of a course, newest first, each with and without the proposal.

    Equal to asking before and after publishing, with these bounds: search engines are not asked, and hints
    count as questions. Raises as `clean_draft` and `SqlFaq.history` do.
    """
    course = platform.stores.courses.course(course_id)
    questioner = Questioner(platform, course, platform.knowledge.current(course))
    change = change_of(platform, proposal, course)
    turns = platform.stores.sessions.latest_questions(course_id, limit)
    return tuple(questioner.replay(turn, change) for turn in turns)


def replay_thresholds(
    platform: Platform, course_id: CourseId, tried: Mapping[str, Any], *, limit: int
) -> tuple[Replayed, ...]:
    """The last real questions of a course, newest first, with its thresholds as they are and as `tried`.

    The same bounds as those of `replay` hold.
    """
    course = platform.stores.courses.course(course_id)
    knowledge = platform.knowledge.current(course)
    other = replace(course, **tried)
    now, then = (Questioner(platform, each, knowledge) for each in (course, other))
    turns = platform.stores.sessions.latest_questions(course_id, limit)
    return tuple(
        Replayed(turn=turn, now=now.replay(turn, NO_CHANGE).now, then=then.replay(turn, NO_CHANGE).now)
        for turn in turns
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexChange:
    """The pairs that a proposal removes from the index, and those that it adds."""

    gone: tuple[QAPair, ...]
    new: tuple[QAPair, ...]


NO_CHANGE = IndexChange(gone=(), new=())


def learned_ranker(knowledge: Knowledge) -> LearnedRanker:
    """The ranker of the knowledge; only a learned one judges a pair that is not in the index."""
    if not isinstance(knowledge.ranker, LearnedRanker):
        raise TypeError(f"{type(knowledge.ranker).__name__} cannot judge a pair that is not in the index")
    return knowledge.ranker


class Questioner:
    """Answers questions of one course from one state of its knowledge, as far as their route."""

    def __init__(self, platform: Platform, course: Course, knowledge: Knowledge) -> None:
        self._reader, self._course, self._knowledge = platform.reader, course, knowledge
        self._ranker = learned_ranker(knowledge)
        self._can_reason = platform.model is not None

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
        )
        is_shown = decision.known and decision.route not in (Route.UNANSWERED, Route.CHIT_CHAT)
        lead = decision.known[0] if is_shown else None
        return ReplayedAnswer(route=decision.route, lead=lead, near=decision.near and not self._can_reason)


def change_of(platform: Platform, proposal: FaqProposal, course: Course) -> IndexChange:
    """The change of a course's pairs by a proposal. Raises as `replay` does."""
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
