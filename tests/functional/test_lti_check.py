"""Why a platform's keys cannot be had: told apart by real sockets."""

from __future__ import annotations

import socket
import ssl
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from local_http import Asked, LocalHttp

from knowledge.search.http_client import HttpClient
from services.lti.platform_keys import check_platform
from services.lti.platform_store import LtiPlatform
from vta.errors import UpstreamFailed
from vta.types.courses import PlatformId


def known(url: str) -> LtiPlatform:
    """A platform whose keys are at this address."""
    return LtiPlatform(
        id=PlatformId("1"),
        issuer="https://lms.example",
        client_id="c",
        login_url="https://lms.example/auth",
        jwks_url=url,
        origins=(),
        deployments=(),
    )


class Keys(LocalHttp):
    """A server whose certificate is its own."""

    def answer(self, request: Asked) -> None:
        request.reply("{}")


@pytest.fixture
def self_signed(tmp_path: Path) -> Iterator[str]:
    """A server whose certificate is its own."""
    made = (
        "openssl",
        "req",
        "-x509",
        "-newkey",
        "rsa:2048",
        "-nodes",
        "-subj",
        "/CN=localhost",
        "-days",
        "1",
    )
    subprocess.run(
        [*made, "-keyout", tmp_path / "k", "-out", tmp_path / "c"], check=True, capture_output=True
    )
    with Keys() as server:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(tmp_path / "c", tmp_path / "k")
        server.server.socket = context.wrap_socket(server.server.socket, server_side=True)
        yield f"https://localhost:{server.server.server_port}/jwks"


async def cause(url: str, *, private: bool) -> str:
    with pytest.raises(UpstreamFailed) as failed:
        await check_platform(known(url), HttpClient(private_addresses=private))
    return failed.value.fault.code


async def test_three_causes_are_told_apart(self_signed: str) -> None:
    """A private address, a certificate that nobody vouches for, and a server that is not there."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        dead = f"http://127.0.0.1:{free.getsockname()[1]}/jwks"
        assert await cause(self_signed, private=False) == "lti.keys_private"
        assert await cause(self_signed, private=True) == "lti.keys_certificate"
        assert await cause(dead, private=True) == "lti.keys_no_server"
