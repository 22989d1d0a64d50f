"""What is kept of a learner: read and erased by the learner, the platform, or the course's instructors."""

from __future__ import annotations

import asyncio

from fastapi import APIRouter, Depends
from pydantic import BaseModel, JsonValue

from services.http.problems import problems
from services.identity.authenticator import Authenticator, Principal
from services.identity.course_keys import Name
from services.wiring import Platform

_PROBLEMS = problems(
    {
        401: "No token or key, or one that opens nothing.",
        403: "The learner is someone else, or the key opens something else.",
    },
    bodies=False,
)


class LearnerOut(BaseModel):
    """All that is kept of a learner in a course."""

    learner_id: str
    sessions: list[dict[str, JsonValue]]
    lti_scores: list[dict[str, JsonValue]]


def learner_routes(platform: Platform, authenticator: Authenticator) -> APIRouter:
    """The router of learners' data over one platform."""
    router = APIRouter(prefix="/v1/courses/{course}/learners", responses=_PROBLEMS)
    principal = Depends(authenticator.principals(admits_instructors=True))
    records = platform.learners

    @router.get("/{learner}", tags=["privacy"])
    async def export_learner(learner: Name, who: Principal = principal) -> LearnerOut:
        """All that is stored; no sessions for one who never asked.

        For the learner's own token, the platform's key or an instructor's key.
        """
        authenticator.require_learner(who, learner)
        kept = await asyncio.to_thread(records.export, who.course_id, learner)
        return LearnerOut.model_validate(kept)

    @router.delete("/{learner}", status_code=204, tags=["dialogue"])
    async def erase_learner(learner: Name, who: Principal = principal) -> None:
        """Forget everything a learner asked in this course.

        Without a token or key, and only where the sidebar is open, this erases what was asked without a token
        under a plain `learner_id`, and nothing of a learner whom the platform vouched for.
        """
        vouched = authenticator.may_erase_vouched(who, learner)
        await asyncio.to_thread(records.erase, who.course_id, learner, vouched=vouched)

    return router
