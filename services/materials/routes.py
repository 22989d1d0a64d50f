"""The documents of a course by HTTP: list, upload with progress, removal."""

from __future__ import annotations

import asyncio
from datetime import datetime
from typing import Annotated, Self

from fastapi import Query, Request, Response
from pydantic import BaseModel, BeforeValidator, Field, WithJsonSchema

from services.documents.weeks import Week
from services.facts.store import LONGEST_LINE
from services.materials.ingest_store import IngestState, Job
from services.materials.passages import Moment
from services.materials.site_store import Every, SiteChanges
from services.people.course_keys import CourseInstructor, Name
from services.reading.given_files import MOST_FILES, UploadRefused
from services.web.problems import bad_request, only, problems
from services.web.schemas import ReplyModel, RequestModel, plain_text
from services.web.serving import Served, ThreadedRouter
from services.web.uploads import given_file, upload_form, uploads_of
from vta.errors import InvalidInput
from vta.faults import Fault

_PROBLEMS = problems(
    {404: "No such course, document or ingest.", 409: "The course is archived."}, bodies=False
)
_UPLOAD_PROBLEMS = only(
    {
        400: f"The body is no form, or holds more than {MOST_FILES} files.",
        413: "The files are larger than this server reads.",
    }
)
_FILES = {
    "requestBody": {
        "required": True,
        "content": {
            "multipart/form-data": {
                "schema": {
                    "type": "object",
                    "required": ["files"],
                    "properties": {
                        "files": {
                            "type": "array",
                            "minItems": 1,
                            "maxItems": MOST_FILES,
                            "items": {"type": "string", "format": "binary"},
                        }
                    },
                }
            }
        },
    }
}
DocumentPath = Annotated[str, Query(min_length=1, max_length=1000, pattern=r"^[^\x00]*$")]


class ReleaseIn(
    RequestModel,
    json_schema_extra={
        "examples": [{"paths": ["week-3/notes.md"], "release_at": "2026-09-21T08:00:00+08:00"}]
    },
):
    """Documents, and the moment from which they answer; at once without one."""

    paths: Annotated[list[Annotated[str, Field(max_length=1000)]], Field(min_length=1, max_length=1000)]
    release_at: Moment | None = None


class MaterialOut(ReplyModel):
    """A document: what was made of it, and when it was read last; null if that was not recorded yet.

    One that `waits` answers nobody before `release_at`.
    """

    path: str
    folder: str
    kind: str
    pairs: int
    concepts: int
    read_at: datetime | None = Field(validation_alias="stored_at")
    release_at: datetime | None
    waits: bool


class MaterialList(BaseModel):
    """Documents by path; `total` counts all that match."""

    total: int
    documents: list[MaterialOut]


class RejectionOut(BaseModel):
    """A file, or a part of one, that was left out, and why."""

    path: str
    line: int | None
    reason: str


class IngestReportOut(ReplyModel):
    """What an ingest did; `replaced` are those of `added` that were there before.

    `passed_over` are the files of folders and ZIPs that nothing reads.
    """

    added: list[str]
    replaced: list[str]
    unchanged: list[str]
    rejected: list[RejectionOut]
    passed_over: list[str]
    pairs: int
    seconds: float


_State = Annotated[IngestState, WithJsonSchema({"enum": [*IngestState], "type": "string"})]


class IngestOut(BaseModel):
    """How far an ingest is; `report` is there once it is done, `fault` where it failed."""

    id: str
    state: _State
    done: int
    total: int
    fault: str | None
    report: IngestReportOut | None

    @classmethod
    def of(cls, job: Job) -> Self:
        return cls(
            id=job.id,
            state=job.state,
            done=job.done,
            total=job.total,
            fault=job.fault.text() if job.fault else None,
            report=IngestReportOut.of(job.report) if job.report and job.state is IngestState.DONE else None,
        )


class WeekIn(
    RequestModel,
    json_schema_extra={"examples": [{"path": "week-3", "name": "Week 3", "opens": "2026-12-03"}]},
):
    """A week: its documents are those whose path is, or begins with, `path`.

    It opens on a day, or at a time of it, of the course's time zone, which is among its facts.
    """

    path: Annotated[str, plain_text(LONGEST_LINE)]
    name: Annotated[str, plain_text(LONGEST_LINE)]
    opens: Annotated[str, plain_text(16)]


class SiteIn(
    RequestModel,
    json_schema_extra={"examples": [{"address": "https://learn.example/algorithms/", "every": "week"}]},
):
    """A website, and when to read it again; one that is new is read within an hour."""

    address: Annotated[str, plain_text(1000)]
    every: Every


class SiteOut(ReplyModel):
    """A website that is read again, and its last reading: its changes, or its fault.

    `plan_waits` until an instructor confirms or declines the changes in the console.
    """

    address: str
    every: Every
    read_at: datetime | None
    changes: SiteChanges | None
    fault: Annotated[str | None, BeforeValidator(lambda fault: fault and fault.text())]
    plan_waits: Annotated[bool, BeforeValidator(lambda plan: plan is not None)] = Field(
        validation_alias="plan"
    )


router = ThreadedRouter(prefix="/v1/courses/{course}/materials", tags=["materials"], responses=_PROBLEMS)


@router.get("")
def list_materials(
    platform: Served,
    who: CourseInstructor,
    search: Annotated[str, Query(max_length=200)] = "",
    offset: Annotated[int, Query(ge=0, le=1_000_000)] = 0,
    limit: Annotated[int, Query(ge=1, le=1000)] = 100,
) -> MaterialList:
    """The documents of the course, or those whose path holds what is searched for."""
    found = platform.materials.documents(who.course_id, search)
    page = found[offset : offset + limit]
    return MaterialList(total=len(found), documents=[MaterialOut.of(each) for each in page])


@router.post("", status_code=202, responses=_UPLOAD_PROBLEMS, openapi_extra=_FILES)
async def upload_materials(
    request: Request, response: Response, platform: Served, who: CourseInstructor
) -> IngestOut:
    """Begin to read files into the course; Location says where its progress can be asked for.

    A file of the same name is replaced, and one that is the same is not read again. One that nothing reads
    is among the rejected; it refuses no other.
    """
    if not request.headers.get("content-type", "").startswith("multipart/form-data"):
        raise InvalidInput(Fault("api.no_file_form"), field="Content-Type")
    course = await asyncio.to_thread(platform.stores.courses.course, who.course_id)
    try:
        async with upload_form(request) as form:
            given = list(map(given_file, uploads_of(form, "files")))
            job = await asyncio.to_thread(platform.materials.begin, course, given)
    except UploadRefused as refusal:
        raise bad_request(refusal.fault) from refusal
    response.headers["Location"] = f"/v1/courses/{who.course_id}/materials/ingests/{job.id}"
    return IngestOut.of(job)


@router.put("/release", status_code=204, responses=problems())
def release_materials(body: ReleaseIn, platform: Served, who: CourseInstructor) -> None:
    """Release documents to students at a moment, or now; all of them or, where one is not there, none."""
    platform.materials.release(who.course_id, body.paths, body.release_at)


@router.get("/weeks")
def list_weeks(platform: Served, who: CourseInstructor) -> list[Week]:
    """The weeks of the course, the first to open first; to `review` where they come from another term."""
    return list(platform.stores.releases.weeks(who.course_id).weeks)


@router.put("/weeks", status_code=204, responses=problems())
def put_week(body: WeekIn, platform: Served, who: CourseInstructor) -> None:
    """Store a week in the place of the one of its path; until it opens, its documents answer nobody."""
    week = Week(path=body.path, name=body.name, opens=body.opens)
    platform.materials.set_week(who.course_id, body.path, week)


@router.delete("/weeks", status_code=204)
def remove_week(path: DocumentPath, platform: Served, who: CourseInstructor) -> None:
    """Forget a week, if it is there; its documents answer from then on."""
    platform.materials.set_week(who.course_id, path, None)


@router.get("/sites")
def list_sites(platform: Served, who: CourseInstructor) -> list[SiteOut]:
    """The websites that are read again by themselves; what differs waits for a yes in the console."""
    return [SiteOut.of(each) for each in platform.stores.sites.sites(who.course_id)]


@router.put("/sites", status_code=204, responses=problems())
def keep_site(body: SiteIn, platform: Served, who: CourseInstructor) -> None:
    """Read a website again every day, every week, or never; 422 for one too many."""
    platform.sites.keep(who.course_id, body.address, body.every)


@router.delete("/sites", status_code=204)
def forget_site(address: DocumentPath, platform: Served, who: CourseInstructor) -> None:
    """Forget a website, if it is kept, as `list_sites` names it; its pages stay in the course."""
    platform.stores.sites.remove(who.course_id, address)


@router.get("/ingests/{ingest}")
def read_ingest(ingest: Name, platform: Served, who: CourseInstructor) -> IngestOut:
    """How far an ingest is; its report can be read for seven days."""
    return IngestOut.of(platform.materials.job(who.course_id, ingest))


@router.delete("", status_code=204)
def remove_material(path: DocumentPath, platform: Served, who: CourseInstructor) -> None:
    """Take a document out of the course, and its passages out of all answers."""
    platform.materials.remove(who.course_id, path)
