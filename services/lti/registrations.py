"""Registering a platform by hand and correcting it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from services.lti.addresses import may_be_asked, server_of
from services.storage.lti_platforms import LtiPlatform, PlatformId
from services.wiring import Platform
from vta.errors import InvalidInput
from vta.faults import Fault

ADDRESSES = ("login_url", "jwks_url", "token_url")
Label = Callable[[str], str]
"""What the reader calls a field, by its name here."""


def add_platform(
    platform: Platform,
    given: Mapping[str, str],
    *,
    origins: Sequence[str],
    deployments: Sequence[str],
    label: Label,
) -> LtiPlatform:
    """Register a platform; `given` holds issuer, client_id and `ADDRESSES`; the token's may be empty.

    `InvalidInput` for what is missing or must not be asked, `Conflict` where it is registered.
    """
    required = {name: given[name] or "-" for name in ("login_url", "jwks_url")}  # "-" is of no server
    check_addresses(platform, {**given, **required}, origins, label)
    if not given["issuer"].strip() or not given["client_id"].strip():
        raise InvalidInput(Fault("option.issuer_and_client"))
    pages = map(server_of, (*origins, given["issuer"], given["login_url"]))
    return platform.stores.lti_platforms.add(
        issuer=given["issuer"].strip(),
        client_id=given["client_id"].strip(),
        login_url=given["login_url"],
        token_url=given["token_url"],
        jwks_url=given["jwks_url"],
        origins=tuple(dict.fromkeys(filter(None, pages))),
        deployments=tuple(filter(None, deployments)),
    )


def edit_platform(
    platform: Platform,
    platform_id: PlatformId,
    given: Mapping[str, str],
    *,
    origins: Sequence[str],
    label: Label,
) -> LtiPlatform:
    """Change what is given and not empty, by the same rules; the platform keeps its id."""
    changes: dict[str, object] = {name: text.strip() for name, text in given.items() if text.strip()}
    check_addresses(platform, given, origins, label)
    if origins:
        changes["origins"] = [server_of(each) for each in origins]
    if not changes:
        raise InvalidInput(Fault("lti.no_change"))
    return platform.stores.lti_platforms.edit(platform_id, changes)


def check_addresses(
    platform: Platform, given: Mapping[str, str], origins: Sequence[str], label: Label
) -> None:
    """`InvalidInput` for the first address that is of no server, or that must not be asked."""
    named = [(name, given[name]) for name in ADDRESSES if given.get(name)]
    for name, address in (*named, *(("origin", each) for each in origins)):
        if not server_of(address):
            raise InvalidInput(Fault("option.server_url", name=label(name)), field=label(name))
        if not may_be_asked(address, private=platform.settings.lti_private_addresses):
            raise InvalidInput(Fault("option.public_url", name=label(name)), field=label(name))
