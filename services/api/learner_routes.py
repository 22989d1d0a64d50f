"""What is kept of a learner, for whoever may ask on their behalf."""

from __future__ import annotations

import asyncio

from fastapi import APIRouter, Depends
from pydantic import BaseModel, JsonValue

from services.http.problems import problems
from services.identity.course_keys import Instructor, Name, instructors_of
from services.use_cases.learner_records import learner_json
from services.wiring import Platform

_PROBLEMS = problems(bodies=False)


class LearnerOut(BaseModel):
    """All that is kept of a learner in a course."""

    learner_id: str
    sessions: list[dict[str, JsonValue]]


def learner_routes(platform: Platform) -> APIRouter:
    """The router of learners' data over one platform."""
    router = APIRouter(prefix="/v1/courses/{course}/learners", tags=["privacy"], responses=_PROBLEMS)
    instructor = Depends(instructors_of(platform.stores.keys))

    @router.get("/{learner}")
    async def export_learner(learner: Name, who: Instructor = instructor) -> LearnerOut:
        """Sessions, questions, answers, positions, thumbs; no sessions for one who never asked."""
        kept = await asyncio.to_thread(platform.stores.privacy.export, who.course_id, learner)
        return LearnerOut.model_validate(learner_json(learner, kept))

    return router
