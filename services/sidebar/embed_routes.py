"""The sidebar on other sites: the loader, the page in its frame, and what the sidebar starts with."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from datetime import datetime, timedelta
from typing import Annotated

from fastapi import APIRouter, Depends, Query
from fastapi.responses import HTMLResponse, Response
from pydantic import BaseModel, Field

from services.clock import SystemClock
from services.http.problems import problems
from services.identity.authenticator import Authenticator, Principal
from services.identity.course_keys import Name
from services.rendering.templates import static_files
from services.sidebar.pages import render_embed_page
from services.storage.sessions import SqlSessions
from services.use_cases.first_questions import FirstQuestions
from services.wiring import Platform
from vta.dialogue.question import LONGEST_QUESTION
from vta.ports import Clock
from vta.types import Citation, Course, CourseId, Language, Position, Route, SessionId, Source

LATEST_TURNS = 500
FEWEST_SESSIONS = 3
"""What fewer sessions asked about is not suggested to others."""
MOST = 3
_KEPT = timedelta(minutes=1)
_WHAT_IS = {Language.ZH: "什么是{}？", Language.EN: "What is {}?"}
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
    loader = static_files("services.sidebar")["embed.js"].read_bytes()

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


class TopQuestions:
    """Counts in how many sessions each FAQ entry and concept was the direct answer; counted once a minute."""

    def __init__(self, sessions: SqlSessions, clock: Clock) -> None:
        self._sessions = sessions
        self._clock = clock
        self._known: dict[CourseId, tuple[datetime, tuple[str, ...]]] = {}

    def of(self, course: Course) -> tuple[str, ...]:
        """The top questions of a course, most asked first; none where too little was asked."""
        now = self._clock.now()
        counted, questions = self._known.get(course.id, (now - 2 * _KEPT, ()))
        if now - counted > _KEPT:
            questions = self._count(course)
            self._known[course.id] = (now, questions)
        return questions

    def _count(self, course: Course) -> tuple[str, ...]:
        asked: dict[str, set[SessionId]] = defaultdict(set)
        for turn in self._sessions.latest_questions(course.id, LATEST_TURNS):
            if turn.answer.route is Route.DIRECT and turn.answer.citations:
                question = _wording(turn.answer.citations[0], course.language)
                if question:
                    asked[question].add(turn.session_id)
        often = [question for question, sessions in asked.items() if len(sessions) >= FEWEST_SESSIONS]
        return tuple(sorted(often, key=lambda question: (-len(asked[question]), question))[:MOST])


def _wording(citation: Citation, language: Language) -> str | None:
    match citation.source:
        case Source.FAQ:
            return citation.title
        case Source.CONCEPT:
            return _WHAT_IS[language].format(citation.title)
        case _:
            return None
