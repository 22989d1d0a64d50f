"""Run as a program: `vta` with the arguments given, which prints whether TCP_NODELAY is set on each accepted
connection."""

from __future__ import annotations

import asyncio
import socket

from uvicorn.protocols.http.h11_impl import H11Protocol

from services.cli.main import main

try:
    from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
except ImportError:
    _PROTOCOLS: tuple[type[asyncio.Protocol], ...] = (H11Protocol,)
else:
    _PROTOCOLS = (H11Protocol, HttpToolsProtocol)


def _report(protocol: type[asyncio.Protocol]) -> None:
    usual = protocol.connection_made

    def connection_made(self: asyncio.Protocol, transport: asyncio.BaseTransport) -> None:
        usual(self, transport)
        accepted = transport.get_extra_info("socket")
        nodelay = accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
        print(f"accepted, nodelay {bool(nodelay)}", flush=True)

    protocol.connection_made = connection_made  # type: ignore[method-assign]


if __name__ == "__main__":
    for each in _PROTOCOLS:
        _report(each)
    main()
