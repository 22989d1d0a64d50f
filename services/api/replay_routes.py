"""What if, by HTTP: the last real questions with and without a change of the FAQ. Nothing is written."""

from __future__ import annotations

import asyncio
from typing import Annotated, Self

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict, Field, model_validator

from services.api.dialogue_schemas import Identifier
from services.api.instructor_schemas import FaqIn
from services.http.problems import problems
from services.http.serving import Served
from services.identity.course_keys import CourseInstructor
from services.use_cases.replay import QUESTIONS, Outcome, Proposal, Replayed, replay
from vta.types import FaqId, Route

_PROBLEMS = problems({404: "No such entry."})


class ReplayIn(BaseModel):
    """A change of the FAQ: `entry` alone is a new one, with `faq_id` an edit; `faq_id` alone a removal."""

    model_config = ConfigDict(extra="forbid")

    entry: FaqIn | None = None
    faq_id: Identifier | None = None
    limit: Annotated[int, Field(ge=1, le=1000, description="How many of the last questions.")] = QUESTIONS

    @model_validator(mode="after")
    def something_changes(self) -> Self:
        if self.entry is None and self.faq_id is None:
            raise ValueError("give entry, faq_id, or both")
        return self

    def to_proposal(self) -> Proposal:
        draft = self.entry.to_draft() if self.entry else None
        return Proposal(draft=draft, entry=FaqId(self.faq_id) if self.faq_id else None)


class OutcomeOut(BaseModel):
    """The route, and the pair that comes first: its text is the answer where the route is direct."""

    route: Route
    question: str | None
    answer: str | None
    score: float | None

    @classmethod
    def of(cls, outcome: Outcome) -> Self:
        lead = outcome.lead
        return cls(
            route=outcome.route,
            question=lead.pair.question if lead else None,
            answer=lead.pair.answer if lead else None,
            score=lead.score if lead else None,
        )


class ReplayedOut(BaseModel):
    """A question as it was asked, and how it is and would be answered."""

    turn_id: str
    question: str
    changed: bool
    now: OutcomeOut
    then: OutcomeOut

    @classmethod
    def of(cls, replayed: Replayed) -> Self:
        return cls(
            turn_id=replayed.turn.id,
            question=replayed.turn.question,
            changed=replayed.changed,
            now=OutcomeOut.of(replayed.now),
            then=OutcomeOut.of(replayed.then),
        )


class ReplayOut(BaseModel):
    """The last questions, newest first."""

    changed: int
    questions: list[ReplayedOut]


router = APIRouter(prefix="/v1/courses/{course}/replay", tags=["faq"], responses=_PROBLEMS)


@router.post("")
async def replay_questions(body: ReplayIn, platform: Served, who: CourseInstructor) -> ReplayOut:
    """What a change of the FAQ would do to the last real questions."""
    proposal = body.to_proposal()
    found = await asyncio.to_thread(replay, platform, who.course_id, proposal, limit=body.limit)
    return ReplayOut(
        changed=sum(each.changed for each in found), questions=[ReplayedOut.of(each) for each in found]
    )
