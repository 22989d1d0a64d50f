"""Who is logged in to the admin page by the admin key, and that a write comes from that page."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import time
from collections.abc import Awaitable, Callable

from fastapi import Request
from fastapi.responses import Response

from services.http.problems import forbidden
from services.identity.course_keys import is_admin_key
from services.identity.instructor_sessions import Form, field, parse_form
from services.identity.origin import check_origin
from services.wiring import Platform
from vta.faults import Fault

COOKIE = "vta_lti_admin"
_SECRET = "LTI admin page"  # noqa: S105  # its name
LASTS_S = 3600


class AdminNeeded(Exception):
    """Nobody is logged in with the admin key: the page is behind the log-in."""


class AdminSessions:
    """Sessions that need no rows: an end, and a keyed digest of it that another admin key undoes.

    A log-out undoes it too, for everybody who is logged in by the one admin key.
    """

    def __init__(self, platform: Platform) -> None:
        self._platform = platform

    def key_is(self, given: str) -> bool:
        """Whether a text is the admin key; never where none is set."""
        return is_admin_key(self._platform.settings.admin_key, given)

    async def open(self, request: Request, response: Response) -> None:
        """Give the browser the cookie of a new session, for this page alone and out of reach of scripts."""
        end = str(int(time.time()) + LASTS_S)
        response.set_cookie(
            COOKIE,
            f"{end}.{await self._sign(end)}",
            max_age=LASTS_S,
            path="/lti/admin",
            httponly=True,
            secure=request.url.scheme == "https",
            samesite="strict",
        )

    async def close(self, request: Request) -> None:
        """End all sessions, where the request is of an open one."""
        if await self.is_open(request):
            await asyncio.to_thread(self._platform.stores.secrets.forget, _SECRET)

    async def csrf(self, request: Request) -> str:
        """The token of the forms of the request's session."""
        return await self._sign("csrf:" + request.cookies.get(COOKIE, ""))

    async def read_form(self, request: Request) -> Form:
        """The form of a write. 403 unless it comes from this site and brings the session's token back."""
        check_origin(request)
        form = await parse_form(request)
        if not hmac.compare_digest(field(form, "csrf").encode(), (await self.csrf(request)).encode()):
            raise forbidden(Fault("console.form_expired"))
        return form

    async def is_open(self, request: Request) -> bool:
        """Whether the request brings the cookie of a session that has not ended."""
        end, _, signed = request.cookies.get(COOKIE, "").partition(".")
        if not end.isdecimal() or not end.isascii() or int(end) <= time.time():
            return False
        return hmac.compare_digest(signed.encode(), (await self._sign(end)).encode())

    async def _sign(self, text: str) -> str:
        key = self._platform.settings.admin_key
        if key is None:
            raise AdminNeeded
        secret = await asyncio.to_thread(self._platform.stores.secrets.secret, _SECRET)
        bound = hashlib.sha256(key.get_secret_value().encode()).hexdigest()
        return hmac.digest(secret, f"{bound}:{text}".encode(), "sha256").hex()


def lti_admins_of(sessions: AdminSessions) -> Callable[..., Awaitable[None]]:
    """A dependency that lets in who is logged in with the admin key; else `AdminNeeded`."""

    async def check(request: Request) -> None:
        if not await sessions.is_open(request):
            raise AdminNeeded

    return check
