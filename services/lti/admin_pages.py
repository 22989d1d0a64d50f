"""The learning platforms as admins see them: register, check and change them, map and share courses."""

from __future__ import annotations

import asyncio

from fastapi import APIRouter, Depends
from fastapi.responses import RedirectResponse, Response

from knowledge.search.http_client import HttpClient
from services.console.pages import TEXTS
from services.console.platform_pages import PLATFORM, require_platform_admin
from services.console.visits import PageRouter, PersonVisit, PersonVisiting
from services.lti.addresses import may_be_asked, server_of
from services.lti.platform_keys import check_platform
from services.lti.platform_store import LtiContext
from services.web.serving import public_address
from vta.errors import Conflict, InvalidInput, NotFound, UpstreamFailed
from vta.faults import Fault
from vta.types.courses import CourseId, PlatformId

ADDRESSES = ("login_url", "jwks_url")
REFUSALS = (InvalidInput, Conflict, NotFound, UpstreamFailed)

_pages = PageRouter(prefix="/-/platform-lti")


@_pages.get("")
def show_platforms(visit: PersonVisiting) -> Response:
    """Platforms with the courses that they share, mappings, and our courses."""
    stores = visit.platform.stores
    platforms = stores.lti_platforms.platforms()
    return visit.page(
        "platform_lti.html",
        platforms=[(known, stores.lti_shared_courses.shared(known.id)) for known in platforms],
        issuers={known.id: known.issuer for known in platforms},
        mapped=stores.lti_platforms.contexts(),
        courses=stores.courses.courses(),
        waiting=stores.lti_invitations.waiting(),
        done="done" in visit.query,
        link="",
        checked=None,
    )


@_pages.form("/invite", show_platforms)
def invite(visit: PersonVisiting) -> Response:
    """Make a link by which a platform registers itself, shown this once."""
    root = public_address(visit.platform, visit.request)
    text = visit.platform.stores.lti_invitations.make()
    return show_platforms(visit.showing(link=f"{root}/lti/register?invite={text}"))


@_pages.form("/check", show_platforms, REFUSALS)
def check(visit: PersonVisiting) -> Response:
    """Fetch a platform's keys; the refusal says what stands in the way."""
    known = visit.platform.stores.lti_platforms.platform(_platform_id(visit))
    outgoing = HttpClient(private_addresses=visit.platform.settings.lti_private_addresses)
    found = asyncio.run(check_platform(known, outgoing))
    return show_platforms(visit.showing(checked=(known.issuer, found)))


@_pages.form("/add", show_platforms, REFUSALS)
def add(visit: PersonVisiting) -> Response:
    """Register a platform by hand; all but the deployment and the origins of its pages is required."""
    given, origins = _given(visit), visit.field("origin").split()
    _check_addresses(visit, {name: given[name] or "-" for name in ADDRESSES}, origins)  # "-" is of no server
    if not given["issuer"] or not given["client_id"]:
        raise InvalidInput(Fault("option.issuer_and_client"))
    pages = map(server_of, (*origins, given["issuer"], given["login_url"]))
    visit.platform.stores.lti_platforms.add(
        **given,
        origins=tuple(dict.fromkeys(filter(None, pages))),
        deployments=tuple(visit.field("deployment").split()),
    )
    return _done()


@_pages.form("/edit", show_platforms, REFUSALS)
def edit(visit: PersonVisiting) -> Response:
    """Change what is given and not empty, and add a deployment; the id stays."""
    platforms, platform_id = visit.platform.stores.lti_platforms, _platform_id(visit)
    given, origins = _given(visit), visit.field("origin").split()
    _check_addresses(visit, given, origins)
    changes: dict[str, object] = {name: text for name, text in given.items() if text}
    if origins:
        changes["origins"] = [server_of(each) for each in origins]
    if changes:
        platforms.edit(platform_id, changes)
    for deployment in visit.field("deployment").split():
        platforms.add_deployment(platform_id, deployment)
    return _done()


@_pages.form("/remove", show_platforms, REFUSALS)
def remove(visit: PersonVisiting) -> Response:
    visit.platform.stores.lti_platforms.remove(_platform_id(visit))
    return _done()


@_pages.form("/map", show_platforms, REFUSALS)
def map_course(visit: PersonVisiting) -> Response:
    """Make a course of a platform one of ours."""
    visit.platform.stores.lti_platforms.map(_context(visit), CourseId(visit.field("course")))
    return _done()


@_pages.form("/unmap", show_platforms, REFUSALS)
def unmap_course(visit: PersonVisiting) -> Response:
    visit.platform.stores.lti_platforms.unmap(_context(visit))
    return _done()


@_pages.form("/share", show_platforms, REFUSALS)
def share(visit: PersonVisiting) -> Response:
    """Open a course of ours to the students of all courses of a platform."""
    shared = visit.platform.stores.lti_shared_courses
    shared.share(_platform_id(visit), CourseId(visit.field("course")))
    return _done()


@_pages.form("/unshare", show_platforms, REFUSALS)
def unshare(visit: PersonVisiting) -> Response:
    shared = visit.platform.stores.lti_shared_courses
    shared.unshare(_platform_id(visit), CourseId(visit.field("course")))
    return _done()


def _platform_id(visit: PersonVisit) -> PlatformId:
    return PlatformId(visit.field("platform"))


def _given(visit: PersonVisit) -> dict[str, str]:
    return {name: visit.field(name).strip() for name in ("issuer", "client_id", *ADDRESSES)}


def _check_addresses(visit: PersonVisit, given: dict[str, str], origins: list[str]) -> None:
    """`InvalidInput` for the first address that is of no server, or that must not be asked."""
    private = visit.platform.settings.lti_private_addresses
    named = [(name, given[name]) for name in ADDRESSES if given[name]]
    for name, address in (*named, *(("origin", each) for each in origins)):
        label = TEXTS[visit.language][f"lti_{name}"]
        if not server_of(address):
            raise InvalidInput(Fault("option.server_url", name=label))
        if not may_be_asked(address, private=private):
            raise InvalidInput(Fault("option.public_url", name=label))


def _context(visit: PersonVisit) -> LtiContext:
    platform_id, _, deployment = visit.field("deployment").partition(" ")
    context_id = visit.field("context").strip()
    if not context_id:
        raise InvalidInput(Fault("lti.no_context"))
    return LtiContext(platform_id=PlatformId(platform_id), deployment_id=deployment, context_id=context_id)


def _done() -> Response:
    return RedirectResponse(f"{PLATFORM}-lti?done=", status_code=303)


router = APIRouter()
router.include_router(_pages, dependencies=[Depends(require_platform_admin)])
