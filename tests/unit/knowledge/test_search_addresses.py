"""Which addresses may be shown as links."""

from __future__ import annotations

import pytest

from knowledge.search.addresses import is_public_url


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1/", "http://127.1", "http://0177.0.0.1", "http://0x7f.1", "http://2130706433/",
        "http://0/", "http://10.1.2.3", "http://172.16.0.1", "http://192.168.1.1:8080/a", "http://100.64.0.1",
        "http://169.254.169.254/latest", "http://224.0.0.1", "http://255.255.255.255", "http://[::1]/",
        "http://[::]/", "http://[::ffff:169.254.169.254]/", "http://[::ffff:127.0.0.1]", "http://[fe80::1]/",
        "http://[fc00::1]/", "http://[64:ff9b::7f00:1]/", "http://[2002:7f00:1::]/", "http://[::127.0.0.1]/",
        "http://[::8.8.8.8]/", "http://[64:ff9b:1::808:808]/", "http://[fec0::1]/", "http://[5f00::1]/",
        "http://[3fff::1]/", "http://[100:0:0:1::1]/", "http://[4000::1]/", "http://[ff0e::1]/",
        "http://192.88.99.1/", "http://[64:ff9b::c058:6301]/", "http://[2002:c058:6301::]/",
        "http://localhost/", "http://LOCALHOST.", "http://a.localhost", "http://printer.local",
        "http://wiki.internal/", "http://intranet/", "http://nas.home.arpa", "http://127.0.0.1.",
        "http://１２７.0.0.1/", "http://127。0。0。1/", "http://user@example.org/", "http://u:p@example.org",
        "http://example.org@10.0.0.1/", "http:/example.org", "http:example.org", "https://", "https:///a",
        "file:///etc/passwd", "gopher://example.org", "ftp://example.org", "javascript:alert(1)",
        "data:text/html,x", "JaVaScRiPt:alert(1)", "//example.org", "example.org", "", " https://example.org",
        "https://exa mple.org", "https://example.org/\x00", "https://example.org\\@10.0.0.1/",
        "https://example.org:99999/", "https://[::1", "https://a..org/", "https://1.2.3.400/",
        "https://example.org/" + "a" * 2000, "https://example.org/\u202e", "https://256.1/",
        "https://127.0.0.1%00.example.com/", "https://[2606:4700::1111%00]/", "https://exa!mple.org",
    ],
)  # fmt: skip
def test_addresses_inside_or_misleading_are_not_public(url):
    """Private, loopback, link-local, local by name, in any spelling; other schemes; tricks of the parser."""
    assert not is_public_url(url)


@pytest.mark.parametrize(
    "url",
    [
        "https://example.org", "http://example.org:8080/a?b=c#d", "https://zh.wikipedia.org/wiki/栈",
        "https://doi.org/10.1145/1", "https://8.8.8.8/", "https://[64:ff9b::808:808]/",
        "https://[2606:4700::1111]/", "https://例子.测试/",
        "https://localhost.example.org/", "https://example.org./", "HTTPS://EXAMPLE.ORG/",
        "https://example.org/a@b",
    ],
)  # fmt: skip
def test_addresses_of_the_open_web_are_public(url):
    """Names, paths and addresses of the web are let through."""
    assert is_public_url(url)
