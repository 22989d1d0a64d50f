"""Learners by HTTP: what is kept of them, their tokens, and which sites may embed the sidebar."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from fastapi import Depends, Response
from pydantic import BaseModel, ConfigDict, Field, JsonValue, StringConstraints

from services.api.dialogue_schemas import Identifier, Reply, ShortText
from services.http.problems import problems, unauthorized
from services.http.serving import ThreadedRouter
from services.identity.authenticator import Authenticator, Principal
from services.identity.course_keys import Name, admins_of
from services.storage.course_settings import MOST_ORIGINS
from services.wiring import Platform
from vta.faults import Fault
from vta.types import CourseId

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


def learner_routes(platform: Platform, authenticator: Authenticator) -> ThreadedRouter:
    """The router of learners' data over one platform."""
    router = ThreadedRouter(prefix="/v1/courses/{course}/learners", responses=_PROBLEMS)
    principal = Depends(authenticator.principals(admits_instructors=True))
    records = platform.learners

    @router.get("/{learner}", tags=["privacy"])
    def export_learner(learner: Name, who: Principal = principal) -> LearnerOut:
        """All that is stored; no sessions for one who never asked.

        For the learner's own token, the platform's key or an instructor's key.
        """
        authenticator.require_learner(who, learner)
        kept = records.export(who.course_id, learner)
        return LearnerOut.model_validate(kept)

    @router.delete("/{learner}", status_code=204, tags=["dialogue"])
    def erase_learner(learner: Name, who: Principal = principal) -> None:
        """Forget everything a learner asked in this course.

        Without a token or key, and only where the sidebar is open, this erases what was asked without a token
        under a plain `learner_id`, and nothing of a learner whom the platform vouched for.
        """
        vouched = authenticator.may_erase_vouched(who, learner)
        records.erase(who.course_id, learner, vouched=vouched)

    return router


_VISITOR_PROBLEMS = problems()
PlatformId = Annotated[str, StringConstraints(min_length=1, max_length=200, pattern=r"^[^\x00]*$")]


class VisitorIn(BaseModel):
    """The learner for whom a platform wants a token, by the platform's own id; someone new without one."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [{"learner_id": "u-4711"}]})

    learner_id: PlatformId | None = None


class VisitorOut(BaseModel):
    """A token for the learner's browser, and the pseudonym under which the learner is kept."""

    token: str
    expires_at: datetime
    learner_id: Identifier


class EmbeddingIn(BaseModel):
    """What to change; what is left out stays."""

    model_config = ConfigDict(
        extra="forbid", json_schema_extra={"examples": [{"origins": ["https://learn.example"]}]}
    )

    origins: Annotated[list[ShortText], Field(max_length=MOST_ORIGINS)] | None = None
    hints: bool | None = None


class EmbeddingOut(Reply):
    """The sites that may embed the sidebar, and whether it offers hints in the place of answers."""

    origins: list[str]
    hints: bool


def visitor_routes(platform: Platform, authenticator: Authenticator) -> ThreadedRouter:
    """The router of visitors over one platform."""
    router = ThreadedRouter(prefix="/v1/courses/{course}", tags=["embedding"], responses=_VISITOR_PROBLEMS)
    admin = [Depends(admins_of(platform.settings.admin_key))]
    embeddings = platform.stores.embeddings

    @router.post("/visitors", status_code=201)
    async def issue_token(
        course: Name,
        body: VisitorIn,
        response: Response,
        who: Principal = Depends(authenticator.principals()),
    ) -> VisitorOut:
        """A token for a learner's browser, valid for at most an hour. For the server of the platform only."""
        if not who.is_platform:
            raise unauthorized(Fault("key.platform_needed"))
        response.headers["Cache-Control"] = "no-store"
        token = authenticator.tokens.issue(who.course_id, body.learner_id)
        return VisitorOut(token=token.text, expires_at=token.expires_at, learner_id=token.learner_id)

    @router.get("/embedding", dependencies=admin)
    def read_embedding(course: Name) -> EmbeddingOut:
        """The sites that may embed the sidebar."""
        return EmbeddingOut.of(embeddings.embedding(CourseId(course)))

    @router.put("/embedding", dependencies=admin)
    def change_embedding(course: Name, body: EmbeddingIn) -> EmbeddingOut:
        """Say which sites may embed the sidebar, from now on."""
        changed = embeddings.change(CourseId(course), origins=body.origins, hints=body.hints)
        return EmbeddingOut.of(changed)

    return router
