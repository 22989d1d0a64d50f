"""Courses and their keys by HTTP, for the bearer of the admin key."""

from __future__ import annotations

import asyncio

from fastapi import APIRouter, Depends, Response

from services.api.instructor_schemas import CourseIn, KeyIn, KeyList, KeyOut, NewKeyOut
from services.http.problems import problems
from services.identity.course_keys import Name, admins_of
from services.wiring import Platform
from vta.types import Course, CourseId, KeyId

_PROBLEMS = problems(
    {
        401: "No key was sent.",
        403: "It is not the admin key, or none is set.",
        404: "No such course or key.",
        409: "There is a course of this id.",
    }
)


def admin_routes(platform: Platform) -> APIRouter:
    """The router of the admin over one platform."""
    admin = Depends(admins_of(platform.settings.admin_key))
    router = APIRouter(prefix="/v1/courses", tags=["admin"], dependencies=[admin], responses=_PROBLEMS)
    keys = platform.stores.keys

    @router.post("", status_code=201)
    async def add_course(body: CourseIn) -> CourseIn:
        """Make a course."""
        course = Course(
            id=CourseId(body.id), name=body.name, domains=tuple(body.domains), language=body.language
        )
        await asyncio.to_thread(platform.stores.courses.add, course)
        return body

    @router.post("/{course}/keys", status_code=201)
    async def make_key(course: Name, body: KeyIn, response: Response) -> NewKeyOut:
        """Make a key, which is shown this once."""
        response.headers["Cache-Control"] = "no-store"
        text, key = await asyncio.to_thread(keys.make, CourseId(course), body.role)
        return NewKeyOut(key=text, id=key.id)

    @router.get("/{course}/keys")
    async def list_keys(course: Name) -> KeyList:
        """The keys of a course, revoked ones too."""
        await asyncio.to_thread(platform.stores.courses.course, CourseId(course))
        found = await asyncio.to_thread(keys.keys, CourseId(course))
        return KeyList(keys=[KeyOut.of(key) for key in found])

    @router.delete("/{course}/keys/{key}", status_code=204)
    async def revoke_key(course: Name, key: Name) -> None:
        """Refuse a key from now on."""
        await asyncio.to_thread(keys.revoke, CourseId(course), KeyId(key))

    return router
