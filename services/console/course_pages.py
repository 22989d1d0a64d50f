"""A course as such: its name and domains, archiving it, and, for an admin, removing it."""

from __future__ import annotations

import asyncio
from functools import partial

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response

from services.console.pages import page
from services.http.problems import forbidden
from services.http.serving import Served
from services.identity.instructor_sessions import Form, InstructorSession, LoggedIn, field, read_form
from services.use_cases.courses import LONGEST_COURSE_NAME
from vta.errors import InvalidInput
from vta.faults import Fault

router = APIRouter(prefix="/settings")


@router.get("/course")
async def show_course(request: Request, who: LoggedIn) -> Response:
    return _show(request, who)


@router.post("/course")
async def edit_course(request: Request, platform: Served, who: LoggedIn) -> Response:
    """Give the course another name and other domains."""
    form = await read_form(request, who)
    edit = partial(
        platform.catalogue.edit,
        who.course.id,
        name=field(form, "name"),
        domains=field(form, "domains").split("\n"),
    )
    try:
        await asyncio.to_thread(edit)
    except InvalidInput as error:
        return _show(request, who, form=form, fault=error.fault)
    return _saved(who)


@router.post("/archive")
async def archive_course(request: Request, platform: Served, who: LoggedIn) -> Response:
    """Close the course for students and changes, or open it again."""
    form = await read_form(request, who)
    archive = partial(platform.catalogue.archive, who.course.id, field(form, "archived") == "yes")
    await asyncio.to_thread(archive)
    return _saved(who)


@router.post("/remove")
async def remove_course(request: Request, platform: Served, who: LoggedIn) -> Response:
    """Remove the course with all it holds, for an admin who typed its name."""
    form = await read_form(request, who)
    if not who.is_admin:
        raise forbidden(Fault("person.no_admin"))
    if field(form, "typed").strip() != who.course.name.strip():
        fault = Fault("course.not_its_name", name=who.course.name)
        return _show(request, who, fault=fault)
    await asyncio.to_thread(platform.catalogue.remove, who.course.id)
    return RedirectResponse("/console/-/courses", status_code=303)


def _saved(who: InstructorSession) -> Response:
    return RedirectResponse(f"/console/{who.course.id}/settings/course?saved", status_code=303)


def _show(
    request: Request, who: InstructorSession, *, form: Form | None = None, fault: Fault | None = None
) -> Response:
    return page(
        request,
        "course.html",
        who,
        status=422 if fault else 200,
        name=field(form, "name") if form else who.course.name,
        domains=field(form, "domains") if form else "\n".join(who.course.domains),
        longest_name=LONGEST_COURSE_NAME,
        saved="saved" in request.query_params,
        fault=fault,
    )
