"""What someone sees who was let in: the course's sidebar, or an instructor's choices."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from functools import partial
from urllib.parse import urlencode

from fastapi import Request
from fastapi.responses import RedirectResponse, Response

from services.identity.instructor_sessions import COOKIE
from services.identity.instructor_sessions import set_cookie as set_console_cookie
from services.identity.visitor_cookies import cookie_name
from services.lti.pages import page
from services.lti.position import read_position
from services.lti.refusals import LaunchRefused, Reason
from services.storage.learner_visits import LearnerVisit
from services.storage.lti_launches import Ticket
from services.wiring import Platform
from vta.types import CourseId, Role


async def instructor_page(
    platform: Platform,
    request: Request,
    ticket: Ticket,
    course_id: CourseId,
    *,
    frames: tuple[str, ...],
    student_page: str = "",
) -> Response:
    """The way to the console, in a window of its own: the console is in nobody's frame.

    `student_page` is the address of what a student would see; empty where the browser could not open it.
    """
    course = await asyncio.to_thread(platform.stores.courses.course, course_id)
    return page(
        request,
        "instructor.html",
        frames=frames,
        course=course,
        ticket=await asyncio.to_thread(platform.stores.lti_launches.open_ticket, ticket),
        student_page=student_page,
    )


def course_address(course_id: CourseId, position: Mapping[str, str]) -> str:
    """The address of a course's page for a student who is at a position."""
    return f"/lti/courses/{course_id}" + (f"?{urlencode(position)}" if position else "")


async def course_page(
    platform: Platform,
    request: Request,
    visit: LearnerVisit,
    *,
    position: Mapping[str, str],
    token: str = "",
) -> Response:
    """The course's sidebar with the learner's last session; `token` where no cookie carries it."""
    course = await asyncio.to_thread(platform.stores.courses.course, visit.course_id)
    last = await asyncio.to_thread(platform.stores.sessions.latest_of, course.id, visit.learner_id)
    known = await asyncio.to_thread(platform.stores.lti_platforms.platform, visit.platform_id)
    return page(
        request,
        "course.html",
        frames=known.origins,
        language=course.language,
        course=course,
        data={"course": course.id, "session": last, "token": token or None, "position": position},
    )


async def return_to_course(platform: Platform, request: Request, course: str) -> Response:
    """The course's page for the learner whose cookie the browser brings."""
    token = request.cookies.get(cookie_name(course), "")
    visit = await asyncio.to_thread(platform.stores.visits.find, token, CourseId(course))
    if visit is None:
        raise LaunchRefused(Reason.EXPIRED)
    return await course_page(platform, request, visit, position=read_position(request.query_params))


async def connect_course(platform: Platform, request: Request, ticket_text: str, key_text: str) -> Response:
    """Map the ticket's context to the course of an instructor's key, which proves the right to it."""
    key = await asyncio.to_thread(platform.stores.keys.check, key_text.strip())
    if key is None or key.role is not Role.INSTRUCTOR:
        raise LaunchRefused(Reason.WRONG_KEY)
    ticket, platforms = await _use(platform, ticket_text), platform.stores.lti_platforms
    if await asyncio.to_thread(platforms.course_of, ticket.context) is not None:
        raise LaunchRefused(Reason.EXPIRED, "the context was mapped in the meantime")
    await asyncio.to_thread(platforms.map, ticket.context, key.course_id)
    known = await asyncio.to_thread(platforms.platform, ticket.context.platform_id)
    return await instructor_page(platform, request, ticket, key.course_id, frames=known.origins)


async def open_console(platform: Platform, request: Request, ticket_text: str) -> Response:
    """A console session for the ticket's instructor, under a new cookie; its name is a pseudonym."""
    ticket = await _use(platform, ticket_text)
    course_id = await asyncio.to_thread(platform.stores.lti_platforms.course_of, ticket.context)
    if course_id is None:
        raise LaunchRefused(Reason.NOT_CONNECTED, "the context is mapped no more")
    console = platform.stores.console
    await asyncio.to_thread(console.close, request.cookies.get(COOKIE, ""))
    cookie, _ = await asyncio.to_thread(
        partial(console.open_launched, is_assistant=ticket.is_assistant),
        course_id,
        ticket.context.platform_id,
        ticket.instructor,
    )
    response = RedirectResponse(f"/console/{course_id}/inbox", status_code=303)
    set_console_cookie(response, request, cookie)
    return response


async def _use(platform: Platform, text: str) -> Ticket:
    ticket = await asyncio.to_thread(platform.stores.lti_launches.use_ticket, text)
    if ticket is None:
        raise LaunchRefused(Reason.EXPIRED, "the ticket is used or expired")
    return ticket
