"""Security headers of every reply."""

from __future__ import annotations

from starlette.datastructures import MutableHeaders
from starlette.types import Receive, Scope, Send

from services.web.layers import HttpLayer, with_headers

_POLICY = (
    "default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
    "object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'self'"
)
_STRICT = "max-age=31536000"


class SecurityHeaders(HttpLayer):
    """Sets the rights of a browser with a reply, unless the route has set them.

    No cache stores it; one with an ETag is stored by the client alone, which asks again. A browser that came
    by https is told to use https alone.
    """

    async def _handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        def add(headers: MutableHeaders) -> None:
            headers.setdefault("Content-Security-Policy", _POLICY)
            headers.setdefault("Cache-Control", "private, no-cache" if "etag" in headers else "no-store")
            headers.setdefault("X-Content-Type-Options", "nosniff")
            headers.setdefault("Referrer-Policy", "same-origin")
            if scope.get("scheme") == "https":
                headers.setdefault("Strict-Transport-Security", _STRICT)

        await self._app(scope, receive, with_headers(send, add))
