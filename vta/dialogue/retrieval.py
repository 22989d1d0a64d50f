"""Looking up what a question is answered from: in the course, by a search engine, by its very wording."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from vta.dialogue.concepts import teach_steps
from vta.dialogue.conflict import ConflictFinder
from vta.dialogue.degradations import SEARCH_FAILURES, search_failed
from vta.dialogue.going_on import last_answered, offer_anew
from vta.dialogue.outside import Outside
from vta.dialogue.plan import Direct, Disagreement, Plan, SmallTalk, Teach, Unanswered
from vta.dialogue.question import QuestionContext
from vta.dialogue.routing import (
    EXACT_MATCH_SCORE,
    Decision,
    answers_small_talk,
    asks_search_engine,
    beta_for,
    decide,
    relevance_of,
    supported,
)
from vta.dialogue.tracing import Tracer
from vta.errors import UpstreamFailed, VtaError
from vta.ports import ExactMatches, WebSearch
from vta.types import Candidate, Degradation, QAPair, Ranking, RankingSummary, Route, Wish

_CHOSEN_FROM = 3
RECALLED = 3
"""So many pairs are known to small talk."""


FoundPairs = tuple[tuple[QAPair, ...], Degradation | None]


class WebLookup:
    """A search engine with the number of pairs to ask it for at most."""

    def __init__(self, engine: WebSearch, *, limit: int = 5) -> None:
        self._engine = engine
        self._limit = limit

    async def find(self, context: QuestionContext, trace: Tracer) -> FoundPairs:
        """What is found for the stand-alone question; nothing, and why, where the engine fails."""
        with trace.stage("web_search") as tell:
            try:
                found = await self._engine.search(
                    context.standalone,
                    course_id=context.course.id,
                    language=context.language,
                    limit=self._limit,
                )
            except UpstreamFailed as failure:
                tell(f"failed: {failure.message}")
                return (), Degradation(stage="web_search", reason=failure.message)
            tell(f"{len(found)} pairs found")
            return found, None


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

    def talk(self, context: QuestionContext, trace: Tracer) -> Plan:
        """Small talk over what is found under the dialogue so far (XDAI), unless the course answers it.

        It never does in distress, nor where only a feeling is told.
        """
        known: tuple[Candidate, ...] = ()
        with trace.stage("ranking") as tell:
            try:
                if not (context.in_distress or context.only_feels):
                    ranking = _rank(context, context.standalone)
                    if answers_small_talk(
                        context.asked, ranking.candidates, context.intent, context.thresholds
                    ):
                        return self._plan(context, ranking, trace, ranking.degraded)
                dialogue = "\n".join([*(turn.question for turn in context.history[-1:]), context.standalone])
                ranking = _rank(context, dialogue, top=RECALLED)
                known, degraded = supported(ranking.candidates, context.thresholds), ranking.degraded
            except SEARCH_FAILURES as failure:
                degraded = search_failed(failure)
            tell(f"{len(known)} pairs to talk about")
        return SmallTalk(candidates=known, degraded=degraded)

    def retrieve(
        self, context: QuestionContext, trace: Tracer, around: Sequence[Candidate] = ()
    ) -> Generator[Outside[FoundPairs], None, Plan]:
        """Rank, then decide: direct, Chain of Teach, or unanswered.

        `around` stands around what the last answer cited; an operation on that answer may use it. A search
        engine is asked only where the course's best S is not above beta. Where search fails, an FAQ pair with
        the question's very wording answers it from the store; else the failure is raised.
        """
        top = context.thresholds.top_k * (_CHOSEN_FROM if context.is_operation else 1)
        beta = beta_for(context.intent, context.thresholds)
        try:
            with trace.stage("ranking") as tell:
                ranking = _rank(context, context.standalone, top=top)
                tell(describe_ranking(ranking, beta))
            failed = None
            if self._web is not None and asks_search_engine(
                _best(ranking), context.intent, context.mentions, beta=beta, thresholds=context.thresholds
            ):
                searching = Outside(partial(self._web.find, context, trace))
                yield searching
                found, failed = searching.reply
                if found:
                    ranking = _rank(context, context.standalone, found, top=top)
            ranking = replace(ranking, candidates=_going_on(context, ranking.candidates, around))
            return self._plan(context, ranking, trace, failed or ranking.degraded)
        except SEARCH_FAILURES as failure:
            plan = self._plan_exact_match(context, trace, failure)
            if plan is None:
                raise
            return plan

    def _plan(
        self, context: QuestionContext, ranking: Ranking, trace: Tracer, degraded: Degradation | None
    ) -> Plan:
        with trace.stage("route") as tell:
            decision = self._decide(context, ranking, context.wish)
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
        decision = self._decide(context, ranking, Wish())
        if decision.route is not Route.DIRECT:
            return None
        return _as_plan(context, ranking, decision, search_failed(failure))

    def _decide(self, context: QuestionContext, ranking: Ranking, wish: Wish) -> Decision:
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
            wish=wish,
        )


def _as_plan(
    context: QuestionContext, ranking: Ranking, decision: Decision, degraded: Degradation | None
) -> Plan:
    found: dict[str, Any] = {
        "candidates": decision.known,
        "steps": teach_steps(context.mentions, context.knowledge.graph),
        "ranking": RankingSummary(score=decision.best, beta=decision.beta, terms=ranking.terms),
        "degraded": degraded,
    }
    match decision.route:
        case Route.DIRECT if decision.conflict is not None:
            return Disagreement(conflict=decision.conflict, **found)
        case Route.DIRECT:
            return Direct(**found)
        case Route.CHAIN_OF_TEACH:
            return Teach(near=decision.near, **found)
        case _:
            return Unanswered(**found)


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
