"""The pages after a launch: the course's sidebar, or an instructor's choices."""

from __future__ import annotations

from fastapi import Request
from fastapi.responses import RedirectResponse, Response

from services.lti.course_view import CourseView, read_language, read_view
from services.lti.deep_linking import choice_page, use_ticket
from services.lti.launch_store import LearnerVisit, Ticket
from services.lti.pages import page
from services.lti.platform_store import LtiPlatform
from services.lti.refusals import LaunchRefused, RefusalReason
from services.people.course_keys import Name
from services.people.sessions import COOKIE, OwnForm, field
from services.people.sessions import set_cookie as set_console_cookie
from services.people.tokens import cookie_name
from services.store.audit_log import Actor, ActorKind, act_as
from services.web.serving import Served
from services.wiring import Platform
from vta.languages import Language
from vta.types.courses import CourseId, Role


def instructor_page(
    platform: Platform,
    request: Request,
    ticket: Ticket,
    course_id: CourseId,
    *,
    view: CourseView,
    has_console: bool = True,
    connects: bool = False,
    student_page: str = "",
) -> Response:
    """The page that leads to the console, in a new window, since no frame may show the console.

    `has_console` is false for a course that is only shared with the platform; then `connects` offers to
    connect the platform's course. `student_page` is the address of a student's page; empty where the browser
    could not open it.
    """
    course = platform.stores.courses.course(course_id)
    known = platform.stores.lti_platforms.platform(ticket.context.platform_id)
    return page(
        request,
        "instructor.html",
        frames=known.origins,
        language=view.language,
        course=course,
        back=view.back,
        has_console=has_console,
        connects=connects,
        title="",
        wrong_key=False,
        ticket=platform.stores.lti_launches.open_ticket(ticket),
        student_page=student_page,
    )


def course_address(course_id: CourseId, view: CourseView) -> str:
    """The address of a course's page for a student who came by a link."""
    query = view.query()
    return f"/lti/courses/{course_id}" + (f"?{query}" if query else "")


def course_page(
    platform: Platform,
    request: Request,
    visit: LearnerVisit,
    *,
    view: CourseView | None = None,
    token: str = "",
) -> Response:
    """The course's sidebar with the learner's last session; `token` where no cookie carries it.

    The view is that of the address, where none is given.
    """
    course = platform.stores.courses.course(visit.course_id)
    last = next(iter(platform.stores.sessions.conversations(course.id, visit.learner_id, 1)), None)
    known = platform.stores.lti_platforms.platform(visit.platform_id)
    shown = view or read_view(request.query_params, known)
    return page(
        request,
        "course.html",
        frames=known.origins,
        language=shown.language or course.language,
        course=course,
        back=shown.back,
        data={
            "course": course.id,
            "session": last and last.session_id,
            "token": token or None,
            "position": shown.position,
            "hints": shown.hints,
        },
    )


def return_to_course(platform: Served, request: Request, course: Name) -> Response:
    """The course's page for the learner whose cookie the browser brings."""
    token = request.cookies.get(cookie_name(course), "")
    visit = platform.stores.visits.find(token, CourseId(course))
    if visit is None:
        raise LaunchRefused(RefusalReason.EXPIRED)
    return course_page(platform, request, visit)


def connect_course(platform: Served, request: Request, form: OwnForm) -> Response:
    """Map the ticket's context to the course of an instructor's key, which proves the right to it.

    After a wrong key the form is there again, with the same ticket.
    """
    language, text = read_language(field(form, "lang")), field(form, "ticket")
    key = platform.stores.keys.check(field(form, "key").strip())
    if key is None or key.role is not Role.INSTRUCTOR:
        return _try_again(platform, request, text, language)
    act_as(Actor(kind=ActorKind.KEY, id=key.id))
    ticket, platforms = use_ticket(platform, text), platform.stores.lti_platforms
    if platforms.mapped(ticket.context) is not None:
        raise LaunchRefused(RefusalReason.EXPIRED, "the context was mapped in the meantime")
    platforms.map(ticket.context, key.course_id)
    if ticket.deep_linking is not None:
        return choice_page(platform, request, ticket, language)
    return instructor_page(platform, request, ticket, key.course_id, view=CourseView(language=language))


def _try_again(platform: Platform, request: Request, text: str, language: Language | None) -> Response:
    ticket = platform.stores.lti_launches.ticket(text)
    if ticket is None:
        raise LaunchRefused(RefusalReason.EXPIRED, "the ticket is used or expired", language=language)
    known = platform.stores.lti_platforms.platform(ticket.context.platform_id)
    return connect_page(request, known, text, language, wrong_key=True)


def connect_page(
    request: Request,
    known: LtiPlatform,
    ticket: str,
    language: Language | None,
    *,
    title: str = "",
    wrong_key: bool = False,
) -> Response:
    """The form in which an instructor connects a course of the platform by a course's key."""
    return page(
        request,
        "connect.html",
        frames=known.origins,
        status=403 if wrong_key else 200,
        language=language,
        ticket=ticket,
        title=title,
        wrong_key=wrong_key,
    )


def open_console(platform: Served, request: Request, form: OwnForm) -> Response:
    """A console session for the ticket's instructor, under a new cookie."""
    ticket = use_ticket(platform, field(form, "ticket"))
    mapped = platform.stores.lti_platforms.mapped(ticket.context)
    if mapped is None:
        raise LaunchRefused(RefusalReason.NOT_CONNECTED, "the context is mapped no more")
    console = platform.stores.console
    console.close(request.cookies.get(COOKIE, ""))
    cookie, _ = console.open(
        mapped,
        ticket.instructor,
        platform_id=ticket.context.platform_id,
        is_assistant=ticket.is_assistant,
    )
    response = RedirectResponse(f"/console/{mapped}/inbox", status_code=303)
    set_console_cookie(response, request, cookie)
    return response
