"""Every request has an id, which its reply, its log lines and its calls to models bear."""

from __future__ import annotations

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from services.tracing import begin_trace

REQUEST_ID = "X-Request-Id"


class Traced:
    """ASGI middleware: takes X-Request-Id and traceparent of the caller, or makes them."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        trace = begin_trace(headers.get(REQUEST_ID, ""), headers.get("traceparent", ""))

        async def send_with_id(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message)[REQUEST_ID] = trace.request_id
            await send(message)

        await self._app(scope, receive, send_with_id)
