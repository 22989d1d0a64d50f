"""A platform registers itself by a link that was made for it (LTI Dynamic Registration 1.0)."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from fastapi import Request
from fastapi.responses import Response
from pydantic import BaseModel, Field, ValidationError

from knowledge.search.http_client import Unreachable
from services.lti.addresses import may_be_asked, server_of
from services.lti.pages import ANYONE, PAGE_TEXTS, page
from services.lti.platform_store import LtiPlatform
from services.lti.tool import ThisTool, Tool
from services.store.audit_log import NOBODY, act_as
from services.web.serving import browser_language, public_address
from vta.errors import Conflict
from vta.languages import Language

TOOL = "https://purl.imsglobal.org/spec/lti-tool-configuration"
_PLACEMENTS = ("ContentArea", "AddContentMenu", "link_selection", "course_navigation")
"""The wanted places of the tool; named to a platform only if it has them."""

_log = logging.getLogger(__name__)


class RegistrationFailed(Exception):
    """A platform could not be registered; the text is for its administrator and the log."""


class _Configuration(BaseModel):
    issuer: str = Field(min_length=1, max_length=2000)
    authorization_endpoint: str
    registration_endpoint: str
    jwks_uri: str
    platform: dict[str, Any] = Field(
        default={}, alias="https://purl.imsglobal.org/spec/lti-platform-configuration"
    )


class _Tool(BaseModel):
    deployment_id: str = ""


class _Registered(BaseModel):
    client_id: str = Field(min_length=1, max_length=255)
    tool: _Tool = Field(default=_Tool(), alias="https://purl.imsglobal.org/spec/lti-tool-configuration")


async def receive_registration(tool: ThisTool, request: Request) -> Response:
    """Register the platform that comes by an invitation; all others are shown what to enter by hand.

    The page may be shown in any frame: whose it is is not known before, and there is nothing to press on it.
    """
    root, given = public_address(tool.platform, request), request.query_params
    text, address = given.get("invite", ""), given.get("openid_configuration", "")
    if not text or not address:
        return manual_page(request, root)
    act_as(NOBODY)
    invitations = tool.platform.stores.lti_invitations
    if not await asyncio.to_thread(invitations.use, text):
        return manual_page(request, root, fault="invitation_ended")
    try:
        known = await _register(tool, request, root)
    except RegistrationFailed as failure:
        await asyncio.to_thread(invitations.give_back, text)
        _log.warning("LTI: refused at /lti/register: %s", failure)
        return manual_page(request, root, fault="registration_failed", detail=str(failure))
    return page(request, "registered.html", frames=ANYONE, issuer=known.issuer)


def manual_page(request: Request, root: str, *, fault: str = "", detail: str = "") -> Response:
    """The values to enter on a platform by hand, and the reason."""
    status = {"": 200, "invitation_ended": 403}.get(fault, 502)
    rows = {"launch": f"{root}/lti/launch", "login": f"{root}/lti/login", "jwks": f"{root}/lti/jwks"}
    return page(request, "manual.html", frames=ANYONE, status=status, fault=fault, detail=detail, rows=rows)


async def _register(tool: Tool, request: Request, root: str) -> LtiPlatform:
    address, outgoing = request.query_params["openid_configuration"], tool.outgoing
    try:
        told = _Configuration.model_validate((await outgoing.send("GET", address)).value)
        _check(told, address, private=outgoing.private_addresses)
        token = request.query_params.get("registration_token", "")
        reply = await outgoing.send(
            "POST",
            told.registration_endpoint,
            headers={"authorization": f"Bearer {token}"} if token else None,
            body=tool_registration(root, told.platform, browser_language(request)),
        )
        registered = _Registered.model_validate(reply.value)
    except Unreachable as failure:
        raise RegistrationFailed(str(failure)) from failure
    except ValidationError as error:
        wrong = ", ".join(".".join(map(str, each["loc"])) for each in error.errors())
        raise RegistrationFailed(f"missing or wrong: {wrong}") from None
    pages = (told.issuer, told.authorization_endpoint, request.headers.get("referer", ""))
    try:
        return await asyncio.to_thread(
            lambda: tool.platform.stores.lti_platforms.add(
                issuer=told.issuer,
                client_id=registered.client_id,
                login_url=told.authorization_endpoint,
                jwks_url=told.jwks_uri,
                origins=tuple(dict.fromkeys(filter(None, map(server_of, pages)))),
                deployments=(registered.tool.deployment_id,) if registered.tool.deployment_id else (),
            )
        )
    except Conflict as conflict:
        raise RegistrationFailed("already registered") from conflict


def _check(told: _Configuration, address: str, *, private: bool) -> None:
    """The configuration must come from its issuer's own server, and every address must be one we may ask."""
    if urlsplit(address).hostname != urlsplit(told.issuer).hostname:
        raise RegistrationFailed("the issuer is not the server of openid_configuration")
    for name in ("authorization_endpoint", "registration_endpoint", "jwks_uri"):
        if not may_be_asked(getattr(told, name), private=private):
            raise RegistrationFailed(f"{name} is not a public https address")


def tool_registration(root: str, platform: Mapping[str, Any], language: Language) -> dict[str, Any]:
    """The registration of the tool (LTI Dynamic Registration 1.0, section 3.5): no names or e-mail claims."""
    name, here = PAGE_TEXTS[language]["assistant"], f"{root}/lti/launch"
    return {
        "application_type": "web",
        "grant_types": ["client_credentials", "implicit"],
        "response_types": ["id_token"],
        "initiate_login_uri": f"{root}/lti/login",
        "redirect_uris": [here],
        "client_name": name,
        "client_name#zh": PAGE_TEXTS[Language.ZH]["assistant"],
        "jwks_uri": f"{root}/lti/jwks",
        "logo_uri": f"{root}/lti/static/icon.svg",
        "token_endpoint_auth_method": "private_key_jwt",
        "scope": "",
        TOOL: {
            "domain": urlsplit(root).netloc,
            "description": PAGE_TEXTS[language]["description"],
            "target_link_uri": here,
            "claims": ["iss", "sub"],
            "messages": [
                {"type": kind, "target_link_uri": here, "label": name, **_placements(platform, kind)}
                for kind in ("LtiResourceLinkRequest", "LtiDeepLinkingRequest")
            ],
        },
    }


def _placements(platform: Mapping[str, Any], kind: str) -> dict[str, list[str]]:
    """The wanted places of a message among the platform's."""
    offered: set[str] = set()
    for each in platform.get("messages_supported") or []:
        if isinstance(each, dict) and each.get("type") == kind and isinstance(each.get("placements"), list):
            offered.update(map(str, each["placements"]))
    wanted = [place for place in _PLACEMENTS if place in offered]
    return {"placements": wanted} if wanted else {}
