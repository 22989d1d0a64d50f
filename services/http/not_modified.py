"""What a client has already is not sent again (RFC 9110, If-None-Match)."""

from __future__ import annotations

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send


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
