"""A teacher chooses what a link leads to, and gets it signed: which course, which part, hints or answers."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from fastapi import Request
from fastapi.responses import Response

from services.lti.course_view import read_language
from services.lti.id_token import CLAIM, DEEP_LINK
from services.lti.launch_store import DeepLinking, Ticket
from services.lti.login import origin_of
from services.lti.pages import PAGE_TEXTS, page
from services.lti.platform_store import LtiPlatform
from services.lti.refusals import LaunchRefused, RefusalReason
from services.lti.tool import ThisTool
from services.materials.course_reading import CourseReading, CourseUnit
from services.people.sessions import OwnForm, field
from services.web.serving import browser_language, public_address
from services.wiring import Platform
from vta.languages import Language
from vta.types.courses import Course

LASTS_S = 600
ICON_PX = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """A course that a link may lead to, with its contents and whether it offers hints."""

    course: Course
    units: Sequence[CourseUnit]
    hints: bool


def use_ticket(platform: Platform, text: str) -> Ticket:
    """Delete a ticket and return it; `LaunchRefused` where it is used or expired."""
    ticket = platform.stores.lti_launches.use_ticket(text)
    if ticket is None:
        raise LaunchRefused(RefusalReason.EXPIRED, "the ticket is used or expired")
    return ticket


def choice_page(platform: Platform, request: Request, ticket: Ticket, language: Language | None) -> Response:
    """The courses that a link from here may lead to, part by part, behind one button."""
    known = platform.stores.lti_platforms.platform(ticket.context.platform_id)
    choices = _choices(platform, ticket)
    text = platform.stores.lti_launches.open_ticket(ticket)
    return page(
        request, "deep_link.html", frames=known.origins, language=language, choices=choices, ticket=text
    )


def send_link(tool: ThisTool, request: Request, form: OwnForm) -> Response:
    """The signed link on its way back to the platform; `LaunchRefused` for what was not on offer."""
    platform = tool.platform
    ticket = use_ticket(platform, field(form, "ticket"))
    if ticket.deep_linking is None:
        raise LaunchRefused(RefusalReason.EXPIRED, "the ticket is of no deep linking")
    language = read_language(field(form, "lang"))
    known = platform.stores.lti_platforms.platform(ticket.context.platform_id)
    course_id, _, path = field(form, "part").partition(" ")
    offered = _choices(platform, ticket)
    chosen = next((choice for choice in offered if choice.course.id == course_id), None)
    if chosen is None:
        raise LaunchRefused(RefusalReason.NOT_CONNECTED, "the course is on offer no more")
    title, custom = chosen.course.name, {"vta_course": str(chosen.course.id)}
    chapters = {chapter.path: chapter.name for unit in chosen.units for chapter in unit.chapters}
    if path in chapters:
        title, custom["unit"] = chapters[path], path
    if chosen.hints and field(form, "hints") == "on":
        custom["hints"] = "on"
    root, words = public_address(platform, request), PAGE_TEXTS[language or browser_language(request)]
    name = f"{words['assistant']} · {title}"
    item = link_item(root, title=name, custom=custom)
    settings, deployment_id = ticket.deep_linking, ticket.context.deployment_id
    claims = _link_claims(known, deployment_id=deployment_id, settings=settings, item=item)
    back = settings.return_url
    return page(
        request,
        "send_link.html",
        frames=known.origins,
        language=language,
        sends_to=origin_of(back),
        return_url=back,
        jwt=tool.own_key.sign(claims, lasts_s=LASTS_S),
    )


def link_item(root: str, *, title: str, custom: dict[str, str]) -> dict[str, Any]:
    """A resource link to the assistant (LTI Deep Linking 2.0, section 4.4)."""
    icon = {"url": f"{root}/lti/static/icon.svg", "width": ICON_PX, "height": ICON_PX}
    return {
        "type": "ltiResourceLink",
        "url": f"{root}/lti/launch",
        "title": title,
        "icon": icon,
        "custom": custom,
    }


def _link_claims(
    platform: LtiPlatform, *, deployment_id: str, settings: DeepLinking, item: dict[str, Any]
) -> dict[str, Any]:
    """Of the JWT that the browser carries back to the platform (LTI Deep Linking 2.0, section 4.2)."""
    claims: dict[str, Any] = {
        "iss": platform.client_id,
        "aud": platform.issuer,
        "nonce": secrets.token_urlsafe(16),
        f"{CLAIM}message_type": "LtiDeepLinkingResponse",
        f"{CLAIM}version": "1.3.0",
        f"{CLAIM}deployment_id": deployment_id,
        f"{DEEP_LINK}content_items": [item],
    }
    if settings.data is not None:
        claims[f"{DEEP_LINK}data"] = settings.data
    return claims


def _choices(platform: Platform, ticket: Ticket) -> tuple[Choice, ...]:
    """The context's own course first, then those that are shared with its platform."""
    stores = platform.stores
    mapped = stores.lti_platforms.mapped(ticket.context)
    shared = stores.lti_shared_courses.shared(ticket.context.platform_id)
    reading = CourseReading(stores.documents)
    own = [mapped] if mapped else []
    courses = map(stores.courses.course, dict.fromkeys([*own, *shared]))
    return tuple(
        Choice(
            course=course,
            units=reading.contents(course),
            hints=stores.settings.settings(course.id).hints,
        )
        for course in courses
    )
