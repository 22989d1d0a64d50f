"""`vta lti`: which course of ours each course of a platform is, and what to enter on a platform."""

from __future__ import annotations

import asyncio
from dataclasses import asdict
from typing import Annotated

import typer

from knowledge.search.http_client import HttpClient, Unreachable
from services.cli.lti_platforms import PlatformArgument, platform_app
from services.cli.output import CourseArgument, Home, Json, platform, show, show_json
from services.lti.addresses import server_of
from services.lti.platform_services import PlatformServices
from services.lti.registration import NAMES_SCOPE, SCORE_SCOPE
from services.lti.tool_key import ToolKey
from services.storage.lti_platforms import LtiContext, PlatformId
from services.wiring import Platform
from vta.errors import InvalidInput, UpstreamFailed
from vta.faults import Fault
from vta.types import CourseId

lti_app = typer.Typer(help="LTI 1.3 platforms. Example: vta lti platform list", no_args_is_help=True)
lti_app.add_typer(platform_app, name="platform")

ContextArgument = Annotated[
    str, typer.Argument(metavar="CONTEXT", help="The id of the course on the platform.")
]
Deployment = Annotated[
    str | None, typer.Option(help="The deployment id; optional where the platform has only one.")
]


def register(app: typer.Typer) -> None:
    app.add_typer(lti_app, name="lti")


@lti_app.command("map")
def map_context(
    platform_id: PlatformArgument,
    context: ContextArgument,
    course: CourseArgument,
    deployment: Deployment = None,
    home: Home = None,
    as_json: Json = False,
) -> None:
    """Map a platform's course to one of yours. Example: vta lti map 1a2b3c4d 117 ds"""
    with platform(home) as vta:
        chosen = _context(vta, platform_id, context, deployment)
        vta.stores.lti_platforms.map(chosen, CourseId(course))
    row = {**asdict(chosen), "course_id": course}
    show_json(row) if as_json else show(f"{context} is {course}")


@lti_app.command("unmap")
def unmap_context(
    platform_id: PlatformArgument,
    context: ContextArgument,
    deployment: Deployment = None,
    home: Home = None,
    as_json: Json = False,
) -> None:
    """Remove a mapping and log out everyone it let in. Example: vta lti unmap 1a2b3c4d 117"""
    with platform(home) as vta:
        chosen = _context(vta, platform_id, context, deployment)
        vta.stores.lti_platforms.unmap(chosen)
    show_json(asdict(chosen)) if as_json else show(f"{context} is no course any more")


@lti_app.command("contexts")
def list_contexts(home: Home = None, as_json: Json = False) -> None:
    """List the mapped contexts, one per line. Example: vta lti contexts --json"""
    with platform(home) as vta:
        for mapped in vta.stores.lti_platforms.contexts():
            row = {**asdict(mapped.context), "course_id": mapped.course_id}
            show_json(row) if as_json else show("\t".join(row.values()))


@lti_app.command("services")
def agree_services(
    platform_id: PlatformArgument,
    context: ContextArgument,
    deployment: Deployment = None,
    names: Annotated[bool, typer.Option("--names/--no-names", help="Call instructors by name.")] = False,
    score_after: Annotated[
        int, typer.Option(min=0, max=1000, help="Questions after which a student has the score; 0 for none.")
    ] = 0,
    home: Home = None,
    as_json: Json = False,
) -> None:
    """Say which services a mapped course agreed to. Example: vta lti services 1a2b3c4d 117 --score-after 3"""
    with platform(home) as vta:
        chosen = _context(vta, platform_id, context, deployment)
        vta.stores.lti_services.agree(chosen, names=names, score_after=score_after or None)
    row = {**asdict(chosen), "names": names, "score_after": score_after or None}
    told = (
        f"{context}: names {'on' if names else 'off'}, score after {score_after or 'no number of'} questions"
    )
    show_json(row) if as_json else show(told)


@lti_app.command("roster")
def show_roster(
    platform_id: PlatformArgument,
    context: ContextArgument,
    deployment: Deployment = None,
    home: Home = None,
    as_json: Json = False,
) -> None:
    """Count the members of a course that agreed to it, and name who teaches it.

    Example: vta lti roster 1a2b3c4d 117
    """
    with platform(home) as vta:
        chosen = _context(vta, platform_id, context, deployment)
        agreed = vta.stores.lti_services.of(chosen)
        if not agreed.names or agreed.names_url is None:
            raise InvalidInput(Fault("lti.no_names", context=context))
        outgoing = HttpClient(private_addresses=vta.settings.lti_private_addresses)
        asking = PlatformServices(outgoing, ToolKey(vta.stores.secrets))
        known = vta.stores.lti_platforms.platform(chosen.platform_id)
        try:
            found = asyncio.run(asking.members(known, agreed.names_url))
        except Unreachable as failure:
            raise UpstreamFailed(Fault("lti.names_failed", cause=str(failure))) from failure
    teaching = [each.name for each in found if each.is_instructor]
    row = {"members": len(found), "students": len(found) - len(teaching), "instructors": teaching}
    if as_json:
        show_json(row)
    else:
        show(f"{row['members']} members, {row['students']} students; {', '.join(teaching)}")


@lti_app.command("share")
def share_course(
    platform_id: PlatformArgument, course: CourseArgument, home: Home = None, as_json: Json = False
) -> None:
    """Let links in any course of a platform lead to a course of yours. Example: vta lti share 1a2b3c4d ds"""
    with platform(home) as vta:
        vta.stores.lti_shared_courses.share(PlatformId(platform_id), CourseId(course))
    row = {"platform_id": platform_id, "course_id": course}
    show_json(row) if as_json else show(f"{course} is shared with {platform_id}")


@lti_app.command("unshare")
def unshare_course(
    platform_id: PlatformArgument, course: CourseArgument, home: Home = None, as_json: Json = False
) -> None:
    """Share a course no more, and log out whom it let in. Example: vta lti unshare 1a2b3c4d ds"""
    with platform(home) as vta:
        vta.stores.lti_shared_courses.unshare(PlatformId(platform_id), CourseId(course))
    row = {"platform_id": platform_id, "course_id": course}
    show_json(row) if as_json else show(f"{course} is shared no more")


@lti_app.command("tool")
def show_tool(
    url: Annotated[str, typer.Argument(metavar="URL", help="Where browsers reach this server.")],
    as_json: Json = False,
) -> None:
    """Print what to enter on the platform. Example: vta lti tool https://vta.example"""
    root = url.rstrip("/")
    if not server_of(root):
        raise InvalidInput(Fault("option.server_url", name="URL"), field="URL")
    rows = {
        "initiate_login_url": f"{root}/lti/login",
        "redirect_url": f"{root}/lti/launch",
        "target_link_url": f"{root}/lti/launch",
        "deep_linking_url": f"{root}/lti/launch",
        "public_key_set_url": f"{root}/lti/jwks",
    }
    if as_json:
        show_json(rows)
    else:
        for name, value in rows.items():
            show(f"{name}: {value}")


@lti_app.command("invite")
def invite_platform(
    url: Annotated[
        str | None, typer.Argument(metavar="URL", help="Where browsers reach this server [VTA_PUBLIC_URL].")
    ] = None,
    names: Annotated[bool, typer.Option("--names", help="Ask for the names of a course's members.")] = False,
    scores: Annotated[bool, typer.Option("--scores", help="Ask to send scores.")] = False,
    home: Home = None,
    as_json: Json = False,
) -> None:
    """Print a link by which a platform registers itself: once, within 7 days.

    Example: vta lti invite https://vta.example
    """
    with platform(home) as vta:
        root = (url or vta.settings.public_url or "").rstrip("/")
        if not server_of(root):
            raise InvalidInput(Fault("option.server_url", name="URL"), field="URL")
        wanted = [scope for scope, asked in ((NAMES_SCOPE, names), (SCORE_SCOPE, scores)) if asked]
        link = f"{root}/lti/register?invite={vta.stores.lti_invitations.make(wanted)}"
    show_json({"registration_url": link}) if as_json else show(link)


def _context(vta: Platform, platform_id: str, context: str, deployment: str | None) -> LtiContext:
    known = vta.stores.lti_platforms.platform(PlatformId(platform_id))
    if deployment is None and len(known.deployments) != 1:
        raise InvalidInput(
            Fault("option.deployment", names=", ".join(known.deployments) or "no deployments yet"),
            field="--deployment",
        )
    return LtiContext(
        platform_id=known.id, deployment_id=deployment or known.deployments[0], context_id=context
    )
