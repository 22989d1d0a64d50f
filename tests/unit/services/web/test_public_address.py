"""Which address links are made with, where no setting names one."""

from __future__ import annotations

import pytest
from fastapi import Request

from services.web.serving import own_address
from vta.errors import Conflict


def request(host: str, server: str) -> Request:
    headers = [(b"host", host.encode("latin-1"))]
    scope = {"type": "http", "path": "/console", "scheme": "http", "query_string": b"", "headers": headers}
    return Request({**scope, "server": (server, 8000)})


@pytest.mark.parametrize(
    ("host", "server"),
    [
        ("localhost:8000", "127.0.0.1"),
        ("LocalHost:9000", "172.17.0.2"),  # a port that a container's is mapped to
        ("127.0.0.1:8000", "127.0.0.1"),
        ("[::1]:8000", "::1"),
        ("192.168.1.5:8000", "192.168.1.5"),
        ("192.168.1.5:8000", "::ffff:192.168.1.5"),
        ("[fd00::5]:8000", "fd00::5"),
    ],
)
def test_a_request_to_this_machine_names_the_address_of_links(host, server):
    """By a name or address of the machine itself, or the address that the connection came to."""
    assert own_address(request(host, server)) == f"http://{host}"


@pytest.mark.parametrize(
    "host",
    [
        "evil.example", "192.168.1.6:8000", "localhost.evil.example", "127.0.0.1.evil.example",
        "localhost@evil.example", "evil.example\\@localhost", "evil.example/@localhost",
        "evil.example#localhost", "localhost:8000:8000", "[::1].evil.example", "[fe80::1%25evil]", "",
    ],
)  # fmt: skip
def test_any_other_host_is_refused_and_the_setting_is_named(host):
    with pytest.raises(Conflict, match="VTA_PUBLIC_URL"):
        own_address(request(host, "192.168.1.5"))
