"""The first step of a launch: the redirect to the platform for its id_token."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from fastapi import Request
from fastapi.responses import RedirectResponse, Response

from services.lti.addresses import server_of
from services.lti.launch_store import LOGIN_LASTS, NewLogin
from services.lti.pages import page
from services.lti.platform_store import LtiPlatform
from services.lti.refusals import LaunchRefused, RefusalReason
from services.people.tokens import set_framed_cookie
from services.store.store_secrets import digest_of
from services.web.serving import public_address
from services.wiring import Platform

_GIVEN = ("iss", "login_hint", "target_link_uri", "lti_message_hint", "client_id", "lti_deployment_id")
"""The platform's parameters, which a new window has to send again."""


def start_login(platform: Platform, request: Request, given: Mapping[str, str]) -> Response:
    """OpenID Connect third-party initiated login: to the platform's log-in address, with state and nonce.

    The browser is bound by a cookie, and by a secret that our page stores in the frame's own storage, in the
    page that opened this window, or with the platform. Other clients get the cookie alone.
    """
    issuer, hint = given.get("iss", ""), given.get("login_hint", "")
    if not issuer or not hint:
        raise LaunchRefused(RefusalReason.INCOMPLETE, "iss or login_hint is missing")
    found = platform.stores.lti_platforms.find(issuer, given.get("client_id"))
    if len(found) != 1:
        raise LaunchRefused(RefusalReason.UNKNOWN_PLATFORM, f"{len(found)} registrations of {issuer!r} fit")
    known = found[0]
    deployment = given.get("lti_deployment_id")
    if deployment is not None and known.deployments and deployment not in known.deployments:
        raise LaunchRefused(RefusalReason.WRONG_DEPLOYMENT, f"deployment {deployment!r}")
    target = given.get("lti_storage_target", "")[:200]
    login = platform.stores.lti_launches.open_login(known.id, target)
    onward = _authentication_request(known, login, given, f"{public_address(platform, request)}/lti/launch")
    response: Response
    if accepts_pages(request):
        response = page(
            request,
            "store.html",
            frames=known.origins,
            target=target,
            origin=origin_of(known.login_url),
            key=storage_key(login.state),
            value=login.browser,
            cookie=state_cookie(login.state),
            next=onward,
            given={name: given[name] for name in _GIVEN if name in given},
        )
    else:
        response = RedirectResponse(onward, status_code=302)
    lasts_s = int(LOGIN_LASTS.total_seconds())
    set_framed_cookie(response, state_cookie(login.state), login.browser, lasts_s=lasts_s, path="/lti/launch")
    return response


def accepts_pages(request: Request) -> bool:
    """True where a browser navigates here: a page may do more than a redirect."""
    return "text/html" in request.headers.get("accept", "")


def state_cookie(state: str) -> str:
    """The cookie of one log-in, so that two tabs do not disturb one another."""
    return f"vta_lti_{digest_of(state)[:16]}"


def storage_key(state: str) -> str:
    """The name of a log-in's secret in the storage of the browser or the platform."""
    return f"vta_{digest_of(state)[:16]}"


def origin_of(url: str) -> str:
    """Scheme, host and port of an address that a platform gave; `LaunchRefused` where it names no server."""
    if not (origin := server_of(url)):
        raise LaunchRefused(RefusalReason.WRONG_CLAIMS, "an address names no server")
    return origin


def _authentication_request(
    known: LtiPlatform, login: NewLogin, given: Mapping[str, str], redirect_uri: str
) -> str:
    parts = urlsplit(known.login_url)
    fields = {
        **dict(parse_qsl(parts.query, keep_blank_values=True)),
        "scope": "openid",
        "response_type": "id_token",
        "response_mode": "form_post",
        "prompt": "none",
        "client_id": known.client_id,
        "redirect_uri": redirect_uri,
        "login_hint": given["login_hint"],
        "state": login.state,
        "nonce": login.nonce,
    }
    if "lti_message_hint" in given:
        fields["lti_message_hint"] = given["lti_message_hint"]
    return urlunsplit(parts._replace(query=urlencode(fields), fragment=""))
