"""Waiting questions in three bands: publish what the course answers already, hold for a TA, discard."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from services.use_cases.lookup import look_up
from vta.dialogue.routing import exact_match_first, relevance_of, thresholds_for
from vta.ports import IntentClassifier, KnowledgeBase
from vta.types import Candidate, Course, Route, Source, Thresholds


class Band(StrEnum):
    """What the course's own thresholds say of a question that waits."""

    PUBLISH = "publish"
    HOLD = "hold"
    DISCARD = "discard"


@dataclass(frozen=True, slots=True, kw_only=True)
class Assessment:
    """What the course has on a question, best first; `draft` is text from the course that may answer it."""

    band: Band
    candidates: tuple[Candidate, ...]
    draft: Candidate | None

    @property
    def best(self) -> float:
        return max((candidate.score for candidate in self.candidates), default=0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class TriageSources:
    """What an assessment rests on; the thresholds are those of courses that have none of their own."""

    knowledge: KnowledgeBase
    intents: IntentClassifier
    thresholds: Thresholds


def assess(sources: TriageSources, course: Course, question: str, *, top: int = 5) -> Assessment:
    """Publish where the course's text would answer directly, discard where nothing comes near.

    A task that is not the course's is discarded, too. Text of the course is FAQ, material and concepts;
    what a search engine found is not. A draft is offered from half of beta on, or where it would be taught.
    """
    found = look_up(sources, course, question, top=top)
    thresholds = thresholds_for(course, sources.thresholds)
    decision = found.decide(thresholds)
    candidates = exact_match_first(question, found.ranking.candidates)
    own = next((c for c in candidates if c.pair.source is not Source.SEARCH), None)
    if own is not None and own == candidates[0] and decision.route is Route.DIRECT:
        band = Band.PUBLISH
    elif decision.route is Route.UNANSWERED or (
        decision.route is Route.CHIT_CHAT and found.intent.is_other_task
    ):
        band = Band.DISCARD
    else:
        band = Band.HOLD
    offered = own is not None and (
        own.score >= thresholds.beta / 2 or relevance_of(own) >= thresholds.relevance
    )
    return Assessment(band=band, candidates=candidates, draft=own if offered else None)
