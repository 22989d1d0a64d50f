"""The frame of the layers around the application: ASGI middleware that sees HTTP requests alone."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send


class HttpLayer(ABC):
    """ASGI middleware that passes on what is not HTTP."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await (self._handle if scope["type"] == "http" else self._app)(scope, receive, send)

    @abstractmethod
    async def _handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle an HTTP request."""


def with_headers(send: Send, add: Callable[[MutableHeaders], None]) -> Send:
    """A `send` that lets `add` change the headers of the reply."""

    async def send_with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            add(MutableHeaders(scope=message))
        await send(message)

    return send_with_headers
