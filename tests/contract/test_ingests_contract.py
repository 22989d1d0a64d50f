"""Ingests that any process can tell of, on each database."""

from __future__ import annotations

from datetime import timedelta
from threading import Event

import pytest
from sqlalchemy import update

from services.materials.ingest_store import KEPT, MOST_WAITING, SILENT, IngestState, Job
from services.materials.ingests import IngestLog
from services.store import tables
from services.stores import Stores
from vta.errors import LimitExceeded, NotFound
from vta.faults import Fault
from vta.ingest.pipeline import IngestReport
from vta.types.answers import Rejection
from vta.types.courses import CourseId

DS, ML = CourseId("ds"), CourseId("ml")
NESTED = Fault("place.field", path="a.csv", field="question", fault=Fault("upload.none"))
REPORT = IngestReport(
    added=("a.md", "栈.md"),
    replaced=("a.md",),
    passages={"a.md": 3, "栈.md": 1},
    unchanged=("b.md",),
    removed=("c.md",),
    rejected=(
        Rejection(path="d.csv", fault=Fault("upload.kind", name="d.csv").at("d.csv", 7), line=7),
        Rejection(path="e.csv", fault=Fault("upload.not_kept", reason=NESTED)),
    ),
    passed_over=("x.bin",),
    pairs=4,
    seconds=1.5,
)


def job(number: int, course: CourseId = DS) -> Job:
    return Job(id=f"j{number}", course_id=course, total=2)


def make_older(stores: Stores, **ages: timedelta) -> None:
    table = tables.ingests
    with stores.engine.begin() as connection:
        for name, age in ages.items():
            moments = connection.execute(table.select().with_only_columns(table.c.id, table.c[name])).all()
            for id, moment in moments:
                change = update(table).where(table.c.id == id).values({name: moment - age})
                connection.execute(change)


def test_what_is_told_is_found_by_whoever_asks(stores):
    """Progress, then the whole report, with faults inside faults; not by another course."""
    told = job(1)
    stores.ingests.begin(told)
    assert stores.ingests.find(DS, "j1") == told
    told.state, told.done = IngestState.READING, 1
    stores.ingests.tell(told)
    assert stores.ingests.find(DS, "j1") == told
    told.state, told.report = IngestState.DONE, REPORT
    stores.ingests.tell(told)
    assert stores.ingests.find(DS, "j1") == told
    for course, id in ((ML, "j1"), (DS, "j2")):
        with pytest.raises(NotFound):
            stores.ingests.find(course, id)


def test_a_course_fills_its_own_line_alone(stores):
    """One more of a course than may wait is refused; another course's is not; one that ended makes room."""
    jobs = [job(number) for number in range(MOST_WAITING)]
    for each in jobs:
        stores.ingests.begin(each)
    with pytest.raises(LimitExceeded):
        stores.ingests.begin(job(10))
    stores.ingests.begin(job(11, ML))
    jobs[0].state, jobs[0].fault = IngestState.FAILED, Fault("upload.failed")
    stores.ingests.tell(jobs[0])
    stores.ingests.begin(job(12))


def test_an_ingest_of_a_dead_process_has_failed_and_blocks_nobody(stores):
    """It is taken for dead when it has told nothing for a while."""
    for number in range(MOST_WAITING):
        stores.ingests.begin(job(number))
    make_older(stores, alive_at=SILENT + timedelta(minutes=1))
    found = stores.ingests.find(DS, "j0")
    assert (found.state, found.fault) == (IngestState.FAILED, Fault("upload.broken_off"))
    stores.ingests.begin(job(10))


def test_old_reports_go_and_so_do_those_of_a_removed_course(stores):
    stores.ingests.begin(job(1))
    make_older(stores, begun_at=KEPT + timedelta(minutes=1))
    stores.ingests.begin(job(2, ML))
    with pytest.raises(NotFound):
        stores.ingests.find(DS, "j1")
    stores.courses.remove(ML)
    with pytest.raises(NotFound):
        stores.ingests.find(ML, "j2")


def test_a_process_tells_of_its_ingests_by_itself(stores):
    """Its own are known to it at once, to others within a second or two; the end of it is told."""
    log, told = IngestLog(stores.ingests), job(1)
    log.begin(told)
    told.state, told.done = IngestState.READING, 1
    assert log.find(DS, "j1") is told
    for _ in range(200):
        if stores.ingests.find(DS, "j1").done:
            break
        Event().wait(0.05)
    assert stores.ingests.find(DS, "j1").state is IngestState.READING
    log.close()
    assert stores.ingests.find(DS, "j1").fault == Fault("reading.closed")
