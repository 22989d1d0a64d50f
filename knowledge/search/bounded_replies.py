"""Replies of other servers: never unpacked, and read up to a number of bytes."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from typing import Any

import httpx2

LARGEST_REPLY = 2_000_000
"""Bytes."""
UNPACKED = {"accept-encoding": "identity"}
"""The header that asks a server not to compress, so that the bytes it sends are those in memory."""


class ReplyTooLarge(httpx2.TransportError):
    """A reply has more bytes than it may."""


class CompressedReply(ReplyTooLarge):
    """A reply is compressed, so that it may have any number of bytes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyBound:
    """So much of a reply is read; `bound` and `bound_async` are hooks of a client for its replies."""

    most: int = LARGEST_REPLY

    def bound(self, reply: httpx2.Response) -> None:
        """Let whoever reads the reply past the bound get `ReplyTooLarge`."""
        reply.stream = _BoundedBody(reply, self.most)

    async def bound_async(self, reply: httpx2.Response) -> None:
        """The same for an asynchronous client."""
        self.bound(reply)


class _BoundedBody(httpx2.SyncByteStream, httpx2.AsyncByteStream):
    def __init__(self, reply: httpx2.Response, most: int) -> None:
        self._body: Any = reply.stream
        self._is_compressed = reply.headers.get("content-encoding", "identity") != "identity"
        self._left = most

    def __iter__(self) -> Iterator[bytes]:
        for piece in self._body:
            yield self._within(piece)

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for piece in self._body:
            yield self._within(piece)

    def close(self) -> None:
        self._body.close()

    async def aclose(self) -> None:
        await self._body.aclose()

    def _within(self, piece: bytes) -> bytes:
        self._left -= len(piece)
        if self._is_compressed:
            raise CompressedReply("compressed, though it was asked not to be")
        if self._left < 0:
            raise ReplyTooLarge("longer than it may be")
        return piece
