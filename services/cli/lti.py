"""`vta lti`: a link to register a platform, and what stands between it and this server.

Platforms, mappings and shared courses are edited on the admin page, /lti/admin.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Annotated

import typer

from services.cli.output import Home, Json, group, show, show_json, stores
from vta.errors import InvalidInput, UpstreamFailed
from vta.faults import Fault

if TYPE_CHECKING:
    from services.lti.platform_store import LtiContext
    from services.stores import Stores

lti_app = group("LTI 1.3 platforms. Example: vta lti check 1a2b3c4d")

PlatformArgument = Annotated[
    str, typer.Argument(metavar="PLATFORM", help="Its id, as vta doctor and the admin page show it.")
]
ContextArgument = Annotated[
    str, typer.Argument(metavar="CONTEXT", help="The id of the course on the platform.")
]
Deployment = Annotated[
    str | None, typer.Option(help="The deployment id; optional where the platform has only one.")
]


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
    from services.lti.addresses import server_of
    from services.lti.platform_services import NAMES_SCOPE, SCORE_SCOPE

    with stores(home) as (store, settings):
        root = (url or settings.public_url or "").rstrip("/")
        if not server_of(root):
            raise InvalidInput(Fault("option.server_url", name="URL"), field="URL")
        wanted = [scope for scope, asked in ((NAMES_SCOPE, names), (SCORE_SCOPE, scores)) if asked]
        link = f"{root}/lti/register?invite={store.lti_invitations.make(wanted)}"
    show_json({"registration_url": link}) if as_json else show(link)


@lti_app.command("check")
def check_keys(platform_id: PlatformArgument, home: Home = None, as_json: Json = False) -> None:
    """Fetch a platform's keys, and say what stands in the way. Example: `vta lti check 1a2b3c4d`."""
    from knowledge.search.http_client import HttpClient
    from services.lti.platform_keys import check_platform
    from vta.types.courses import PlatformId

    with stores(home) as (store, settings):
        known = store.lti_platforms.platform(PlatformId(platform_id))
        outgoing = HttpClient(private_addresses=settings.lti_private_addresses)
        keys = asyncio.run(check_platform(known, outgoing))
    row = {"platform_id": known.id, "keys": keys}
    show_json(row) if as_json else show(f"{known.jwks_url}: {keys} keys")


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
    from knowledge.search.http_client import HttpClient, Unreachable
    from services.lti.platform_services import PlatformServices
    from services.lti.tool_key import ToolKey

    with stores(home) as (store, settings):
        chosen = _context(store, platform_id, context, deployment)
        agreed = store.lti_platforms.mapped(chosen)
        if agreed is None or not agreed.names or agreed.names_url is None:
            raise InvalidInput(Fault("lti.no_names", context=context))
        outgoing = HttpClient(private_addresses=settings.lti_private_addresses)
        asking = PlatformServices(outgoing, ToolKey(store.secrets))
        known = store.lti_platforms.platform(chosen.platform_id)
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


def _context(store: Stores, platform_id: str, context: str, deployment: str | None) -> LtiContext:
    from services.lti.platform_store import LtiContext
    from vta.types.courses import PlatformId

    known = store.lti_platforms.platform(PlatformId(platform_id))
    if deployment is None and len(known.deployments) != 1:
        raise InvalidInput(
            Fault("option.deployment", names=", ".join(known.deployments) or "no deployments yet"),
            field="--deployment",
        )
    return LtiContext(
        platform_id=known.id, deployment_id=deployment or known.deployments[0], context_id=context
    )
