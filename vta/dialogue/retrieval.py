"""Looking up what a question is answered from: in the course, by a search engine, by its very wording."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace
from functools import partial

from vta.dialogue.continuation import last_answered, offer_anew
from vta.dialogue.course_places import CoursePlaces
from vta.dialogue.degradations import SEARCH_FAILURES, search_failed
from vta.dialogue.gate import is_small_talk
from vta.dialogue.outside import Outside
from vta.dialogue.plan import Given, Here
from vta.dialogue.question import UnderstoodQuestion
from vta.dialogue.reranking import RERANKED, rerank
from vta.dialogue.routing import EXACT_MATCH_SCORE, asks_search_engine, beta_for, relevance_of
from vta.dialogue.tracing import Tracer
from vta.errors import UpstreamFailed, VtaError
from vta.ports import ExactMatches, Reranker, WebSearch
from vta.types.pairs import Candidate, Degradation, QAPair, Ranking

_CHOSEN_FROM = 3
MOST_FOUND = 5
"""Pairs that a search engine is asked for."""

FoundPairs = tuple[tuple[QAPair, ...], Degradation | None]


class WebLookup:
    """A search engine as a stage of a turn."""

    def __init__(self, engine: WebSearch) -> None:
        self._engine = engine

    async def find(self, context: UnderstoodQuestion, trace: Tracer) -> FoundPairs:
        """What is found for the stand-alone question; nothing, and why, where the engine fails."""
        with trace.stage("web_search") as tell:
            try:
                found = await self._engine.search(
                    context.standalone,
                    course_id=context.course.id,
                    language=context.language,
                    limit=MOST_FOUND,
                )
            except UpstreamFailed as failure:
                tell(f"failed: {failure.message}")
                return (), Degradation(stage="web_search", reason=failure.message)
            tell(f"{len(found)} pairs found")
            return found, None


@dataclass(frozen=True, slots=True, kw_only=True)
class LookedUp:
    """What there is for a question.

    `given` is an answer in itself: a place of the course. `ranking` is what was found, None
    beside that and where nothing was searched. `is_talk`: it is small talk or another task. Where search
    failed, `failure` says why, and the ranking is the FAQ pair that asks this very question. `degraded` is
    what was missing.
    """

    given: Given | Here | None = None
    ranking: Ranking | None = None
    is_talk: bool = False
    failure: VtaError | None = None
    degraded: Degradation | None = None


class Retriever:
    """Finds the knowledge for a question: by relevance, and by its very wording where search is away."""

    def __init__(
        self,
        *,
        places: CoursePlaces,
        exact_matches: ExactMatches,
        web: WebLookup | None,
        can_reason: bool,
        reranker: Reranker | None,
    ) -> None:
        """`can_reason`: a language model reads what is found, and says itself where something stands."""
        self._places = places
        self._exact_matches = exact_matches
        self._web = web
        self._can_reason = can_reason
        self._reranker = reranker

    def retrieve(
        self, context: UnderstoodQuestion, trace: Tracer
    ) -> Generator[Outside[FoundPairs], None, LookedUp]:
        """A place of the course, else what search finds.

        Where search fails, an FAQ pair with the question's very wording is looked up in the store; else small
        talk is answered by the intent alone, and for a question the failure is raised.
        """
        if context.in_distress:
            return LookedUp(is_talk=True)
        place = self._places.plan(context, trace)
        if place is not None and (isinstance(place, Here) or not self._can_reason):
            return LookedUp(given=place)
        try:
            return (yield from self._search(context, trace))
        except SEARCH_FAILURES as failure:
            return self._exact_match(context, trace, failure)

    def _search(
        self, context: UnderstoodQuestion, trace: Tracer
    ) -> Generator[Outside[FoundPairs], None, LookedUp]:
        """The ranking, for an operation in the light of the last answer.

        A search engine is asked only for a question, where the course's best S is not above beta.
        """
        top = context.thresholds.top_k * (_CHOSEN_FROM if context.is_operation else 1)
        beta = beta_for(context.intent, context.thresholds)
        with trace.stage("ranking") as tell:
            ranking = self._reranked(context, top)
            tell(describe_ranking(ranking, beta))
        if is_talk(context, ranking.candidates):
            return LookedUp(ranking=ranking, is_talk=True, degraded=ranking.degraded)
        failed = None
        if self._web is not None and asks_search_engine(
            _best(ranking), context.intent, context.mentions, beta=beta, thresholds=context.thresholds
        ):
            yield (searching := Outside(partial(self._web.find, context, trace)))
            found, failed = searching.reply
            if found:
                ranking = _rank(context, context.standalone, found, top=top)
        candidates = ranking.candidates
        last = last_answered(context.history)
        if last is not None and context.is_operation:
            candidates = offer_anew(
                candidates, wish=context.wish, concepts=last.concepts, cited=last.citations
            )
        ranking = replace(ranking, candidates=tuple(candidates[: context.thresholds.top_k]))
        return LookedUp(ranking=ranking, degraded=failed or ranking.degraded)

    def _reranked(self, context: UnderstoodQuestion, top: int) -> Ranking:
        """The ranking of the question, its best candidates in the order of a reranker if there is one."""
        if self._reranker is None:
            return _rank(context, context.standalone, top=top)
        ranking = _rank(context, context.standalone, top=max(top, RERANKED))
        order, failed = rerank(context.standalone, ranking.candidates, self._reranker)
        return replace(ranking, candidates=order[:top], degraded=ranking.degraded or failed)

    def _exact_match(self, context: UnderstoodQuestion, trace: Tracer, failure: VtaError) -> LookedUp:
        with trace.stage("exact_match") as tell:
            pair = self._exact_matches.find(context.course.id, context.asked)
            tell("none" if pair is None else "an FAQ pair asks this very question")
        if pair is None and is_talk(context, None):
            return LookedUp(is_talk=True, degraded=search_failed(failure))
        if pair is None:
            raise failure
        found = Candidate(pair=pair, bm25=EXACT_MATCH_SCORE, weight=1.0, score=EXACT_MATCH_SCORE)
        ranking = Ranking(terms=(), candidates=(found,))
        return LookedUp(ranking=ranking, failure=failure, degraded=search_failed(failure))


def is_talk(context: UnderstoodQuestion, candidates: Sequence[Candidate] | None) -> bool:
    """Whether it is a cry for help or small talk; nothing that asks on about the last answer, or about a
    place, is small talk. `candidates` are None where search failed."""
    if context.in_distress:
        return True
    if context.scope is not None or context.asked != context.question:
        return False
    return context.only_feels or is_small_talk(
        context.question,
        candidates,
        mentions=() if context.goes_on else context.mentions,
        intent=context.intent,
        thresholds=context.thresholds,
    )


def _rank(
    context: UnderstoodQuestion, text: str, found: Sequence[QAPair] = (), *, top: int | None = None
) -> Ranking:
    return context.knowledge.ranker.rank(
        text,
        course=context.course,
        mentions=context.mentions,
        chit_chat=context.intent.chit_chat,
        top=context.thresholds.top_k if top is None else top,
        found=found,
    )


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
