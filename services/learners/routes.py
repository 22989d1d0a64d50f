"""Learners by HTTP: their data, their tokens, and the sites that may embed the sidebar."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated
from urllib.parse import urlencode

from fastapi import Depends, Query, Response
from fastapi.responses import JSONResponse
from pydantic import BaseModel, Field, JsonValue, StringConstraints

from services.analytics.routes import First, Last
from services.courses.settings_store import LONGEST
from services.learners.research import MOST_TURNS, NDJSON, xapi_statements
from services.learners.service import LearnerService, require_study
from services.people.authenticator import ASKER_PROBLEMS, Asker, Authenticating, Principal, principals
from services.people.course_keys import CourseInstructor, Name
from services.questions.notices import LONGEST_ADDRESS, is_address
from services.questions.routes import read_cursor, write_cursor
from services.web.problems import forbidden, problems, unauthorized
from services.web.schemas import Identifier, RequestModel, plain_text
from services.web.serving import Served, ThreadedRouter, part_of_app
from vta.errors import InvalidInput
from vta.faults import Fault


class LearnerOut(BaseModel):
    """All stored data of a learner in a course."""

    learner_id: str
    sessions: list[dict[str, JsonValue]]
    research_consent: dict[str, JsonValue] | None


router = ThreadedRouter(prefix="/v1/courses/{course}", responses=problems(ASKER_PROBLEMS, bodies=False))
_OfLearners = Annotated[Principal, Depends(principals(admits_instructors=True))]
_Learners = Annotated[LearnerService, part_of_app(lambda parts: parts.platform.learners)]


@router.get("/learners/{learner}", tags=["privacy"])
def export_learner(
    learner: Name, learners: _Learners, who: _OfLearners, authenticator: Authenticating
) -> LearnerOut:
    """All that is stored; no sessions for one who never asked.

    For the learner's own token, the platform's key or an instructor's key.
    """
    authenticator.require_learner(who, learner)
    return LearnerOut.model_validate(learners.export(who.course_id, learner))


@router.delete("/learners/{learner}", status_code=204, tags=["dialogue"])
def erase_learner(
    learner: Name, learners: _Learners, who: _OfLearners, authenticator: Authenticating
) -> None:
    """Forget everything a learner asked in this course.

    Without a token or key, and only where the sidebar is open, this erases what was asked without a token
    under a plain `learner_id`, and nothing of a learner whom the platform vouched for.
    """
    vouched = authenticator.may_erase_vouched(who, learner)
    learners.erase(who.course_id, learner, vouched=vouched)


PlatformId = Annotated[str, plain_text(200, least=1)]


class VisitorIn(RequestModel, json_schema_extra={"examples": [{"learner_id": "u-4711"}]}):
    """The learner for whom a platform wants a token, by the platform's own id; someone new without one."""

    learner_id: PlatformId | None = None
    email: Annotated[str, StringConstraints(max_length=LONGEST_ADDRESS)] | None = Field(
        default=None, description="Where the learner is told of a real TA's answer that they did not see."
    )


class VisitorOut(BaseModel):
    """A token for the learner's browser, and the learner's pseudonym."""

    token: str
    expires_at: datetime
    learner_id: Identifier


class ConsentIn(
    RequestModel, json_schema_extra={"examples": [{"given": True, "study": "How students ask."}]}
):
    """Whether research may use the learner's conversations in this course, for the study as it was read."""

    given: bool
    study: Annotated[str, plain_text(LONGEST["research"])]


_OF_A_STUDY = problems({409: "The course has no study."}, bodies=False)
_TURNS: dict[int | str, dict[str, object]] = _OF_A_STUDY | {
    200: {"description": "A JSON object a turn.", "content": {NDJSON: {"schema": {"type": "string"}}}}
}


@router.post("/visitors", status_code=201, tags=["embedding"], responses=problems(ASKER_PROBLEMS))
async def issue_token(
    body: VisitorIn, response: Response, who: Asker, authenticator: Authenticating
) -> VisitorOut:
    """A token for a learner's browser, valid for at most an hour. For the server of the platform only."""
    if not who.is_platform:
        raise unauthorized(Fault("key.platform_needed"))
    if body.email and not is_address(body.email):
        raise InvalidInput(Fault("notice.no_address", address=body.email[:80]), field="email")
    response.headers["Cache-Control"] = "no-store"
    token = authenticator.tokens.issue(who.course_id, body.learner_id, email=body.email or None)
    return VisitorOut(token=token.text, expires_at=token.expires_at, learner_id=token.learner_id)


@router.get("/research/turns", tags=["embedding", "analytics"], response_class=Response, responses=_TURNS)
def export_research_turns(
    platform: Served,
    who: CourseInstructor,
    cursor: Annotated[
        str | None, Query(max_length=300, description="From the link of the page before.")
    ] = None,
    limit: Annotated[int, Query(ge=1, le=MOST_TURNS)] = MOST_TURNS,
) -> Response:
    """The turns of learners who consented to the study that the course has now, oldest first, pseudonymous.

    The `Link` header leads to the next page. A conflict without a study.
    """
    require_study(platform.stores, who.course_id)
    page = platform.stores.research.page(who.course_id, read_cursor(cursor) if cursor else None, limit)
    query = page.next and urlencode({"cursor": write_cursor(page.next), "limit": limit})
    headers = {"Link": f'<?{query}>; rel="next"'} if query else {}
    return Response(page.text, media_type=NDJSON, headers=headers)


@router.get(
    "/analytics/xapi",
    tags=["embedding", "analytics"],
    response_model=None,
    responses=_OF_A_STUDY | {200: {"model": list[dict[str, JsonValue]]}},
)
def read_xapi_statements(
    platform: Served, who: CourseInstructor, first: First = None, last: Last = None
) -> Response:
    """A statement for each question of learners who consented to the study, under their pseudonyms.

    A conflict without a study.
    """
    require_study(platform.stores, who.course_id)
    days, stores = platform.analytics.days(first, last), platform.stores
    turns = stores.analytics.facts(who.course_id, days.first, days.last, for_research=True)
    return JSONResponse(list(xapi_statements(turns, who.course_id, stores.research)))


@router.put("/research/consent", status_code=204, tags=["embedding"], responses=problems(ASKER_PROBLEMS))
def decide_on_research(body: ConsentIn, platform: Served, who: Asker) -> None:
    """Give or revoke the learner's own consent; the last decision counts.

    For learners whom the platform named. A consent to another study than the course has now is a conflict.
    """
    if who.learner_id is None or not who.is_named:
        raise forbidden(Fault("research.nameless"))
    platform.stores.privacy.decide(who.course_id, who.learner_id, given=body.given, study=body.study)
