"""Who a student is: the learner that a platform vouched for, or nobody; what is a learner's is theirs.

A learner's token comes as `Authorization: Bearer vtl_...`, or in the cookie of its course. Sessions of such
learners are there for them alone: to everyone else they are not found. Sessions of nobody stay with whoever
knows their id.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace

from fastapi import Request, Response

from services.http.access import Name
from services.http.origin import check_origin
from services.http.problems import ProblemRaised
from services.storage.digests import digest_of
from services.storage.learners import TOKEN_LASTS, TOKEN_PREFIX, LearnerSession, SqlLearners
from vta.errors import NotFound
from vta.types import CourseId, Question, SessionId, TurnId

VOUCHED = "lti:"
"""How the id of a learner begins whom a platform vouched for; nobody may claim such an id."""


class LearnerAccess:
    """The checks of the dialogue routes, as dependencies of FastAPI."""

    def __init__(self, learners: SqlLearners) -> None:
        self._learners = learners

    async def find(self, request: Request, course: str) -> LearnerSession | None:
        """Whose token the request brings; None where it brings none. 401 for a token that opens nothing."""
        scheme, _, bearer = request.headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer" and bearer.startswith(TOKEN_PREFIX):
            token = bearer.strip()
        else:
            token = request.cookies.get(cookie_name(course), "")
            if token and request.method not in ("GET", "HEAD"):
                check_origin(request)
        if not token:
            return None
        found = await asyncio.to_thread(self._learners.find, token, CourseId(course))
        if found is None:
            raise ProblemRaised(
                401, "unauthorized", "your visit has ended; open the assistant again from your course"
            )
        return found

    async def identify(self, question: Question, request: Request) -> Question:
        """The question in the learner's name. 403 for an id that is not theirs to use."""
        learner = await self.find(request, question.course_id)
        if learner is not None:
            question = replace(question, learner_id=learner.learner_id)
        elif (question.learner_id or "").startswith(VOUCHED):
            raise ProblemRaised(403, "forbidden", "this learner id is not yours to use")
        if question.session_id is not None:
            await self._check(
                await asyncio.to_thread(
                    self._learners.owner_of_session, question.course_id, question.session_id
                ),
                learner,
                f"session {question.session_id!r}",
            )
        return question

    async def check_session(self, request: Request, course: Name, session: Name) -> None:
        """`NotFound` for another learner's session."""
        owner = await asyncio.to_thread(self._learners.owner_of_session, CourseId(course), SessionId(session))
        await self._check(owner, await self.find(request, course), f"session {session!r}")

    async def check_turn(self, request: Request, course: Name, turn: Name) -> None:
        """`NotFound` for another learner's turn."""
        owner = await asyncio.to_thread(self._learners.owner_of_turn, CourseId(course), TurnId(turn))
        await self._check(owner, await self.find(request, course), f"turn {turn!r}")

    async def _check(self, owner: str | None, learner: LearnerSession | None, what: str) -> None:
        mine = learner is not None and owner == learner.learner_id
        if owner is not None and owner.startswith(VOUCHED) and not mine:
            raise NotFound(f"there is no {what} in this course")


def cookie_name(course: str) -> str:
    """The cookie of a course; its id may hold letters that no cookie's name can."""
    return f"vta_learner_{digest_of(course)[:16]}"


def set_cookie(response: Response, course: str, token: str) -> None:
    """Give a learner's token to the browser, also where our page is in a frame of the platform's."""
    set_framed_cookie(
        response, cookie_name(course), token, lasts_s=int(TOKEN_LASTS.total_seconds()), path="/"
    )


def set_framed_cookie(response: Response, name: str, value: str, *, lasts_s: int, path: str) -> None:
    """A cookie that browsers keep for a page in another site's frame, apart for each such site (CHIPS)."""
    attributes = f"Max-Age={lasts_s}; Path={path}; HttpOnly; Secure; SameSite=None; Partitioned"
    response.headers.append("Set-Cookie", f"{name}={value}; {attributes}")
