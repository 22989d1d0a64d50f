"""The second step: the browser comes back with the platform's signed word. Whom it lets in, and to what."""

from __future__ import annotations

import asyncio
import hmac
from dataclasses import dataclass

from fastapi import Request
from fastapi.responses import RedirectResponse, Response

from services.lti.deep_linking import choice_page
from services.lti.id_token import Launch, Message, key_id_of, read_launch
from services.lti.launch_store import LearnerVisit, PendingLogin, Ticket
from services.lti.login import accepts_pages, origin_of, state_cookie, storage_key
from services.lti.pages import page
from services.lti.platform_store import LtiContext, LtiPlatform
from services.lti.refusals import LaunchRefused, RefusalReason
from services.lti.tool import ThisTool, Tool, instructor_name
from services.lti.visits import connect_page, course_address, course_page, instructor_page
from services.people.sessions import AnyForm, Form, field
from services.people.tokens import set_cookie, set_framed_cookie
from services.store.store_secrets import digest_of
from services.web.callers import check_origin
from vta.types.courses import CourseId


@dataclass(frozen=True, slots=True, kw_only=True)
class _Guest:
    """A verified user; `keeps_cookies` is true where their browser returned our cookie."""

    launch: Launch
    known: LtiPlatform
    context: LtiContext
    mapped: CourseId | None
    keeps_cookies: bool


async def receive_launch(tool: ThisTool, request: Request, form: AnyForm) -> Response:
    """Admit a valid launch; `LaunchRefused` for all others, which store nothing."""
    if field(form, "error"):
        raise LaunchRefused(RefusalReason.PLATFORM_SAID_NO, repr(field(form, "error")[:100]))
    state, token = field(form, "state"), field(form, "id_token")
    if not state or not token:
        raise LaunchRefused(RefusalReason.INCOMPLETE, "state or id_token is missing")
    stores = tool.platform.stores
    launches, platforms = stores.lti_launches, stores.lti_platforms
    pending = await asyncio.to_thread(launches.login, state)
    if pending is None:
        raise LaunchRefused(RefusalReason.UNKNOWN_STATE)
    known = await asyncio.to_thread(platforms.platform, pending.platform_id)
    if not (keeps_cookies := _is_secret(request.cookies.get(state_cookie(state), ""), pending)):
        if "browser" not in form and accepts_pages(request):
            return _recall_page(request, known, pending, state, token)
        _check_recalled(request, form, pending)
    key = await tool.keys.key(known.jwks_url, key_id_of(token))
    launch = await asyncio.to_thread(read_launch, token, key, known, pending.nonce_digest)
    if not await asyncio.to_thread(launches.use_login, state):
        raise LaunchRefused(RefusalReason.UNKNOWN_STATE)
    if not known.deployments:
        await asyncio.to_thread(platforms.add_deployment, known.id, launch.deployment_id)
    context = LtiContext(
        platform_id=known.id, deployment_id=launch.deployment_id, context_id=launch.context_id
    )
    mapped = await asyncio.to_thread(platforms.mapped, context)
    guest = _Guest(launch=launch, known=known, context=context, mapped=mapped, keeps_cookies=keeps_cookies)
    response = await asyncio.to_thread(_welcome, tool, request, guest)
    set_framed_cookie(response, state_cookie(state), "", lasts_s=0, path="/lti/launch")
    return response


def _check_recalled(request: Request, form: Form, pending: PendingLogin) -> None:
    """The secret must come from a page of ours, which had it from where our page at the log-in put it."""
    if not request.headers.get("origin") or not _is_secret(field(form, "browser"), pending):
        raise LaunchRefused(RefusalReason.OTHER_BROWSER)
    check_origin(request)


def _is_secret(given: str, pending: PendingLogin) -> bool:
    return hmac.compare_digest(digest_of(given), pending.browser_digest)


def _recall_page(
    request: Request, known: LtiPlatform, pending: PendingLogin, state: str, token: str
) -> Response:
    return page(
        request,
        "recall.html",
        frames=known.origins,
        target=pending.storage_target,
        origin=origin_of(known.login_url),
        key=storage_key(state),
        state=state,
        id_token=token,
    )


def _welcome(tool: Tool, request: Request, guest: _Guest) -> Response:
    """The page that a launch leads to; `LaunchRefused` for a student whom it leads nowhere."""
    platform, launch, known, mapped = tool.platform, guest.launch, guest.known, guest.mapped
    language, shared = launch.view.language, platform.stores.lti_shared_courses.shared(known.id)
    name = ""
    if launch.is_instructor:
        name = launch.name or instructor_name(platform.stores.secrets, known, launch.subject)
    ticket = Ticket(
        context=guest.context,
        instructor=name,
        is_assistant=launch.is_assistant,
        deep_linking=launch.deep_linking,
    )
    course_id = CourseId(launch.course) if launch.course in shared else mapped
    match launch.message, launch.is_instructor, course_id:
        case Message.DEEP_LINKING, False, _:
            raise _refused(RefusalReason.NOT_INSTRUCTOR, launch)
        case Message.DEEP_LINKING, True, _ if mapped or shared:
            return choice_page(platform, request, ticket, language)
        case _, True, str(found):
            return _welcome_instructor(tool, request, guest, found, ticket)
        case _, False, str(found):
            return _welcome_student(tool, request, guest, found)
        case _, True, _:
            text = platform.stores.lti_launches.open_ticket(ticket)
            return connect_page(request, known, text, language, title=launch.context_title)
        case _:
            raise _refused(RefusalReason.NOT_CONNECTED, launch, f"context {launch.context_id!r}")


def _welcome_instructor(
    tool: Tool, request: Request, guest: _Guest, course_id: CourseId, ticket: Ticket
) -> Response:
    launch, mapped, (_, token) = guest.launch, guest.mapped, _open_visit(tool, guest, course_id)
    response = instructor_page(
        tool.platform,
        request,
        ticket,
        course_id,
        view=launch.view,
        has_console=course_id == mapped,
        connects=mapped is None,
        student_page=course_address(course_id, launch.view) if guest.keeps_cookies else "",
    )
    if guest.keeps_cookies:
        set_cookie(response, course_id, token)
    return response


def _welcome_student(tool: Tool, request: Request, guest: _Guest, course_id: CourseId) -> Response:
    launch, (visit, token) = guest.launch, _open_visit(tool, guest, course_id)
    if not guest.keeps_cookies:
        return course_page(tool.platform, request, visit, view=launch.view, token=token)
    response = RedirectResponse(course_address(course_id, launch.view), status_code=303)
    set_cookie(response, course_id, token)
    return response


def _open_visit(tool: Tool, guest: _Guest, course_id: CourseId) -> tuple[LearnerVisit, str]:
    learner = tool.pseudonym(course_id, guest.known, guest.launch.subject)
    visit = LearnerVisit(course_id=course_id, learner_id=learner, platform_id=guest.known.id)
    return visit, tool.platform.stores.visits.open(visit)


def _refused(reason: RefusalReason, launch: Launch, detail: str = "") -> LaunchRefused:
    """The refusal of a launch that is in order, with the way back that it names."""
    return LaunchRefused(reason, detail, back=launch.view.back, language=launch.view.language)
