"""Requests to a search engine, whose failures are told as faults that name it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from knowledge.search.http_client import LARGEST_REPLY, Cause, HttpClient, Unreachable
from vta.errors import UpstreamFailed
from vta.faults import Fault


class JsonFetcher:
    """Asks one server, whose address the administrator gave and which may therefore be private.

    Every failure is an `UpstreamFailed` that names the engine and never repeats the address, the query or
    what the server said.
    """

    def __init__(
        self,
        *,
        name: str | Fault,
        url: str,
        timeout_s: float,
        largest_reply: int = LARGEST_REPLY,
        authorization: str = "",
    ) -> None:
        """`timeout_s` is the total of a request. `authorization` is sent as the header of that name, if it is
        not empty."""
        self._name = name
        self._url = url
        self._timeout_s = timeout_s
        self._largest_reply = largest_reply
        self._headers = {"authorization": authorization} if authorization else {}
        self._client = HttpClient(
            private_addresses=True, timeout_s=timeout_s, largest_reply=largest_reply, uses_proxy=True
        )

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
            reply = await self._client.send(
                method,
                f"{self._url}{path}",
                headers=self._headers,
                parameters=parameters,
                form=form,
                body=body,
            )
            return reply.value
        except Unreachable as failure:
            raise UpstreamFailed(self._explained(failure)) from None

    def _explained(self, failure: Unreachable) -> Fault:
        match failure.cause:
            case Cause.TOO_SLOW:
                return Fault("search.no_answer", name=self._name, seconds=self._timeout_s)
            case Cause.COMPRESSED:
                return Fault("search.compressed", name=self._name)
            case Cause.TOO_LARGE:
                return Fault("search.reply_too_large", name=self._name, most=self._largest_reply)
            case Cause.REDIRECT:
                return Fault("search.redirect", name=self._name, status=failure.status or 0)
            case Cause.STATUS:
                return Fault("search.status", name=self._name, status=failure.status or 0)
            case Cause.NO_JSON:
                return Fault("search.no_json", name=self._name)
            case _:
                return Fault("search.unreachable", name=self._name, reason=type(failure.__cause__).__name__)
