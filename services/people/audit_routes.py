"""The audit log by HTTP: all of it for the admin, that of a course for its instructors."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from fastapi import Depends, Query
from pydantic import BaseModel, Field

from services.people.course_keys import CourseInstructor, require_admin
from services.store.audit_log import PAGE_SIZE, ActorKind, AuditEntry, Event, SqlAuditLog, page_of
from services.web.problems import problems
from services.web.schemas import Identifier, ReplyModel, ShortText
from services.web.serving import ThreadedRouter, part_of_app
from vta.types.courses import CourseId

MOST_ENTRIES = 1000

Limit = Annotated[int, Query(ge=1, le=MOST_ENTRIES)]
Cursor = Annotated[int | None, Query(ge=1, le=2**31 - 1, description="`next` of the page before.")]
_Log = Annotated[SqlAuditLog, part_of_app(lambda parts: parts.platform.stores.audit_log)]
Person = Annotated[ShortText, Query(description="By or about a person: an id, or a part of a name.")]


class AuditEntryOut(ReplyModel):
    """One entry of the audit log; names are those of its time."""

    number: int
    at: datetime
    event: Event
    actor_kind: ActorKind
    actor_id: str | None = Field(description="The id of a person or a key.")
    actor_name: str
    course_id: str | None
    person_id: str | None = Field(description="Whom it was done to.")
    person_name: str | None
    detail: str = Field(description="Ids, roles, names of fields or files.")


class AuditLogOut(BaseModel):
    """Entries, newest first."""

    entries: list[AuditEntryOut]
    next: int | None = Field(description="The `cursor` of the next page; null on the last.")


router = ThreadedRouter(prefix="/v1")


@router.get(
    "/audit-log",
    tags=["admin"],
    dependencies=[Depends(require_admin)],
    responses=problems({401: "No key was sent.", 403: "It is not the admin key, or none is set."}),
)
def read_audit_log(
    log: _Log,
    course: Annotated[Identifier | None, Query()] = None,
    person: Person = "",
    limit: Limit = PAGE_SIZE,
    cursor: Cursor = None,
) -> AuditLogOut:
    """Who changed what and who logged in, over the last year."""
    course_id = None if course is None else CourseId(course)
    return _page(log.entries(course_id=course_id, person=person, before=cursor, limit=limit + 1), limit)


@router.get("/courses/{course}/audit-log", tags=["settings"], responses=problems())
def read_audit_log_of_course(
    log: _Log,
    who: CourseInstructor,
    person: Person = "",
    limit: Limit = PAGE_SIZE,
    cursor: Cursor = None,
) -> AuditLogOut:
    """Who changed what in the course, over the last year."""
    found = log.entries(
        course_id=who.course_id, person=person, before=cursor, limit=limit + 1, of_earlier=False
    )
    return _page(found, limit)


def _page(found: tuple[AuditEntry, ...], limit: int) -> AuditLogOut:
    shown, following = page_of(found, limit)
    return AuditLogOut(entries=[AuditEntryOut.of(each) for each in shown], next=following)
