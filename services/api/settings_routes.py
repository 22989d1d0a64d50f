"""The settings of a course by HTTP, and the keys that its instructors may make and revoke."""

from __future__ import annotations

import asyncio
import re
from typing import Annotated

from fastapi import APIRouter, Header, Response

from services.api.instructor_schemas import KeyIn, KeyList, KeyOut, NewKeyOut
from services.api.settings_schemas import SettingsIn, SettingsOut
from services.http.problems import Problem, forbidden, precondition_failed, problems
from services.http.serving import Served
from services.identity.course_keys import CourseInstructor, Name
from services.storage.course_settings import CourseSettings
from vta.errors import Conflict, InvalidInput
from vta.faults import Fault
from vta.types import KeyId, Role

_PROBLEMS = problems(
    {404: "No such course or key.", 422: "The request cannot be used as it is; `errors` names the field."}
)
_CHANGE: dict[int | str, dict[str, object]] = {
    412: {"model": Problem, "description": "Someone was quicker; `current` is what is there now."},
}
_ETAG = re.compile(r'"([0-9a-f]{16})"')
IfMatch = Annotated[str | None, Header(description="The ETag of the settings that were read, if any.")]


router = APIRouter(prefix="/v1/courses/{course}/settings", tags=["settings"], responses=_PROBLEMS)


@router.get("")
async def read_settings(response: Response, platform: Served, who: CourseInstructor) -> SettingsOut:
    """What is set for the course."""
    found = await asyncio.to_thread(platform.course_settings.settings, who.course_id)
    response.headers.update(_etag(found))
    return SettingsOut.of(found)


@router.patch("", responses=_CHANGE)
async def change_settings(
    body: SettingsIn, response: Response, platform: Served, who: CourseInstructor, if_match: IfMatch = None
) -> SettingsOut:
    """Change what is given and leave the rest; it holds from the next question on."""
    expected = _expected(if_match)
    try:
        changed = await asyncio.to_thread(
            platform.course_settings.change, who.course_id, body.edit, expected=expected
        )
    except Conflict as conflict:
        found = await asyncio.to_thread(platform.course_settings.settings, who.course_id)
        current = SettingsOut.of(found).model_dump(mode="json")
        raise precondition_failed(conflict.fault, headers=_etag(found), current=current) from conflict
    response.headers.update(_etag(changed))
    return SettingsOut.of(changed)


@router.get("/keys")
async def list_keys_of_course(platform: Served, who: CourseInstructor) -> KeyList:
    """The keys of the course without their secrets, revoked ones too."""
    found = await asyncio.to_thread(platform.course_settings.keys, who.course_id)
    return KeyList(keys=[KeyOut.of(key) for key in found])


@router.post("/keys", status_code=201)
async def make_instructors_key(
    body: KeyIn, response: Response, platform: Served, who: CourseInstructor
) -> NewKeyOut:
    """Make an instructor's key of the course, which is shown this once. Only the admin makes others."""
    if body.role is not Role.INSTRUCTOR:
        raise forbidden(Fault("key.admin_only", role=body.role.value))
    response.headers["Cache-Control"] = "no-store"
    text, key = await asyncio.to_thread(platform.course_settings.make_key, who.course_id)
    return NewKeyOut(key=text, id=key.id)


@router.delete("/keys/{key}", status_code=204)
async def revoke_instructors_key(key: Name, platform: Served, who: CourseInstructor) -> None:
    """Refuse an instructor's key of the course from now on. Only the admin revokes others."""
    await asyncio.to_thread(platform.course_settings.revoke_key, who.course_id, KeyId(key))


def _expected(if_match: str | None) -> str | None:
    """The mark of the settings that a change has seen, if it names one."""
    if if_match is None:
        return None
    mark = _ETAG.fullmatch(if_match.strip())
    if mark is None:
        raise InvalidInput(Fault("api.if_match_settings"), field="If-Match")
    return mark[1]


def _etag(settings: CourseSettings) -> dict[str, str]:
    return {"ETag": f'"{settings.mark}"'}
