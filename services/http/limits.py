"""The limit on what a request may bring."""

from __future__ import annotations

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from services.http.problems import BodyTooLarge


class BodyLimit:
    """ASGI middleware: a body over `largest` bytes is refused with 413 while it is read.

    A declared length is refused before the first byte; without one, the bytes are counted as they come. So
    no more than `largest` bytes of a body are ever held, whichever layer reads them.
    """

    def __init__(self, app: ASGIApp, *, largest: int) -> None:
        self._app = app
        self._largest = largest

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        declared = Headers(scope=scope).get("content-length", "0")
        size = int(declared) if declared.isdecimal() else 0
        counted = 0

        async def receive_within_limit() -> Message:
            nonlocal counted
            self._check(size)
            message = await receive()
            counted += len(message.get("body", b""))
            self._check(counted)
            return message

        try:
            await self._app(scope, receive_within_limit, send)
        except BodyTooLarge as refused:  # read by a layer outside the application
            await refused.response()(scope, receive, send)

    def _check(self, size: int) -> None:
        if size > self._largest:
            raise BodyTooLarge(self._largest)
