"""The one decision: from what there is for a question, what its answer is made from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from vta.dialogue.concepts import teach_steps
from vta.dialogue.conflict import ConflictFinder
from vta.dialogue.course_places import CoursePlaces
from vta.dialogue.plan import Direct, Disagreement, Plan, SmallTalk, Teach, Unanswered
from vta.dialogue.question import UnderstoodQuestion
from vta.dialogue.retrieval import LookedUp
from vta.dialogue.routing import Decision, closest, decide
from vta.dialogue.tracing import Tracer
from vta.types.answers import Route
from vta.types.pairs import Candidate, Degradation, Ranking, RankingSummary
from vta.types.questions import Wish


class Decider:
    """Decides as figure 2 does; the arithmetic is that of `routing.decide`."""

    def __init__(self, *, places: CoursePlaces, conflicts: ConflictFinder, can_reason: bool) -> None:
        """`can_reason` says that a language model answers, so that what is known need not hold the answer."""
        self._places = places
        self._conflicts = conflicts
        self._can_reason = can_reason

    def decide(self, context: UnderstoodQuestion, found: LookedUp, trace: Tracer) -> Plan:
        """What was looked up is an answer, or small talk; else by S: direct, Chain of Teach, or unanswered.

        Where search failed and its stand-in does not answer directly, the failure is raised.
        """
        if found.given is not None:
            return found.given
        if found.is_talk or found.ranking is None:
            candidates = found.ranking.candidates if found.ranking else ()
            return SmallTalk(candidates=candidates, degraded=found.degraded)
        with trace.stage("route") as tell:
            asked = context if found.failure is None else replace(context, wish=Wish())
            decision = judge(
                asked, found.ranking.candidates, can_reason=self._can_reason, conflicts=self._conflicts
            )
            tell(f"{decision.route}{', near' if decision.near else ''}, relevance = {decision.relevance:.3f}")
        with trace.stage("conflict") as tell:
            conflict = decision.conflict
            tell(f"FAQ and material disagree, {conflict.difference}" if conflict else "none")
        if found.failure is not None and decision.route is not Route.DIRECT:
            raise found.failure
        plan = _as_plan(context, found.ranking, decision, found.degraded)
        return self._places.again(context, plan) if context.is_operation else plan


def judge(
    context: UnderstoodQuestion,
    candidates: Sequence[Candidate],
    *,
    small_talk: bool = False,
    can_reason: bool = False,
    conflicts: ConflictFinder | None = None,
) -> Decision:
    """`decide` for a question that was understood; what the guard flagged is kept from the model."""
    return decide(
        context.asked,
        candidates,
        mentions=context.mentions,
        intent=context.intent,
        thresholds=context.thresholds,
        mode=context.mode,
        small_talk=small_talk,
        can_reason=can_reason and not context.flagged,
        goes_on=context.is_operation,
        course=context.course,
        conflicts=conflicts,
        wish=context.wish,
    )


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
        case Route.DIRECT if decision.conflict is not None:
            return Disagreement(conflict=decision.conflict, **found)
        case Route.DIRECT:
            return Direct(**found)
        case Route.CHAIN_OF_TEACH:
            return Teach(near=decision.near, **found)
        case _:
            near = closest(ranking.candidates, context.thresholds)
            return Unanswered(**{**found, "candidates": near})
