"""The plan of an answer, by the one decision of figure 2."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from vta.dialogue.concepts import teach_steps
from vta.dialogue.course_places import CoursePlaces
from vta.dialogue.plan import Direct, Plan, SmallTalk, Teach, Unanswered
from vta.dialogue.question import UnderstoodQuestion
from vta.dialogue.retrieval import LookedUp
from vta.dialogue.routing import Decision, closest, decide
from vta.dialogue.tracing import Tracer
from vta.types.answers import Route
from vta.types.pairs import Degradation, Ranking, RankingSummary
from vta.types.questions import PLAIN


class Decider:
    """Makes plans; the arithmetic is that of `routing.decide`."""

    def __init__(self, *, places: CoursePlaces, can_reason: bool) -> None:
        """`can_reason`: a language model answers from all candidates, whatever their relevance."""
        self._places = places
        self._can_reason = can_reason

    def decide(self, context: UnderstoodQuestion, found: LookedUp, trace: Tracer) -> Plan:
        """A place or small talk as it was found; else by S: direct, Chain of Teach, or unanswered.

        The failure of the search is raised where the FAQ pair in its place does not answer directly.
        """
        if found.place is not None:
            return found.place
        if found.is_talk or found.ranking is None:
            candidates = found.ranking.candidates if found.ranking else ()
            return SmallTalk(candidates=candidates, degraded=found.degraded)
        asked = context if found.failure is None else replace(context, style=PLAIN)
        with trace.stage("route") as tell:
            decision = decide(asked, found.ranking.candidates, can_reason=self._can_reason)
            tell(f"{decision.route}{', near' if decision.near else ''}, relevance = {decision.relevance:.3f}")
        if found.failure is not None and decision.route is not Route.DIRECT:
            raise found.failure
        plan = _as_plan(context, found.ranking, decision, found.degraded)
        return self._places.follow_up(context, plan) if context.is_operation else plan


def _as_plan(
    context: UnderstoodQuestion, ranking: Ranking, decision: Decision, degraded: Degradation | None
) -> Plan:
    found: dict[str, Any] = {
        "candidates": decision.known,
        "steps": teach_steps(context.mentions, context.knowledge.graph),
        "ranking": RankingSummary(score=decision.best, beta=decision.beta, terms=ranking.terms),
        "degraded": degraded,
    }
    match decision.route:
        case Route.DIRECT:
            return Direct(**found)
        case Route.CHAIN_OF_TEACH:
            return Teach(near=decision.near, **found)
        case _:
            return Unanswered(**found | {"candidates": closest(ranking.candidates, context.thresholds)})
