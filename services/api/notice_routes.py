"""Who is told of a course's new questions, by HTTP."""

from __future__ import annotations

import asyncio
from typing import Annotated

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict, Field

from services.api.dialogue_schemas import ShortText
from services.api.replies import Reply
from services.http.problems import problems
from services.http.serving import Served
from services.identity.course_keys import CourseInstructor
from services.storage.notices import MOST_RECIPIENTS, Notices, Pace

_PROBLEMS = problems({422: "The request cannot be used."})

router = APIRouter(prefix="/v1/courses/{course}/settings/notices", tags=["settings"], responses=_PROBLEMS)


class NoticesIn(BaseModel):
    """Whom to tell of new questions."""

    model_config = ConfigDict(
        extra="forbid", json_schema_extra={"examples": [{"recipients": ["ta@uni.example"]}]}
    )

    recipients: Annotated[tuple[ShortText, ...], Field(max_length=MOST_RECIPIENTS)] = Field(
        default=(), description="E-mail addresses; none for no e-mail."
    )
    pace: Pace = Field(default=Pace.DAILY, description="Soon after questions came, or once a day.")
    hour: int = Field(default=6, ge=0, le=23, description="Hour of the daily e-mail, in UTC.")
    tells_platform: bool = Field(default=False, description="Whether the webhook tells `question.waiting`.")

    def to_notices(self) -> Notices:
        return Notices(**dict(self))


class NoticesOut(Reply):
    """Who is told of new questions."""

    recipients: list[str]
    pace: Pace
    hour: int
    tells_platform: bool


@router.get("")
async def read_notices(platform: Served, who: CourseInstructor) -> NoticesOut:
    """Who is told of new questions."""
    return NoticesOut.of(await asyncio.to_thread(platform.stores.notices.notices, who.course_id))


@router.put("")
async def put_notices(body: NoticesIn, platform: Served, who: CourseInstructor) -> NoticesOut:
    """Tell these from now on."""
    kept = await asyncio.to_thread(platform.stores.notices.keep, who.course_id, body.to_notices())
    return NoticesOut.of(kept)
