"""Ingests in the relational store, so that every process can show the progress of each."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from typing import Any

from pydantic import TypeAdapter
from sqlalchemy import Connection, and_, delete, func, insert, select, update

from services.store.rows import from_row
from services.store.tables import ingests as table
from services.store.transactions import ClockedStore, written
from vta.errors import LimitExceeded, NotFound
from vta.faults import Fault
from vta.ingest.pipeline import IngestReport
from vta.types.courses import CourseId

KEPT = timedelta(days=7)
"""Age at which the report of an ingest is erased."""
MOST_WAITING = 5
"""Unfinished ingests of one course."""
SILENT = timedelta(seconds=30)
"""Time without a sign of life after which a process counts as dead."""


class IngestState(StrEnum):
    """Stages of an ingest."""

    WAITING = "waiting"
    READING = "reading"
    INDEXING = "indexing"
    DONE = "done"
    FAILED = "failed"

    @property
    def running(self) -> bool:
        return self not in (IngestState.DONE, IngestState.FAILED)


_RUNNING = tuple(state.value for state in IngestState if state.running)


@dataclass(slots=True)
class Job:
    """An ingest; `report` is there once it is done, `fault` says why it failed."""

    id: str
    course_id: CourseId
    total: int
    done: int = 0
    state: IngestState = IngestState.WAITING
    report: IngestReport | None = None
    fault: Fault | None = None

    @property
    def running(self) -> bool:
        return self.state.running


_reports = TypeAdapter(IngestReport | None)
_faults = TypeAdapter(Fault | None)


class SqlIngests(ClockedStore):
    """Progress of ingests, each written by the process that reads the files."""

    @written
    def begin(self, connection: Connection, job: Job) -> None:
        """Store a new ingest and erase old ones. `LimitExceeded` for many unfinished ones of its course."""
        now = self._clock.now()
        under_way = and_(
            table.c.course_id == job.course_id, table.c.state.in_(_RUNNING), table.c.alive_at > now - SILENT
        )
        connection.execute(delete(table).where(table.c.begun_at < now - KEPT))
        if connection.execute(select(func.count()).where(under_way)).scalar_one() >= MOST_WAITING:
            raise LimitExceeded(Fault("upload.waiting", most=MOST_WAITING))
        row = {"id": job.id, "course_id": job.course_id, "begun_at": now, "alive_at": now}
        connection.execute(insert(table).values(row | _columns(job)))

    def tell(self, job: Job) -> None:
        """Store the progress and the sign of life of an ingest; does nothing for a removed course."""
        values = _columns(job) | {"alive_at": self._clock.now()}
        self._execute(update(table).filter_by(id=job.id).values(values))

    def find(self, course_id: CourseId, id: str) -> Job:
        """The last stored state of an ingest of this course, or `NotFound`.

        An ingest of a dead process has failed.
        """
        row = self._row(select(table).filter_by(id=id, course_id=course_id))
        if row is None:
            raise NotFound(Fault("upload.unknown"))
        report, fault = _reports.validate_python(row.report), _faults.validate_python(row.fault)
        job = from_row(Job, row, report=report, fault=fault)
        if job.running and self._clock.now() - row.alive_at > SILENT:
            job.state, job.fault = IngestState.FAILED, Fault("upload.broken_off")
        return job


def _columns(job: Job) -> dict[str, Any]:
    return {
        "state": job.state.value,
        "done": job.done,
        "total": job.total,
        "report": _reports.dump_python(job.report, mode="json"),
        "fault": _faults.dump_python(job.fault, mode="json"),
        "passed_over": [],  # of older versions; the report holds it
    }
