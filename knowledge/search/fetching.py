"""One request to a search engine: bounded in time and size, and never led elsewhere."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from typing import Literal

import httpx2

from knowledge.search.bounded_replies import (
    LARGEST_REPLY,
    UNPACKED,
    CompressedReply,
    ReplyBound,
    ReplyTooLarge,
)
from vta.errors import UpstreamFailed
from vta.faults import Fault

_HEADERS = {"accept": "application/json", "user-agent": "vta-platform", **UNPACKED}


class JsonFetcher:
    """Asks one server, whose address the administrator gave and which may therefore be private.

    Every failure is an `UpstreamFailed` that names the engine and never repeats the address, the query or
    what the server said. Redirects are not followed, so no reply can lead to another server. Nothing is kept
    between two requests, neither connections nor cookies.
    """

    def __init__(
        self,
        *,
        name: str | Fault,
        url: str,
        timeout_s: float,
        largest_reply: int = LARGEST_REPLY,
        authorization: str = "",
        transport: httpx2.AsyncBaseTransport | None = None,
    ) -> None:
        """`timeout_s` is the total: looking up the name, connecting, and the last byte.

        `authorization` is sent as the header of that name, if it is not empty. `transport` connects in place
        of the usual one.
        """
        self._name = name
        self._url = url
        self._timeout_s = timeout_s
        self._bound = ReplyBound(most=largest_reply)
        self._headers = _HEADERS | ({"authorization": authorization} if authorization else {})
        self._tls = httpx2.create_ssl_context()
        self._transport = transport

    async def fetch(
        self,
        method: Literal["GET", "POST"],
        path: str,
        *,
        parameters: Mapping[str, str] | None = None,
        form: Mapping[str, str] | None = None,
        body: object = None,
    ) -> object:
        """The JSON under `path`, with the parameters in the query string, and a form or JSON as the body. A
        form stays out of the access logs on the way."""
        try:
            async with (
                asyncio.timeout(self._timeout_s),
                httpx2.AsyncClient(
                    verify=self._tls,
                    timeout=None,
                    follow_redirects=False,
                    transport=self._transport,
                    event_hooks={"response": [self._bound.bound_async]},
                ) as client,
                client.stream(
                    method,
                    f"{self._url}{path}",
                    params=parameters,
                    data=form,
                    json=body,
                    headers=self._headers,
                ) as reply,
            ):
                self._check(reply)
                content = await reply.aread()
        except TimeoutError:
            raise UpstreamFailed(
                Fault("search.no_answer", name=self._name, seconds=self._timeout_s)
            ) from None
        except CompressedReply:
            raise UpstreamFailed(Fault("search.compressed", name=self._name)) from None
        except ReplyTooLarge:
            too_large = Fault("search.reply_too_large", name=self._name, most=self._bound.most)
            raise UpstreamFailed(too_large) from None
        except (httpx2.HTTPError, httpx2.InvalidURL) as error:
            raise UpstreamFailed(
                Fault("search.unreachable", name=self._name, reason=type(error).__name__)
            ) from None
        try:
            value: object = json.loads(content)
        except (ValueError, RecursionError):
            raise UpstreamFailed(Fault("search.no_json", name=self._name)) from None
        return value

    def _check(self, reply: httpx2.Response) -> None:
        if reply.is_redirect:
            raise UpstreamFailed(Fault("search.redirect", name=self._name, status=reply.status_code))
        if reply.status_code != httpx2.codes.OK:
            raise UpstreamFailed(Fault("search.status", name=self._name, status=reply.status_code))
