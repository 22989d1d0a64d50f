"""Looking up what a question is answered from, and deciding how."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from vta.dialogue.concepts import teach_steps
from vta.dialogue.conflict import ConflictFinder
from vta.dialogue.degradations import SEARCH_FAILURES, search_failed
from vta.dialogue.going_on import is_told, last_answered, offer_anew
from vta.dialogue.plan import Plan
from vta.dialogue.question import QuestionContext
from vta.dialogue.routing import (
    EXACT_MATCH_SCORE,
    SURE_TALK,
    Decision,
    asks_search_engine,
    beta_for,
    decide,
    exact_match_first,
    relevance_of,
    supported,
)
from vta.dialogue.searching import WebLookup
from vta.dialogue.tracing import Tracer
from vta.errors import VtaError
from vta.faq import asks
from vta.ports import ExactMatches
from vta.threads import in_thread
from vta.types import Candidate, Degradation, QAPair, Ranking, RankingSummary, Route

_CHOSEN_FROM = 3
RECALLED = 3
"""So many pairs are known to small talk."""


class Retriever:
    """Finds the knowledge for a question: by relevance, and by its very wording where search is away."""

    def __init__(
        self,
        *,
        exact_matches: ExactMatches,
        conflicts: ConflictFinder,
        web: WebLookup | None,
        can_reason: bool,
    ) -> None:
        """`can_reason` says that a language model answers, so that what is known need not hold the answer."""
        self._exact_matches = exact_matches
        self._conflicts = conflicts
        self._web = web
        self._can_reason = can_reason

    def recall(self, context: QuestionContext, trace: Tracer) -> Plan:
        """Knowledge for small talk: what is found under the dialogue so far (XDAI)."""
        dialogue = "\n".join([*(turn.question for turn in context.history[-1:]), context.standalone])
        known: tuple[Candidate, ...] = ()
        with trace.stage("ranking") as tell:
            try:
                if (asked := self._ask_course(context, trace)) is not None:
                    return asked
                ranking = _rank(context, dialogue, top=RECALLED)
                known, degraded = supported(ranking.candidates, context.thresholds), ranking.degraded
            except SEARCH_FAILURES as failure:
                degraded = search_failed(failure)
            tell(f"{len(known)} pairs to talk about")
        return Plan(
            route=Route.CHIT_CHAT,
            candidates=known,
            steps=(),
            ranking=None,
            degraded=degraded,
            conflict=None,
        )

    def _ask_course(self, context: QuestionContext, trace: Tracer) -> Plan | None:
        """The plan for what sounds like small talk and the course answers: its answer goes before that.

        It has the very wording of an FAQ entry, or is relevant enough where the intent leaves a doubt.
        Never in distress, nor for a feeling alone.
        """
        if context.in_distress or context.only_feels:
            return None
        ranking = _rank(context, context.standalone)
        best = exact_match_first(context.asked, ranking.candidates)[:1]
        in_doubt = max(context.intent.chit_chat, context.intent.other_task) <= SURE_TALK
        if not any(
            asks(each.pair, context.asked)
            or (in_doubt and relevance_of(each) >= context.thresholds.relevance)
            for each in best
        ):
            return None
        return self._plan(context, ranking, trace, ranking.degraded)

    async def retrieve(
        self, context: QuestionContext, trace: Tracer, around: Sequence[Candidate] = ()
    ) -> Plan:
        """Rank, then decide: direct, Chain of Teach, or unanswered.

        `around` stands around what the last answer cited; an operation on that answer may use it.
        Where search fails, an FAQ pair with the question's very wording answers it from the store; else the
        failure is raised.
        """
        try:
            return await self._search(context, trace, around)
        except SEARCH_FAILURES as failure:
            plan = await in_thread(self._plan_exact_match, context, trace, failure)
            if plan is None:
                raise
            return plan

    async def _search(self, context: QuestionContext, trace: Tracer, around: Sequence[Candidate]) -> Plan:
        """Search the course first, and a search engine only where the course's best S is not above beta."""
        beta = beta_for(context.intent, context.thresholds)
        with trace.stage("ranking") as tell:
            ranking = await in_thread(_rank, context, context.standalone, top=_ranked(context))
            tell(describe_ranking(ranking, beta))
        failed = None
        if self._web is not None and asks_search_engine(
            _best(ranking), context.intent, context.mentions, beta=beta, thresholds=context.thresholds
        ):
            found, failed = await self._web.find(context, trace)
            if found:
                ranking = await in_thread(_rank, context, context.standalone, found, top=_ranked(context))
        ranking = replace(ranking, candidates=_going_on(context, ranking.candidates, around))
        return await in_thread(self._plan, context, ranking, trace, failed or ranking.degraded)

    def _plan(
        self, context: QuestionContext, ranking: Ranking, trace: Tracer, degraded: Degradation | None
    ) -> Plan:
        with trace.stage("route") as tell:
            decision = self._decide(context, ranking)
            if decision.route is Route.DIRECT and _may_not_repeat(context, decision.known[0]):
                decision = replace(decision, route=Route.CHAIN_OF_TEACH)
            tell(f"{decision.route}{', near' if decision.near else ''}, relevance = {decision.relevance:.3f}")
        with trace.stage("conflict") as tell:
            conflict = decision.conflict
            tell(f"FAQ and material disagree, {conflict.difference}" if conflict else "none")
        return _as_plan(context, ranking, decision, degraded)

    def _plan_exact_match(self, context: QuestionContext, trace: Tracer, failure: VtaError) -> Plan | None:
        """A direct answer without any search; None where no FAQ pair has this wording, and for a hint."""
        with trace.stage("exact_match") as tell:
            pair = self._exact_matches.find(context.course.id, context.asked)
            tell("none" if pair is None else "an FAQ pair asks this very question")
        if pair is None:
            return None
        found = Candidate(pair=pair, bm25=EXACT_MATCH_SCORE, weight=1.0, score=EXACT_MATCH_SCORE)
        ranking = Ranking(terms=(), candidates=(found,))
        decision = self._decide(context, ranking)
        if decision.route is not Route.DIRECT:
            return None
        return _as_plan(context, ranking, decision, search_failed(failure))

    def _decide(self, context: QuestionContext, ranking: Ranking) -> Decision:
        return decide(
            context.asked,
            ranking.candidates,
            mentions=context.mentions,
            intent=context.intent,
            thresholds=context.thresholds,
            mode=context.mode,
            can_reason=self._can_reason,
            goes_on=context.is_operation,
            course=context.course,
            conflicts=self._conflicts,
        )


def _as_plan(
    context: QuestionContext, ranking: Ranking, decision: Decision, degraded: Degradation | None
) -> Plan:
    return Plan(
        route=decision.route,
        candidates=decision.known,
        steps=teach_steps(context.mentions, context.knowledge.graph),
        ranking=RankingSummary(score=decision.best, beta=decision.beta, terms=ranking.terms),
        degraded=degraded,
        conflict=decision.conflict,
        near=decision.near,
    )


def _rank(
    context: QuestionContext, text: str, found: Sequence[QAPair] = (), *, top: int | None = None
) -> Ranking:
    return context.knowledge.ranker.rank(
        text,
        course=context.course,
        mentions=context.mentions,
        chit_chat=context.intent.chit_chat,
        top=context.thresholds.top_k if top is None else top,
        found=found,
    )


def _may_not_repeat(context: QuestionContext, best: Candidate) -> bool:
    """Whether a direct answer would give again, or whole, what was asked for in another way."""
    return context.wish.shorter or is_told(best.pair.answer, context.wish.told)


def _ranked(context: QuestionContext) -> int:
    """How many pairs are ranked: more where others than the best may be wanted."""
    return context.thresholds.top_k * (_CHOSEN_FROM if context.is_operation else 1)


def _going_on(
    context: QuestionContext, candidates: Sequence[Candidate], around: Sequence[Candidate]
) -> tuple[Candidate, ...]:
    """The candidates in the light of the last answer, where the question is an operation on that."""
    last = last_answered(context.history)
    if last is not None and context.is_operation:
        candidates = offer_anew(
            candidates, around, wish=context.wish, concepts=last.concepts, cited=last.citations
        )
    return tuple(candidates[: context.thresholds.top_k])


def _best(ranking: Ranking) -> float:
    return max((candidate.score for candidate in ranking.candidates), default=0.0)


def describe_ranking(ranking: Ranking, beta: float) -> str:
    """A ranking as the trace shows it."""
    summary = f"{len(ranking.candidates)} pairs, best S = {_best(ranking):.3f}, beta = {beta:.3f}"
    if ranking.candidates:
        first = ranking.candidates[0]
        near = "" if first.similarity is None else f", similarity = {first.similarity:.3f}"
        summary += f"; first: S = {first.score:.3f}{near}, relevance = {relevance_of(first):.3f}"
    if ranking.degraded is not None:
        summary += f"; without {ranking.degraded.stage}: {ranking.degraded.reason}"
    return summary
