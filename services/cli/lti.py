"""`vta lti`: a link to register a platform, and what stands between it and this server.

Platforms, mappings and shared courses are edited on the admin page, /lti/admin.
"""

from __future__ import annotations

import asyncio
from typing import Annotated

import typer

from services.cli.output import Home, Json, group, show, show_json, stores
from vta.errors import InvalidInput
from vta.faults import Fault

lti_app = group("LTI 1.3 platforms. Example: vta lti check 1a2b3c4d")

PlatformArgument = Annotated[
    str, typer.Argument(metavar="PLATFORM", help="Its id, as vta doctor and the admin page show it.")
]


@lti_app.command("invite")
def invite_platform(
    url: Annotated[
        str | None, typer.Argument(metavar="URL", help="Where browsers reach this server [VTA_PUBLIC_URL].")
    ] = None,
    home: Home = None,
    as_json: Json = False,
) -> None:
    """Print a link by which a platform registers itself: once, within 7 days.

    Example: vta lti invite https://vta.example
    """
    from services.lti.addresses import server_of

    with stores(home) as (store, settings):
        root = (url or settings.public_url or "").rstrip("/")
        if not server_of(root):
            raise InvalidInput(Fault("option.server_url", name="URL"), field="URL")
        link = f"{root}/lti/register?invite={store.lti_invitations.make()}"
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
