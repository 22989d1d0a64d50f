"""What every reply bears: security headers, and 304 for what the client has already."""

from __future__ import annotations

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_POLICY = (
    "default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
    "object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'self'"
)
_STRICT = "max-age=31536000"


class SecurityHeaders:
    """ASGI middleware: what a browser may do with a reply, unless the route has said so itself.

    No cache stores it; what has an ETag the client alone does, and asks again. A browser that came by https
    is told to come back by https alone.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.setdefault("Content-Security-Policy", _POLICY)
                headers.setdefault("Cache-Control", "private, no-cache" if "etag" in headers else "no-store")
                headers.setdefault("X-Content-Type-Options", "nosniff")
                headers.setdefault("Referrer-Policy", "same-origin")
                if scope.get("scheme") == "https":
                    headers.setdefault("Strict-Transport-Security", _STRICT)
            await send(message)

        await self._app(scope, receive, send_with_headers)


class NotModified:
    """ASGI middleware: a GET whose reply has an ETag that the client named gets 304 and no body."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        known = Headers(scope=scope).get("if-none-match") if scope["type"] == "http" else None
        if known is None or scope["method"] not in ("GET", "HEAD"):
            await self._app(scope, receive, send)
            return
        unchanged = False

        async def send_changed(message: Message) -> None:
            nonlocal unchanged
            if message["type"] == "http.response.start" and message["status"] == 200:
                headers = MutableHeaders(scope=message)
                unchanged = _names(known, headers.get("etag"))
                if unchanged:
                    message = {**message, "status": 304}
                    del headers["content-length"]
                    del headers["content-type"]
            elif message["type"] == "http.response.body" and unchanged:
                if message.get("more_body", False):
                    return
                message = {**message, "body": b""}
            await send(message)

        await self._app(scope, receive, send_changed)


def _names(known: str, etag: str | None) -> bool:
    """Whether the header names the tag; whether either is weak does not count here."""
    if etag is None:
        return False
    tags = {tag.strip().removeprefix("W/") for tag in known.split(",")}
    return "*" in tags or etag.removeprefix("W/") in tags
