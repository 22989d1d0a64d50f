"""The websites of courses that are read again by themselves, in the relational store."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from pydantic import TypeAdapter
from sqlalchemy import Connection, Row, delete, func, or_, select, update

from services.store.audit_log import Event, note
from services.store.course_rows import hold_course, require_course
from services.store.rows import from_row
from services.store.tables import course_sites as table
from services.store.tables import courses, waiting_uploads
from services.store.transactions import ClockedStore, put_row, reading, written
from vta.errors import InvalidInput
from vta.faults import Fault
from vta.types.courses import CourseId

MOST_SITES = 10
"""Websites of one course."""


class Every(StrEnum):
    """The times after which a website is read again."""

    DAY = "day"
    WEEK = "week"
    NEVER = "never"


@dataclass(frozen=True, slots=True)
class SiteChanges:
    """The numbers of pages and files that differed from the course, and of those that could not be read."""

    new: int
    changed: int
    gone: int
    refused: int

    @property
    def differs(self) -> bool:
        return bool(self.new or self.changed or self.gone)


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteReading:
    """The result of a reading: `plan` is the upload that waits for a yes, `stamp` the digest of all pages."""

    changes: SiteChanges | None = None
    stamp: str = ""
    plan: str | None = None
    fault: Fault | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """A website with its last reading: the `changes` that it found or the `fault` that it met.

    `plan` is gone once somebody has answered it. `tells_fault` lasts until somebody has read the fault.
    """

    course_id: CourseId
    address: str
    every: Every
    read_at: datetime | None
    stamp: str
    changes: SiteChanges | None
    fault: Fault | None
    tells_fault: bool
    plan: str | None

    @property
    def name(self) -> str:
        return self.address.partition("://")[2].rstrip("/")

    @property
    def tells(self) -> bool:
        """Whether there is something that nobody has answered or read."""
        return self.plan is not None or self.tells_fault


_faults = TypeAdapter(Fault | None)


class SqlSites(ClockedStore):
    def sites(self, course_id: CourseId) -> tuple[Site, ...]:
        """Those of a course by address; `NotFound` for an unknown course."""
        with reading(self._engine) as connection:
            require_course(connection, course_id)
            rows = connection.execute(select(table).filter_by(course_id=course_id).order_by("address"))
            return tuple(map(_site, rows))

    def check_room(self, course_id: CourseId, address: str) -> None:
        """`InvalidInput` where this website would be one too many."""
        with reading(self._engine) as connection:
            _check_room(connection, course_id, address)

    @written
    def keep(self, connection: Connection, course_id: CourseId, address: str, every: Every) -> None:
        """Read a website again after a while; `InvalidInput` for one too many."""
        hold_course(connection, course_id)
        _check_room(connection, course_id, address)
        put_row(connection, table, {"course_id": course_id, "address": address}, {"every": every})
        note(connection, Event.SETTINGS, course_id=course_id, detail=f"{address}: {every}")

    @written
    def was_read(self, connection: Connection, course_id: CourseId, address: str) -> None:
        """Note that somebody has read a website, if it is kept, and drop what its last reading has told."""
        _drop_plan(connection, course_id, address)
        change = update(table).filter_by(course_id=course_id, address=address)
        nothing = {"stamp": "", "changes": None, "fault": None, "tells_fault": False}
        connection.execute(change.values({"read_at": self._clock.now(), **nothing}))

    def dismiss_fault(self, course_id: CourseId, address: str) -> None:
        """Tell the fault of the last reading no longer."""
        change = update(table).filter_by(course_id=course_id, address=address)
        self._execute(change.values(tells_fault=False))

    @written
    def remove(self, connection: Connection, course_id: CourseId, address: str) -> None:
        """Forget a website, if it is kept, with its plan; its pages stay in the course."""
        _drop_plan(connection, course_id, address)
        gone = delete(table).filter_by(course_id=course_id, address=address)
        if connection.execute(gone).rowcount:
            note(connection, Event.SETTINGS, course_id=course_id, detail=f"{address}: -")

    def due(self) -> Site | None:
        """The website of a course that is not archived which has been due longest; None where none is."""
        now, read_at = self._clock.now(), table.c.read_at
        late = [
            (table.c.every == every) & (read_at <= now - timedelta(days=days))
            for every, days in ((Every.DAY, 1), (Every.WEEK, 7))
        ]
        query = (
            select(table)
            .join(courses, courses.c.id == table.c.course_id)
            .where(~courses.c.archived, table.c.every != Every.NEVER, or_(read_at.is_(None), *late))
            .order_by(read_at.isnot(None), read_at, table.c.course_id, table.c.address)
        )
        row = next(iter(self._rows(query.limit(1))), None)
        return row and _site(row)

    @written
    def record(self, connection: Connection, site: Site, found: SiteReading) -> None:
        """Store the result of a reading in the place of the last one.

        Pages that are the same as then need no new plan: theirs still waits, or was declined.

        Where somebody read, removed or changed the website meanwhile, the result is dropped with its plan.
        A fault is told unless the last reading met the same.
        """
        values = {
            "read_at": self._clock.now(),
            "changes": found.changes and asdict(found.changes),
            "fault": _faults.dump_python(found.fault, mode="json"),
            "tells_fault": found.fault is not None and (site.tells_fault or found.fault != site.fault),
        }
        plan = site.plan
        if found.changes is not None:
            is_old = found.stamp == site.stamp and found.changes.differs
            plan = site.plan if is_old else found.plan
            values |= {"stamp": found.stamp if found.changes.differs else "", "plan": plan}
        hold_course(connection, site.course_id)
        row = connection.execute(select(table).where(_is(site))).one_or_none()
        dropped = {site.plan, found.plan} - {plan}
        if row is None or _site(row) != site:
            dropped = {found.plan}
        else:
            connection.execute(update(table).where(_is(site)).values(values))
        connection.execute(delete(waiting_uploads).where(waiting_uploads.c.id.in_(dropped - {None})))


def _is(site: Site) -> Any:
    return (table.c.course_id == site.course_id) & (table.c.address == site.address)


def _check_room(connection: Connection, course_id: CourseId, address: str) -> None:
    others = select(func.count()).where(table.c.course_id == course_id, table.c.address != address)
    if connection.execute(others).scalar_one() >= MOST_SITES:
        raise InvalidInput(Fault("website.too_many_kept", most=MOST_SITES), field="address")


def _drop_plan(connection: Connection, course_id: CourseId, address: str) -> None:
    plan = select(table.c.plan).filter_by(course_id=course_id, address=address).scalar_subquery()
    connection.execute(delete(waiting_uploads).where(waiting_uploads.c.id == plan))


def _site(row: Row[Any]) -> Site:
    changes = row.changes and SiteChanges(**row.changes)
    return from_row(
        Site, row, every=Every(row.every), changes=changes, fault=_faults.validate_python(row.fault)
    )
