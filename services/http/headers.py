"""The headers that every reply bears."""

from __future__ import annotations

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_POLICY = (
    "default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
    "object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'self'"
)
_STRICT = "max-age=31536000"


class SecurityHeaders:
    """ASGI middleware: what a browser may do with a reply, unless the route has said so itself.

    No cache stores it; what has an ETag the client alone does, and asks again. The documentation at /docs
    loads its scripts from elsewhere, so it is left out. A browser that came by https is told to come back by
    https alone.
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
                if not scope["path"].startswith("/docs"):
                    headers.setdefault("Content-Security-Policy", _POLICY)
                headers.setdefault("Cache-Control", "private, no-cache" if "etag" in headers else "no-store")
                headers.setdefault("X-Content-Type-Options", "nosniff")
                headers.setdefault("Referrer-Policy", "same-origin")
                if scope.get("scheme") == "https":
                    headers.setdefault("Strict-Transport-Security", _STRICT)
            await send(message)

        await self._app(scope, receive, send_with_headers)
