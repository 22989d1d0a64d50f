"""The search for an answer: in the course, with a search engine, and among the wordings of the FAQ."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace
from functools import partial

from vta.dialogue.awaiting import Await
from vta.dialogue.course_facts import FoundFacts
from vta.dialogue.course_places import CoursePlaces
from vta.dialogue.degradations import SEARCH_FAILURES, search_failed
from vta.dialogue.gate import is_small_talk
from vta.dialogue.history import choose_for_operation, last_answered
from vta.dialogue.plan import FixedAnswer, PlaceExplained
from vta.dialogue.practice import Practice
from vta.dialogue.question import UnderstoodQuestion
from vta.dialogue.routing import EXACT_MATCH_SCORE, asks_search_engine, beta_for, relevance_of
from vta.dialogue.tracing import Tracer
from vta.errors import UpstreamFailed, VtaError
from vta.ports import ExactMatches, Reranker, WebSearch
from vta.types.pairs import Candidate, Degradation, QAPair, Ranking
from vta.types.questions import Mode

_CHOSEN_FROM = 3
MOST_FOUND = 5
"""Pairs that a search engine is asked for."""
RERANKED = 30
"""How many of the best candidates are put in order."""

FoundPairs = tuple[tuple[QAPair, ...], Degradation | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class LookedUp:
    """The knowledge for a question: a place or facts of the course, an answer in itself, or a `ranking`.

    `is_talk`: the question is small talk or another task, and may have no ranking. Where the search raised
    `failure`, the ranking is the FAQ pair with the question's wording. `degraded` is a part of the search
    that failed.
    """

    place: FixedAnswer | PlaceExplained | None = None
    ranking: Ranking | None = None
    is_talk: bool = False
    failure: VtaError | None = None
    degraded: Degradation | None = None


class Retriever:
    """Finds the knowledge for a question: by relevance, or by its wording where the search fails."""

    def __init__(
        self,
        *,
        places: CoursePlaces,
        practice: Practice,
        exact_matches: ExactMatches,
        web: WebSearch | None,
        can_reason: bool,
        reranker: Reranker | None,
    ) -> None:
        """`can_reason`: a language model reads the candidates, and names their places itself."""
        self._places = places
        self._practice = practice
        self._exact_matches = exact_matches
        self._web = web
        self._can_reason = can_reason
        self._reranker = reranker

    def retrieve(
        self, context: UnderstoodQuestion, facts: FoundFacts | None, trace: Tracer
    ) -> Generator[Await[FoundPairs], None, LookedUp]:
        """An exercise or help with one in practice mode; the facts that answer, or a place, else the ranking.

        Where the search fails, the store is asked for an FAQ pair with the question's wording. Without one
        the intent alone tells small talk, and for a question the failure is raised.
        """
        if context.in_distress or (context.mode is Mode.PRACTICE and context.danger > 0):
            return LookedUp(is_talk=True)
        if context.mode is Mode.PRACTICE:
            return LookedUp(place=self._practice.plan(context, trace))
        if facts is not None and facts.is_answer:
            with trace.stage("facts") as tell:
                tell(f"{len(facts.facts)} facts of the course")
            floor = context.thresholds.floor
            return LookedUp(place=facts.plan(context.course.id, context.language, floor))
        place = self._places.plan(context, trace)
        if place is not None and (isinstance(place, PlaceExplained) or not self._can_reason):
            return LookedUp(place=place)
        try:
            return (yield from self._search(context, trace))
        except SEARCH_FAILURES as failure:
            return self._exact_match(context, trace, failure)

    def _search(
        self, context: UnderstoodQuestion, trace: Tracer
    ) -> Generator[Await[FoundPairs], None, LookedUp]:
        """The ranking; for an operation on the last answer, the candidates that suit it.

        A search engine is asked only for a question, where the course's best S is not above beta.
        """
        top_k = context.thresholds.top_k
        top = top_k * (_CHOSEN_FROM if context.is_operation else 1)
        with trace.stage("ranking") as tell:
            ranking = self._reranked(context, top)
            tell(_describe(ranking, beta_for(context.intent, context.thresholds)))
        if is_small_talk(context, ranking.candidates):
            return LookedUp(ranking=ranking, is_talk=True, degraded=ranking.degraded)
        failed = None
        if self._web is not None and asks_search_engine(context, _best(ranking)):
            yield (searching := Await(partial(_search_web, self._web, context, trace)))
            found, failed = searching.reply
            if found:
                ranking = context.rank(context.standalone, top=top, found=found)
        candidates = ranking.candidates
        last = last_answered(context.history)
        if last is not None and context.is_operation:
            candidates = choose_for_operation(candidates, style=context.style, last=last)
        ranking = replace(ranking, candidates=candidates[:top_k])
        return LookedUp(ranking=ranking, degraded=failed or ranking.degraded)

    def _reranked(self, context: UnderstoodQuestion, top: int) -> Ranking:
        """The ranking of the question, its best candidates in the order of a reranker if there is one."""
        if self._reranker is None:
            return context.rank(context.standalone, top=top)
        ranking = context.rank(context.standalone, top=max(top, RERANKED))
        order, failed = rerank(context.standalone, ranking.candidates, self._reranker)
        return replace(ranking, candidates=order[:top], degraded=ranking.degraded or failed)

    def _exact_match(self, context: UnderstoodQuestion, trace: Tracer, failure: VtaError) -> LookedUp:
        with trace.stage("exact_match") as tell:
            pair = self._exact_matches.find(context.course.id, context.resolved)
            tell("none" if pair is None else "an FAQ pair asks this very question")
        if pair is None and is_small_talk(context, None):
            return LookedUp(is_talk=True, degraded=search_failed(failure))
        if pair is None:
            raise failure
        found = Candidate(pair=pair, bm25=EXACT_MATCH_SCORE, weight=1.0, score=EXACT_MATCH_SCORE)
        ranking = Ranking(terms=(), candidates=(found,))
        return LookedUp(ranking=ranking, failure=failure, degraded=search_failed(failure))


def rerank(
    question: str, candidates: Sequence[Candidate], reranker: Reranker
) -> tuple[tuple[Candidate, ...], Degradation | None]:
    """The best `RERANKED` candidates in the reranker's order, the others after them.

    Where the reranker fails all stay in their order, and the degradation says why.
    """
    first = candidates[:RERANKED]
    texts = ["\n".join(filter(None, (each.pair.question, each.pair.answer))) for each in first]
    try:
        scores = reranker.scores(question, texts)
    except UpstreamFailed as failure:
        return tuple(candidates), Degradation(stage="reranking", reason=failure.message)
    order = sorted(range(len(first)), key=lambda n: -scores[n])
    return (*(first[n] for n in order), *candidates[RERANKED:]), None


async def _search_web(engine: WebSearch, context: UnderstoodQuestion, trace: Tracer) -> FoundPairs:
    """Pairs of a search engine for the question; none, with the reason, where the engine fails."""
    with trace.stage("web_search") as tell:
        try:
            found = await engine.search(
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


def _best(ranking: Ranking) -> float:
    return max((candidate.score for candidate in ranking.candidates), default=0.0)


def _describe(ranking: Ranking, beta: float) -> str:
    """A ranking as the trace shows it."""
    summary = f"{len(ranking.candidates)} pairs, best S = {_best(ranking):.3f}, beta = {beta:.3f}"
    if ranking.candidates:
        first = ranking.candidates[0]
        near = "" if first.similarity is None else f", similarity = {first.similarity:.3f}"
        summary += f"; first: S = {first.score:.3f}{near}, relevance = {relevance_of(first):.3f}"
    if ranking.degraded is not None:
        summary += f"; without {ranking.degraded.stage}: {ranking.degraded.reason}"
    return summary
