"""Bearer keys of courses and of the platform, checked on every request."""

from __future__ import annotations

import asyncio
import hmac
from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Path, Request
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from services.settings import Settings
from services.store.audit_log import Actor, ActorKind, act_as
from services.store.store_secrets import TOKENS_BEGIN
from services.web.problems import forbidden, unauthorized
from services.web.serving import Served
from vta.errors import Conflict
from vta.faults import Fault
from vta.types.courses import CourseId, Role

Name = Annotated[str, Path(min_length=1, max_length=128, pattern=r"^[\w.:@-]+$")]
"""An id in an address."""

ADMIN = Actor(kind=ActorKind.ADMIN_KEY)
"""The bearer of the admin key."""
_bearer = HTTPBearer(auto_error=False, description="A course's key, or the admin key of the platform.")
_Bearer = Annotated[HTTPAuthorizationCredentials | None, Depends(_bearer)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Instructor:
    """Someone who may change a course; `name` is what the history of FAQ entries calls them."""

    course_id: CourseId
    name: str


async def require_instructor(course: Name, bearer: _Bearer, platform: Served, request: Request) -> Instructor:
    """A dependency that lets in the bearer of an instructor's key of the course in the address.

    401 without a key that is known. 403 for any other key, in the same words whether the course exists, and
    for a learner's token. `Conflict` for a write in an archived course.
    """
    if bearer is None:
        raise unauthorized(Fault("key.instructor_needed"))
    if is_learners(bearer.credentials):
        raise forbidden(Fault("key.not_a_learners"))
    key = await asyncio.to_thread(platform.stores.keys.check, bearer.credentials)
    if key is None:
        raise unauthorized(Fault("key.unknown"))
    if key.course_id != course or key.role is not Role.INSTRUCTOR:
        raise forbidden(Fault("key.elsewhere"))
    if request.method not in ("GET", "HEAD"):
        found = await asyncio.to_thread(platform.stores.courses.course, key.course_id)
        if found.archived:
            raise Conflict(Fault("course.read_only"))
    act_as(Actor(kind=ActorKind.KEY, id=key.id))
    return Instructor(course_id=key.course_id, name=f"key {key.id}")


CourseInstructor = Annotated[Instructor, Depends(require_instructor)]


def is_admin_key(settings: Settings, given: str) -> bool:
    """True for the admin key and the one before it; never where none is set."""
    keys = (settings.admin_key, settings.old_admin_key) if settings.admin_key else ()
    known = [key.get_secret_value().encode() for key in keys if key is not None]
    return any(hmac.compare_digest(given.encode(), key) for key in known)


async def require_admin(bearer: _Bearer, platform: Served) -> None:
    """A dependency that lets in the bearer of the admin key; nobody where none is set."""
    if platform.settings.admin_key is None:
        raise forbidden(Fault("key.no_admin"))
    if bearer is None:
        raise unauthorized(Fault("key.admin_needed"))
    if not is_admin_key(platform.settings, bearer.credentials):
        raise forbidden(Fault("key.not_admin"))
    act_as(ADMIN)


def is_learners(credentials: str) -> bool:
    """True for the form of a learner's token: that of a launch, or a JSON Web Token."""
    return credentials.startswith(TOKENS_BEGIN) or credentials.count(".") == 2
