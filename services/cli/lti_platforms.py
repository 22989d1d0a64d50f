"""`vta lti platform`: the platforms that are registered, and their deployments."""

from __future__ import annotations

import asyncio
from dataclasses import asdict
from typing import Annotated

import typer

from knowledge.search.http_client import HttpClient
from services.cli.output import Home, Json, platform, show, show_json
from services.lti.platform_keys import check_platform
from services.lti.registration import add_platform as register_platform
from services.lti.registration import edit_platform as change_platform
from services.storage.lti_platforms import LtiPlatform, PlatformId

platform_app = typer.Typer(help="Register platforms. Example: vta lti platform list", no_args_is_help=True)

PlatformArgument = Annotated[str, typer.Argument(metavar="PLATFORM", help="The id that `add` printed.")]


@platform_app.command("add")
def add_platform(
    issuer: Annotated[str, typer.Option(help="The platform's issuer (iss).")],
    client_id: Annotated[str, typer.Option(help="The client id the platform gave this tool.")],
    login_url: Annotated[str, typer.Option(help="Its OpenID Connect authentication request address.")],
    jwks_url: Annotated[str, typer.Option(help="Its public key set address.")],
    token_url: Annotated[str, typer.Option(help="Its access token address, for names and scores.")] = "",
    deployment: Annotated[list[str] | None, typer.Option(help="A deployment id; repeatable.")] = None,
    origin: Annotated[
        list[str] | None,
        typer.Option(help="The origin of its pages, if not that of issuer and login; repeatable."),
    ] = None,
    home: Home = None,
    as_json: Json = False,
) -> None:
    """Register a platform.

    Example: vta lti platform add --issuer https://lms.example --client-id 42
    --login-url https://lms.example/auth --jwks-url https://lms.example/jwks --deployment 1
    """
    with platform(home) as vta:
        given = {
            "issuer": issuer,
            "client_id": client_id,
            "login_url": login_url,
            "jwks_url": jwks_url,
            "token_url": token_url,
        }
        added = register_platform(
            vta, given, origins=origin or (), deployments=deployment or (), label=_option
        )
    _show_platform(added, as_json)


@platform_app.command("list")
def list_platforms(home: Home = None, as_json: Json = False) -> None:
    """List the platforms with their addresses. Example: vta lti platform list"""
    with platform(home) as vta:
        for known in vta.stores.lti_platforms.platforms():
            _show_platform(known, as_json)


@platform_app.command("deploy")
def add_deployment(
    platform_id: PlatformArgument,
    deployment: Annotated[str, typer.Argument(metavar="DEPLOYMENT", help="The deployment id.")],
    home: Home = None,
    as_json: Json = False,
) -> None:
    """Add a deployment to a platform. Example: vta lti platform deploy 1a2b3c4d 7"""
    with platform(home) as vta:
        vta.stores.lti_platforms.add_deployment(PlatformId(platform_id), deployment)
        known = vta.stores.lti_platforms.platform(PlatformId(platform_id))
    _show_platform(known, as_json)


@platform_app.command("edit")
def edit_platform(
    platform_id: PlatformArgument,
    issuer: Annotated[str | None, typer.Option(help="The platform's issuer (iss).")] = None,
    client_id: Annotated[str | None, typer.Option(help="The client id the platform gave this tool.")] = None,
    login_url: Annotated[str | None, typer.Option(help="Its authentication request address.")] = None,
    jwks_url: Annotated[str | None, typer.Option(help="Its public key set address.")] = None,
    token_url: Annotated[str | None, typer.Option(help="Its access token address.")] = None,
    origin: Annotated[
        list[str] | None, typer.Option(help="The origins of its pages, in place of those before; repeatable.")
    ] = None,
    home: Home = None,
    as_json: Json = False,
) -> None:
    """Change a platform, which keeps its id, mappings and students' histories.

    Example: vta lti platform edit 1a2b3c4d --jwks-url https://lms.example/jwks
    """
    given = {
        "issuer": issuer,
        "client_id": client_id,
        "login_url": login_url,
        "jwks_url": jwks_url,
        "token_url": token_url,
    }
    named = {name: text for name, text in given.items() if text is not None}
    with platform(home) as vta:
        known = change_platform(vta, PlatformId(platform_id), named, origins=origin or (), label=_option)
    _show_platform(known, as_json)


@platform_app.command("check")
def check(platform_id: PlatformArgument, home: Home = None, as_json: Json = False) -> None:
    """Fetch a platform's keys, and say what stands in the way. Example: vta lti platform check 1a2b3c4d"""
    with platform(home) as vta:
        known = vta.stores.lti_platforms.platform(PlatformId(platform_id))
        outgoing = HttpClient(private_addresses=vta.settings.lti_private_addresses)
        keys = asyncio.run(check_platform(known, outgoing))
    row = {"platform_id": known.id, "keys": keys}
    show_json(row) if as_json else show(f"{known.jwks_url}: {keys} keys")


@platform_app.command("remove")
def remove_platform(platform_id: PlatformArgument, home: Home = None, as_json: Json = False) -> None:
    """Remove a platform and log out everyone it sent. Example: vta lti platform remove 1a2b3c4d"""
    with platform(home) as vta:
        vta.stores.lti_platforms.remove(PlatformId(platform_id))
    show_json({"removed": platform_id}) if as_json else show(f"removed {platform_id}")


def _option(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _show_platform(known: LtiPlatform, as_json: bool) -> None:
    if as_json:
        show_json(asdict(known))
    else:
        deployments = ", ".join(known.deployments) or "none yet"
        show(f"{known.id}\t{known.issuer}\tclient {known.client_id}\tdeployments {deployments}")
        for name in ("login_url", "jwks_url", "token_url"):
            show(f"  {name}: {getattr(known, name) or '-'}")
        show(f"  origins: {', '.join(known.origins)}")
