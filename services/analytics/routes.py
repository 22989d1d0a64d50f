"""The analytics of a course: as JSON, as CSV, and as xAPI statements."""

from __future__ import annotations

from datetime import date
from typing import Annotated

from fastapi import Query
from fastapi.responses import JSONResponse, Response
from pydantic import TypeAdapter

from services.analytics.service import csv_name, report_csv
from services.people.course_keys import CourseInstructor
from services.web.problems import problems
from services.web.serving import Served, ThreadedRouter, csv_file
from vta.analytics.report import Report

_PROBLEMS = problems({422: "The days are no range."}, bodies=False)
_REPORTS = TypeAdapter(Report)
First = Annotated[date | None, Query(alias="from", description="The first day, in UTC.")]
Last = Annotated[date | None, Query(alias="to", description="The last day, in UTC; by default today.")]
_CSV: dict[int | str, dict[str, object]] = {
    200: {"description": "A row a figure.", "content": {"text/csv": {"schema": {"type": "string"}}}}
}


router = ThreadedRouter(prefix="/v1/courses/{course}/analytics", tags=["analytics"], responses=_PROBLEMS)


@router.get("", response_model=None, responses={200: {"model": Report}})
def read_analytics(
    platform: Served, who: CourseInstructor, first: First = None, last: Last = None
) -> Response:
    """The report on the days from `from` to `to`; figures that rest on too few people are null."""
    report = platform.analytics.current(who.course_id, platform.analytics.days(first, last)).report
    return JSONResponse(_REPORTS.dump_python(report, mode="json"))


@router.get("/csv", response_class=Response, responses=_CSV)
def read_analytics_as_csv(
    platform: Served, who: CourseInstructor, first: First = None, last: Last = None
) -> Response:
    """The same figures as a table."""
    report = platform.analytics.current(who.course_id, platform.analytics.days(first, last)).report
    return csv_file(csv_name(report), report_csv(report))
