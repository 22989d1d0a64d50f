"""The sidebar on other sites: the loader, the page in its frame, and what the sidebar starts with."""

from __future__ import annotations

import asyncio
from typing import Annotated

from fastapi import APIRouter, Depends, Query
from fastapi.responses import HTMLResponse, Response
from pydantic import BaseModel, Field

from services.clock import SystemClock
from services.http.problems import problems
from services.identity.authenticator import Authenticator, Principal
from services.identity.course_keys import Name
from services.sidebar.pages import render_embed_page, static_folder
from services.sidebar.top_questions import TopQuestions
from services.use_cases.first_questions import FirstQuestions
from services.wiring import Platform
from vta.dialogue.question import LONGEST_QUESTION
from vta.types import CourseId, Language, Position

_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
    "connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors {ancestors}"
)
_PROBLEMS = problems(
    {
        401: "No token where one is needed, or one that opens nothing.",
        403: "The token or key opens something else.",
    },
    bodies=False,
)


class SidebarOut(BaseModel):
    """What the sidebar of a course starts with."""

    suggestions: list[str]
    hints: bool
    longest_question: int = Field(description="Characters that a question may have.")
    signed_in: bool = Field(
        default=False,
        description="Whether the learner is known, so that the server lists their conversations.",
    )
    first_questions: list[str] = Field(
        default=[],
        description="Questions that the course answers, of the place first; in the language of the course.",
    )


def embed_routes(platform: Platform, authenticator: Authenticator) -> APIRouter:
    """The router of the embedded sidebar over one platform."""
    router = APIRouter()
    courses, embeddings = platform.stores.courses, platform.stores.embeddings
    top = TopQuestions(platform.stores.sessions, SystemClock())
    first = FirstQuestions(platform)
    loader = (static_folder() / "embed.js").read_bytes()

    @router.api_route("/embed.js", methods=["GET", "HEAD"], include_in_schema=False)
    async def load() -> Response:
        """The script that other sites include; any site may load it, for there is nothing in it."""
        headers = {"Cache-Control": "public, max-age=3600", "Cross-Origin-Resource-Policy": "cross-origin"}
        return Response(loader, media_type="text/javascript", headers=headers)

    @router.get("/embed/{course}", include_in_schema=False)
    async def embed_page(course: Name, lang: Language | None = None) -> HTMLResponse:
        """The sidebar alone, for a frame on one of the sites that the course allows."""
        found = await asyncio.to_thread(courses.course, CourseId(course))
        embedding = await asyncio.to_thread(embeddings.embedding, found.id)
        html = render_embed_page(course=found, language=lang or found.language, origins=embedding.origins)
        policy = _POLICY.format(ancestors=" ".join(("'self'", *embedding.origins)))
        headers = {"Content-Security-Policy": policy, "Cache-Control": "no-store"}
        return HTMLResponse(html, headers=headers)

    @router.get(
        "/v1/courses/{course}/sidebar",
        tags=["embedding"],
        responses=_PROBLEMS,
    )
    async def read_start(
        course: Name,
        unit: Annotated[str | None, Query(max_length=300)] = None,
        video: Annotated[str | None, Query(max_length=300)] = None,
        second: Annotated[float | None, Query(ge=0, le=1_000_000, allow_inf_nan=False)] = None,
        who: Principal = Depends(authenticator.principals()),
    ) -> SidebarOut:
        """What is asked most, first questions for the place where the student is, and what is offered."""
        found = await asyncio.to_thread(courses.course, CourseId(course))
        embedding = await asyncio.to_thread(embeddings.embedding, found.id)
        suggestions = await asyncio.to_thread(top.of, found)
        position = Position(unit=unit, video=video, second=second)
        first_questions = await asyncio.to_thread(first.of, found, position, suggestions)
        return SidebarOut(
            suggestions=list(suggestions),
            hints=embedding.hints,
            longest_question=LONGEST_QUESTION,
            signed_in=who.learner_id is not None,
            first_questions=list(first_questions),
        )

    return router
