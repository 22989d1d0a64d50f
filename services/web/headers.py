"""Security headers of every reply, and 304 for a reply that the client already has."""

from __future__ import annotations

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import Message, Receive, Scope, Send

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


class NotModified(HttpLayer):
    """Answers a GET with 304 and no body where the client names the ETag of the reply."""

    async def _handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        known = Headers(scope=scope).get("if-none-match")
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
    """True if the header names the tag, weak or not."""
    if etag is None:
        return False
    tags = {tag.strip().removeprefix("W/") for tag in known.split(",")}
    return "*" in tags or etag.removeprefix("W/") in tags
