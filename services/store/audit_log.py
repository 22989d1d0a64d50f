"""The audit log of changes and log-ins, written in the transaction of the change.

`act_as` and `acting` set the actor where somebody is admitted, for everything they do.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from sqlalchemy import Connection, Delete, Engine, Insert, Select, Update, delete, func, insert, or_, select

from services.store import tables
from services.store.rows import from_row
from services.store.transactions import ClockedStore, write
from vta.types.courses import CourseId

KEPT = timedelta(days=365)
PAGE_SIZE = 50
_NAMED, _LONGEST_NAME = 3, 100


class ActorKind(StrEnum):
    """Kinds of actors."""

    PERSON = "person"
    KEY = "key"
    LAUNCH = "launch"
    """An instructor whom an LTI platform vouched for."""
    ADMIN_KEY = "admin_key"
    COMMAND_LINE = "command_line"
    SERVER = "server"
    NOBODY = "nobody"
    """Somebody who is not logged in, such as a person who follows a link."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Actor:
    """An actor; `id` is that of a person or key."""

    kind: ActorKind
    id: str | None = None
    name: str = ""


COMMAND_LINE = Actor(kind=ActorKind.COMMAND_LINE)
SERVER = Actor(kind=ActorKind.SERVER)
NOBODY = Actor(kind=ActorKind.NOBODY)
_actor = ContextVar("actor", default=SERVER)


def current_actor() -> Actor:
    """The current actor, by default the server."""
    return _actor.get()


def act_as(actor: Actor) -> None:
    """Set the actor until the end of the request."""
    _actor.set(actor)


@contextmanager
def acting(actor: Actor) -> Iterator[None]:
    """Set the actor inside the context."""
    before = _actor.set(actor)
    try:
        yield
    finally:
        _actor.reset(before)


def names_of(paths: Sequence[str]) -> str:
    """The first names of a list of files, and how many more there are."""
    more = f" +{len(paths) - _NAMED}" if len(paths) > _NAMED else ""
    return ", ".join(each[:_LONGEST_NAME] for each in paths[:_NAMED]) + more


class Event(StrEnum):
    """Events of the audit log."""

    LOG_IN = "log_in"
    LOG_IN_FAILED = "log_in_failed"
    KEY_MADE = "key_made"
    KEY_REPLACED = "key_replaced"
    KEY_REVOKED = "key_revoked"
    PERSON_ADDED = "person_added"
    PERSON_RENAMED = "person_renamed"
    PERSON_ROLE = "person_role"
    PERSON_DISABLED = "person_disabled"
    PERSON_ENABLED = "person_enabled"
    PERSON_REMOVED = "person_removed"
    PASSWORD_LINK = "password_link"  # noqa: S105  # its name
    PASSWORD_SET = "password_set"  # noqa: S105  # its name
    SCHOOL_BOUND = "school_bound"
    INVITED = "invited"
    INVITATION_WITHDRAWN = "invitation_withdrawn"
    MEMBER_PUT = "member_put"
    MEMBER_REMOVED = "member_removed"
    COURSE_MADE = "course_made"
    COURSE_COPIED = "course_copied"
    COURSE_IMPORTED = "course_imported"
    COURSE_ARCHIVED = "course_archived"
    COURSE_OPENED = "course_opened"
    COURSE_REMOVED = "course_removed"
    SETTINGS = "settings"
    FACTS = "facts"
    MATERIAL_PUT = "material_put"
    MATERIAL_REMOVED = "material_removed"
    MATERIAL_RESTORED = "material_restored"
    MATERIAL_TIMED = "material_timed"
    LTI_INVITED = "lti_invited"
    LTI_ADDED = "lti_added"
    LTI_EDITED = "lti_edited"
    LTI_REMOVED = "lti_removed"
    LTI_MAPPED = "lti_mapped"
    LTI_UNMAPPED = "lti_unmapped"
    LTI_SHARED = "lti_shared"
    LTI_UNSHARED = "lti_unshared"
    BACKUP_MADE = "backup_made"
    BACKUP_FAILED = "backup_failed"
    RESTORED = "restored"


def note(
    connection: Connection,
    event: Event,
    *,
    course_id: CourseId | None = None,
    person_id: str | None = None,
    detail: str = "",
    actor: Actor | None = None,
) -> None:
    """Write an entry as a part of the transaction of a caller.

    `person_id` is whom it was done to, `detail` what in a few words: ids, roles, names of fields or files,
    never a text, a secret or an address.
    """
    by, people = actor or current_actor(), tables.people
    row = {
        "at": func.now(),
        "event": event.value,
        "actor_kind": by.kind.value,
        "actor_id": by.id,
        "actor_name": by.name,
        "course_id": course_id,
        "person_id": person_id,
        "person_name": select(people.c.name).filter_by(id=person_id).scalar_subquery(),
        "detail": detail,
    }
    connection.execute(insert(tables.audit_log).values(row))


def change(engine: Engine, statement: Delete | Insert | Update, event: Event, **said: Any) -> int:
    """Write by one statement and note it, if it touched a row; returns how many it touched."""

    def action(connection: Connection) -> int:
        count = connection.execute(statement).rowcount
        if count:
            note(connection, event, **said)
        return count

    return write(engine, action)


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditEntry:
    """An entry: who, what, in which course, to whom; the names are those of that time."""

    number: int
    at: datetime
    event: Event
    actor_kind: ActorKind
    actor_id: str | None
    actor_name: str
    course_id: CourseId | None
    person_id: str | None
    person_name: str | None
    detail: str


def page_of(found: Sequence[AuditEntry], limit: int) -> tuple[Sequence[AuditEntry], int | None]:
    """The first `limit` entries, and where the next page begins, if one more was found."""
    shown = found[:limit]
    return shown, shown[-1].number if len(found) > limit else None


class SqlAuditLog(ClockedStore):
    """Reads the log, newest first; entries are erased after `KEPT`."""

    def note(self, event: Event, **said: Any) -> None:
        """Write an entry of what is no change of the store."""
        write(self._engine, lambda connection: note(connection, event, **said))

    def entries(
        self,
        *,
        course_id: CourseId | None = None,
        person: str = "",
        before: int | None = None,
        limit: int = PAGE_SIZE,
        of_earlier: bool = True,
    ) -> tuple[AuditEntry, ...]:
        """Entries of a course, and by or about a person, given by id or a part of the name.

        Without `of_earlier`, entries of a removed course of the same id are left out.
        """
        number = tables.audit_log.c.number
        query = _of(course_id, person)
        if not of_earlier:
            removed = _of(course_id, "").filter_by(event=Event.COURSE_REMOVED.value)
            last = removed.with_only_columns(func.coalesce(func.max(number), 0)).scalar_subquery()
            query = query.where(number > last)
        if before is not None:
            query = query.where(number < before)
        rows = self._rows(query.order_by(number.desc()).limit(limit))
        return tuple(from_row(AuditEntry, row) for row in rows)

    def sweep(self) -> int:
        """Erase entries older than `KEPT`; returns their number."""
        return self._execute(delete(tables.audit_log).where(tables.audit_log.c.at < self._clock.now() - KEPT))


def _of(course_id: CourseId | None, person: str) -> Select[Any]:
    table = tables.audit_log.c
    query = select(tables.audit_log)
    if course_id is not None:
        query = query.where(table.course_id == course_id)
    if person:
        named = (each.icontains(person, autoescape=True) for each in (table.actor_name, table.person_name))
        query = query.where(or_(table.actor_id == person, table.person_id == person, *named))
    return query
