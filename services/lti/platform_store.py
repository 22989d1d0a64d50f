"""LTI platforms, and the courses that theirs are mapped to or may lead to."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, Select, Table, delete, insert, select, update

from services.store import tables
from services.store.audit_log import Event, change, note
from services.store.course_rows import require_course
from services.store.rows import as_row, from_row
from services.store.tables import lti_contexts, lti_shared_courses
from services.store.transactions import ClockedStore, SqlStore, reading, written
from vta.errors import Conflict, NotFound
from vta.faults import Fault
from vta.types.courses import CourseId, PlatformId


@dataclass(frozen=True, slots=True, kw_only=True)
class LtiPlatform:
    """A platform as registered; `origins` are those of its pages, which may show ours in a frame."""

    id: PlatformId
    issuer: str
    client_id: str
    login_url: str
    jwks_url: str
    origins: tuple[str, ...]
    deployments: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LtiContext:
    """A course of a platform; its id is unique within the deployment."""

    platform_id: PlatformId
    deployment_id: str
    context_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MappedContext:
    """A course of a platform that is mapped to a course here."""

    context: LtiContext
    course_id: CourseId


class SqlLtiPlatforms(ClockedStore):
    """Registers platforms and maps their contexts to courses."""

    @written
    def add(
        self,
        connection: Connection,
        *,
        issuer: str,
        client_id: str,
        login_url: str,
        jwks_url: str,
        origins: tuple[str, ...],
        deployments: tuple[str, ...],
    ) -> LtiPlatform:
        """Register a platform; `Conflict` where its issuer and client id are registered."""
        known = LtiPlatform(
            id=PlatformId(secrets.token_hex(4)),
            issuer=issuer,
            client_id=client_id,
            login_url=login_url,
            jwks_url=jwks_url,
            origins=origins,
            deployments=tuple(sorted(set(deployments))),
        )
        row = as_row(known) | {"created_at": self._clock.now()}
        del row["deployments"]
        _check_free(connection, known.id, issuer, client_id)
        connection.execute(insert(tables.lti_platforms).values(row))
        for deployment in known.deployments:
            _insert_deployment(connection, known.id, deployment)
        note(connection, Event.LTI_ADDED, detail=known.id)
        return known

    @written
    def edit(self, connection: Connection, platform_id: PlatformId, changes: Mapping[str, object]) -> None:
        """Change columns of a platform; its contexts and learners stay.

        `Conflict` where another is registered with the issuer and client id that it would have.
        """
        row = require_platform(connection, platform_id)
        issuer = str(changes.get("issuer", row.issuer))
        client_id = str(changes.get("client_id", row.client_id))
        _check_free(connection, platform_id, issuer, client_id)
        known = update(tables.lti_platforms).filter_by(id=platform_id)
        connection.execute(known.values(dict(changes)))
        note(connection, Event.LTI_EDITED, detail=f"{platform_id}: {', '.join(changes)}")

    @written
    def add_deployment(self, connection: Connection, platform_id: PlatformId, deployment_id: str) -> None:
        """Let in launches of a further deployment; one that is there already stays."""
        require_platform(connection, platform_id)
        if deployment_id not in _deployments(connection, platform_id):
            _insert_deployment(connection, platform_id, deployment_id)
            note(connection, Event.LTI_EDITED, detail=f"{platform_id}: deployment")

    def remove(self, platform_id: PlatformId) -> None:
        """Delete a platform with its mappings; its users are logged out."""
        gone = delete(tables.lti_platforms).filter_by(id=platform_id)
        if not change(self._engine, gone, Event.LTI_REMOVED, detail=platform_id):
            raise _unknown_platform(platform_id)

    def platform(self, platform_id: PlatformId) -> LtiPlatform:
        with reading(self._engine) as connection:
            return _platform(connection, require_platform(connection, platform_id))

    def platforms(self) -> tuple[LtiPlatform, ...]:
        """All of them, oldest first."""
        return self._platforms(select(tables.lti_platforms).order_by("created_at", "id"))

    def find(self, issuer: str, client_id: str | None) -> tuple[LtiPlatform, ...]:
        """The platforms of an issuer; at most one where the client id is given."""
        query = select(tables.lti_platforms).filter_by(issuer=issuer).order_by("id")
        return self._platforms(query if client_id is None else query.filter_by(client_id=client_id))

    def _platforms(self, query: Select[Any]) -> tuple[LtiPlatform, ...]:
        with reading(self._engine) as connection:
            return tuple(_platform(connection, row) for row in connection.execute(query).all())

    @written
    def map(self, connection: Connection, context: LtiContext, course_id: CourseId) -> None:
        """From now on the context is this course; `NotFound` for an unknown deployment or course."""
        require_platform(connection, context.platform_id)
        deployment = context.deployment_id
        if deployment not in _deployments(connection, context.platform_id):
            fault = Fault("lti.deployment_unknown", deployment=deployment, platform=context.platform_id)
            raise NotFound(fault)
        require_course(connection, course_id)
        _forget(connection, context)
        connection.execute(insert(lti_contexts).values(course_id=course_id, **as_row(context)))
        note(connection, Event.LTI_MAPPED, course_id=course_id, detail=context.platform_id)

    @written
    def unmap(self, connection: Connection, context: LtiContext) -> None:
        """The context is no course of ours any more."""
        course_id = _forget(connection, context)
        if course_id is None:
            raise NotFound(Fault("lti.not_mapped", context=context.context_id))
        note(connection, Event.LTI_UNMAPPED, course_id=course_id, detail=context.platform_id)

    def mapped(self, context: LtiContext) -> CourseId | None:
        """The course that a context is mapped to; None where it is to none."""
        found = self._scalar(select(lti_contexts.c.course_id).filter_by(**as_row(context)))
        return None if found is None else CourseId(found)

    def contexts(self) -> tuple[MappedContext, ...]:
        query = select(lti_contexts).order_by("platform_id", "deployment_id", "context_id")
        return tuple(
            from_row(MappedContext, row, context=from_row(LtiContext, row)) for row in self._rows(query)
        )


def require_platform(connection: Connection, platform_id: PlatformId) -> Row[Any]:
    """The row of a platform; `NotFound` where there is none."""
    query = select(tables.lti_platforms).filter_by(id=platform_id)
    row = connection.execute(query).one_or_none()
    if row is None:
        raise _unknown_platform(platform_id)
    return row


def _check_free(connection: Connection, platform_id: PlatformId, issuer: str, client_id: str) -> None:
    """`Conflict` where another platform is registered with this issuer and client id."""
    table = tables.lti_platforms
    same = select(table.c.id).filter_by(issuer=issuer, client_id=client_id).where(table.c.id != platform_id)
    if connection.execute(same).first() is not None:
        raise Conflict(Fault("lti.registered", client=client_id, issuer=issuer))


def _unknown_platform(platform_id: PlatformId) -> NotFound:
    return NotFound(Fault("lti.platform_unknown", platform=platform_id))


def _platform(connection: Connection, row: Row[Any]) -> LtiPlatform:
    return from_row(LtiPlatform, row, deployments=_deployments(connection, PlatformId(row.id)))


def _deployments(connection: Connection, platform_id: PlatformId) -> tuple[str, ...]:
    query = select(tables.lti_deployments.c.deployment_id).filter_by(platform_id=platform_id)
    return tuple(connection.execute(query.order_by("deployment_id")).scalars())


def _insert_deployment(connection: Connection, platform_id: PlatformId, deployment_id: str) -> None:
    row = {"platform_id": platform_id, "deployment_id": deployment_id}
    connection.execute(insert(tables.lti_deployments).values(row))


def _forget(connection: Connection, context: LtiContext) -> CourseId | None:
    """Unmap a context, and return the course that it was.

    Consoles that launches from its platform opened on that course are closed.
    """
    mapped = select(lti_contexts.c.course_id).filter_by(**as_row(context))
    course_id = connection.execute(mapped).scalar_one_or_none()
    if course_id is None:
        return None
    for opened in (tables.console_sessions, tables.learner_visits):
        _close(connection, opened, context.platform_id, course_id)
    connection.execute(delete(lti_contexts).filter_by(**as_row(context)))
    return CourseId(course_id)


def _close(connection: Connection, opened: Table, platform_id: PlatformId, course_id: CourseId) -> None:
    """Log out whom a platform sent into a course."""
    connection.execute(delete(opened).filter_by(platform_id=platform_id, course_id=course_id))


class SqlLtiSharedCourses(SqlStore):
    """Shares courses with platforms. A shared course is open to students, its console is not."""

    @written
    def share(self, connection: Connection, platform_id: PlatformId, course_id: CourseId) -> None:
        """From now on links of the platform may lead to the course; `NotFound` where either is unknown."""
        row = {"platform_id": platform_id, "course_id": course_id}
        require_platform(connection, platform_id)
        require_course(connection, course_id)
        connection.execute(delete(lti_shared_courses).filter_by(**row))
        connection.execute(insert(lti_shared_courses).values(row))
        note(connection, Event.LTI_SHARED, course_id=course_id, detail=platform_id)

    @written
    def unshare(self, connection: Connection, platform_id: PlatformId, course_id: CourseId) -> None:
        """Share it no more, and log out whom the platform sent there; `NotFound` where it was not shared."""
        both = {"platform_id": platform_id, "course_id": course_id}
        if not connection.execute(delete(lti_shared_courses).filter_by(**both)).rowcount:
            raise NotFound(Fault("lti.not_shared", course=course_id))
        note(connection, Event.LTI_UNSHARED, course_id=course_id, detail=platform_id)
        if connection.execute(select(lti_contexts.c.context_id).filter_by(**both)).first() is None:
            _close(connection, tables.learner_visits, platform_id, course_id)

    def shared(self, platform_id: PlatformId) -> tuple[CourseId, ...]:
        query = select(lti_shared_courses.c.course_id).filter_by(platform_id=platform_id)
        return tuple(CourseId(row.course_id) for row in self._rows(query.order_by("course_id")))
