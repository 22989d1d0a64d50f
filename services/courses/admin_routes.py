"""Courses, their keys and accounts by HTTP, for the bearer of the admin key."""

from __future__ import annotations

from datetime import timedelta
from typing import Annotated

from fastapi import Depends, Request, Response
from pydantic import BaseModel, Field

from services.courses.service import MOST_WEEKS
from services.people.course_keys import Name, require_admin
from services.people.store import unknown_person
from services.web.problems import only, problems
from services.web.schemas import (
    CourseEdit,
    CourseIn,
    CourseList,
    CourseOut,
    Identifier,
    KeyIn,
    KeyList,
    KeyOut,
    NewKeyOut,
    RequestModel,
    ShortText,
    plain_text,
)
from services.web.serving import Served, ThreadedRouter, public_address
from vta.types.courses import LONGEST_COURSE_NAME, Course, CourseId, KeyId

_PROBLEMS = problems(
    {
        401: "No key was sent.",
        403: "It is not the admin key, or none is set.",
        404: "No such course, key or account.",
    }
)
_TAKEN = only({409: "There is a course of this id."})


class CopyIn(
    RequestModel,
    json_schema_extra={"examples": [{"id": "algorithms-2027", "name": "Algorithms 2027", "weeks": 26}]},
):
    """What a copy of a course is called, and by how many weeks its dates of release are later."""

    id: Identifier
    name: Annotated[str, plain_text(LONGEST_COURSE_NAME, least=1)]
    weeks: Annotated[int, Field(ge=0, le=MOST_WEEKS)] = 0


_EDITOR = "admin key"
router = ThreadedRouter(
    prefix="/v1", tags=["admin"], dependencies=[Depends(require_admin)], responses=_PROBLEMS
)


@router.post("/courses", status_code=201, responses=_TAKEN)
def add_course(body: CourseIn, platform: Served) -> CourseIn:
    """Make a course."""
    course = Course(id=CourseId(body.id), name=body.name, domains=tuple(body.domains), language=body.language)
    platform.stores.courses.add(course)
    return body


@router.get("/courses")
def list_courses(platform: Served) -> CourseList:
    """All courses by id, archived ones too."""
    found = platform.stores.courses.courses()
    return CourseList(courses=[CourseOut.of(course) for course in found])


@router.patch("/courses/{course}")
def edit_course(course: Name, body: CourseEdit, platform: Served) -> CourseOut:
    """Change what is given: rename a course, give it other domains, archive it or open it again."""
    if body.name is not None or body.domains is not None:
        platform.catalogue.edit(CourseId(course), name=body.name, domains=body.domains)
    if body.archived is not None:
        platform.stores.courses.set_archived(CourseId(course), body.archived)
    return CourseOut.of(platform.stores.courses.course(CourseId(course)))


@router.post("/courses/{course}/copy", status_code=201, responses=_TAKEN)
def copy_course(course: Name, body: CopyIn, platform: Served) -> CourseOut:
    """Make a course of the next term: all that is no person's, released so many weeks later."""
    copied = platform.catalogue.copy(
        CourseId(course),
        as_id=CourseId(body.id),
        name=body.name,
        later=timedelta(weeks=body.weeks),
        editor=_EDITOR,
    )
    return CourseOut.of(copied)


@router.delete("/courses/{course}", status_code=204)
def remove_course(course: Name, platform: Served) -> None:
    """Remove a course with all it holds: material, FAQ, questions, conversations, keys."""
    platform.catalogue.remove(CourseId(course))


@router.post("/courses/{course}/keys", status_code=201)
def make_key(course: Name, body: KeyIn, response: Response, platform: Served) -> NewKeyOut:
    """Make a key, which is shown this once; one that it replaces works on for some hours."""
    response.headers["Cache-Control"] = "no-store"
    text, key = platform.stores.keys.make(CourseId(course), body.role, **body.replacing)
    return NewKeyOut(key=text, id=key.id)


@router.get("/courses/{course}/keys")
def list_keys(course: Name, platform: Served) -> KeyList:
    """The keys of a course, revoked ones too."""
    platform.stores.courses.course(CourseId(course))
    found = platform.stores.keys.keys(CourseId(course))
    return KeyList(keys=[KeyOut.of(key) for key in found])


@router.delete("/courses/{course}/keys/{key}", status_code=204)
def revoke_key(course: Name, key: Name, platform: Served) -> None:
    """Refuse a key from now on."""
    platform.stores.keys.revoke(CourseId(course), KeyId(key))


class PasswordLinkIn(RequestModel, json_schema_extra={"examples": [{"email": "ann@uni.example"}]}):
    """Whose password is to be set anew."""

    email: ShortText


class PasswordLinkOut(BaseModel):
    """A link that its owner opens to set a password, once and within 7 days."""

    link: str


@router.post("/people/password-links", status_code=201)
def make_password_link(
    body: PasswordLinkIn, request: Request, response: Response, platform: Served
) -> PasswordLinkOut:
    """Make a link to set an account's password, which is shown this once; earlier ones open nothing."""
    response.headers["Cache-Control"] = "no-store"
    root = public_address(platform, request)
    person = platform.stores.people.find(body.email)
    if person is None:
        raise unknown_person(body.email)
    secret = platform.stores.invitations.make_password_link(person.id)
    return PasswordLinkOut(link=f"{root}/console/-/passwords/{secret}")
