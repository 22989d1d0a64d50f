"""Tokens for learners, by the platform's key; which sites may embed the sidebar, by the admin key."""

from __future__ import annotations

import asyncio
from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Depends, Response
from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from services.api.dialogue_schemas import Identifier, ShortText
from services.api.replies import Reply
from services.http.problems import problems, unauthorized
from services.identity.authenticator import Authenticator, Principal
from services.identity.course_keys import Name, admins_of
from services.storage.embedding import MOST_ORIGINS
from services.wiring import Platform
from vta.faults import Fault
from vta.types import CourseId

_PROBLEMS = problems()
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


def visitor_routes(platform: Platform, authenticator: Authenticator) -> APIRouter:
    """The router of visitors over one platform."""
    router = APIRouter(prefix="/v1/courses/{course}", tags=["embedding"], responses=_PROBLEMS)
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
    async def read_embedding(course: Name) -> EmbeddingOut:
        """The sites that may embed the sidebar."""
        return EmbeddingOut.of(await asyncio.to_thread(embeddings.embedding, CourseId(course)))

    @router.put("/embedding", dependencies=admin)
    async def change_embedding(course: Name, body: EmbeddingIn) -> EmbeddingOut:
        """Say which sites may embed the sidebar, from now on."""
        changed = await asyncio.to_thread(
            embeddings.change, CourseId(course), origins=body.origins, hints=body.hints
        )
        return EmbeddingOut.of(changed)

    return router
