"""What if: real questions answered with the FAQ as it is, and as a draft would make it. Nothing is written.

Each question is ranked once. The pairs found are then scored again together with the pair of the draft, under
the statistics that the index has once the draft is in it and what it replaces is gone. The same routing is
applied to both.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from knowledge.ranking import ConceptAwareRanker
from prompts.chit_chat.kinds import in_distress
from services.settings import Settings
from services.storage.stores import Stores
from vta.dialogue.conflict import ConflictFinder
from vta.dialogue.routing import decide, is_small_talk, thresholds_for
from vta.faq import clean_draft, faq_pair, is_no_answer_to
from vta.ports import Knowledge, KnowledgeBase, LanguageModel
from vta.text import Analyser
from vta.types import (
    Candidate,
    Course,
    CourseId,
    FaqDraft,
    FaqId,
    Mention,
    PairId,
    QAPair,
    Route,
    Thresholds,
    Turn,
)

QUESTIONS = 200
"""So many of the last real questions are asked again unless another number is wished."""
_SPARE = 3
"""Times `top_k` pairs are ranked, so that one that leaves or rises does not fall off the end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """A change of the FAQ: `draft` in the place of the entry, a new one without `entry`; None removes it."""

    draft: FaqDraft | None
    entry: FaqId | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How a question is answered: the route, and the pair that comes first among what is known."""

    route: Route
    lead: Candidate | None

    def same_as(self, other: Outcome) -> bool:
        """Whether a student would see the same road and the same first source with the same text."""
        return (self.route, _visible(self.lead)) == (other.route, _visible(other.lead))


@dataclass(frozen=True, slots=True, kw_only=True)
class Replayed:
    """A real question with its answer as things are and as they would be."""

    turn: Turn
    now: Outcome
    then: Outcome

    @property
    def changed(self) -> bool:
        return not self.now.same_as(self.then)


@runtime_checkable
class _RanksByWords(Protocol):
    """A ranker over words, or over them and vectors."""

    @property
    def by_words(self) -> ConceptAwareRanker: ...


class ReplaySource(Protocol):
    """What a replay needs of the platform."""

    @property
    def stores(self) -> Stores: ...

    @property
    def settings(self) -> Settings: ...

    @property
    def knowledge(self) -> KnowledgeBase: ...

    @property
    def model(self) -> LanguageModel | None: ...


def replay(
    platform: ReplaySource, course_id: CourseId, proposal: Proposal, *, limit: int
) -> tuple[Replayed, ...]:
    """The last real questions of a course, newest first, each with and without the proposal.

    Equal to asking before and after publishing, with these bounds: search engines are not asked, hints count
    as questions, and where vectors are on the order is that of words alone. Raises as `clean_draft` and
    `FaqRepository.history` do.
    """
    course = platform.stores.courses.course(course_id)
    questioner = Questioner(
        course=course,
        knowledge=platform.knowledge.current(),
        thresholds=thresholds_for(course, platform.settings.thresholds),
        can_reason=platform.model is not None,
    )
    change = _change(platform, proposal, course)
    turns = platform.stores.sessions.latest_questions(course_id, limit)
    return tuple(questioner.replay(turn, change) for turn in turns)


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What a proposal does to the pairs of the index."""

    gone: tuple[QAPair, ...]
    new: tuple[QAPair, ...]


class Questioner:
    """Answers questions of one course from one state of its knowledge, as far as their route."""

    def __init__(
        self, *, course: Course, knowledge: Knowledge, thresholds: Thresholds, can_reason: bool
    ) -> None:
        if not isinstance(knowledge.ranker, _RanksByWords):
            raise TypeError(f"{type(knowledge.ranker).__name__} cannot score a pair that is not in the index")
        self._course, self._linker = course, knowledge.linker
        self._ranker = knowledge.ranker.by_words.for_one_pass()
        self._thresholds = thresholds
        self._can_reason = can_reason
        self._conflicts = ConflictFinder(Analyser())

    def replay(self, turn: Turn, change: Change) -> Replayed:
        """A stored question as it was understood then, with and without the change."""
        intent, question = turn.answer.intent, turn.answer.standalone_question
        mentions = self._linker.link(question, course=self._course)
        if is_small_talk(
            turn.question,
            standalone=question,
            intent=intent,
            mentions=mentions,
            thresholds=self._thresholds,
            in_distress=in_distress(turn.question),
        ):
            talk = Outcome(route=Route.CHIT_CHAT, lead=None)
            return Replayed(turn=turn, now=talk, then=talk)
        top = self._thresholds.top_k
        ranked = self._ranker.rank(
            question,
            course=self._course,
            mentions=mentions,
            chit_chat=intent.chit_chat,
            top=top * _SPARE,
        ).candidates
        kept = [c.pair for c in ranked if c.pair not in change.gone]
        fits = [pair for pair in change.new if not is_no_answer_to(pair, question)]
        scored = self._ranker.score(
            [*kept, *fits],
            question,
            course=self._course,
            mentions=mentions,
            chit_chat=intent.chit_chat,
            joining=change.new,
            leaving=change.gone,
        )
        after = sorted((c for c in scored if c.score > 0), key=lambda c: (-c.score, c.pair.id))
        return Replayed(
            turn=turn,
            now=self._route(turn, question, mentions, ranked[:top], Change(gone=(), new=())),
            then=self._route(turn, question, mentions, after[:top], change),
        )

    def _route(
        self,
        turn: Turn,
        question: str,
        mentions: Sequence[Mention],
        candidates: Sequence[Candidate],
        change: Change,
    ) -> Outcome:
        def coverage(known: Sequence[Candidate]) -> float:
            return self._ranker.coverage(
                question, mentions=mentions, candidates=known, joining=change.new, leaving=change.gone
            )

        decision = decide(
            question,
            candidates,
            mentions=mentions,
            intent=turn.answer.intent,
            thresholds=self._thresholds,
            coverage=None if self._can_reason else coverage,
            conflicts=self._conflicts,
        )
        is_shown = decision.known and decision.route is not Route.UNANSWERED
        return Outcome(route=decision.route, lead=decision.known[0] if is_shown else None)


def _change(platform: ReplaySource, proposal: Proposal, course: Course) -> Change:
    gone: tuple[QAPair, ...] = ()
    pair_id = PairId("faq-draft")
    if proposal.entry is not None:
        entry = platform.stores.faq.history(course.id, proposal.entry)[-1]
        pair_id = PairId(f"faq-{entry.id}")
        if not entry.removed:
            gone = (faq_pair(entry.draft, pair_id, course=course, document=None),)
    if proposal.draft is None:
        return Change(gone=gone, new=())
    return Change(
        gone=gone, new=(faq_pair(clean_draft(proposal.draft), pair_id, course=course, document=None),)
    )


def _visible(lead: Candidate | None) -> tuple[str, str] | None:
    """What is read of a pair; its wordings and ids do not show."""
    return None if lead is None else (lead.pair.question, lead.pair.answer)
