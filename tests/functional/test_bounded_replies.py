"""No server that is asked can fill the memory: its reply is read up to a bound, and never unpacked."""

from __future__ import annotations

import asyncio
import gzip
from collections.abc import Callable

import pytest
from scripted_llm import ScriptedLlm

from knowledge.search.http_client import HttpClient, Unreachable
from knowledge.search.servers import JsonFetcher
from services.language_model.embeddings import OpenAiEmbedder
from services.people.oidc import OidcProvider
from services.people.session_store import OidcLogin
from services.settings import Settings
from vta.errors import UpstreamFailed

LONGEST_S = 30.0
"""Longer than a reply that never ends may take to be refused, so that no time limit is what ends it."""


def embeddings(url: str) -> None:
    OpenAiEmbedder(base_url=url, api_key="", model="m", timeout_s=LONGEST_S).embed(["a"])


def search_engine(url: str) -> None:
    fetcher = JsonFetcher(name="engine", url=url, timeout_s=LONGEST_S)
    asyncio.run(fetcher.fetch("GET", "/search"))


def lti_platform(url: str) -> None:
    asyncio.run(HttpClient(private_addresses=True, timeout_s=LONGEST_S).send("GET", url))


def school(url: str) -> None:
    login = OidcLogin(state="s", nonce="n", browser="b", verifier="v" * 43, back="/")
    settings = Settings(oidc_issuer=url, oidc_client_id="c")
    asyncio.run(OidcProvider(settings).address(login, "https://vta.example/back"))


CLIENTS = {
    embeddings: ("did not come to an end", "not an answer"),
    search_engine: ("more than 2000000 bytes", "compressed"),
    lti_platform: ("too_large", "compressed"),
    school: ("ReplyTooLarge", "CompressedReply"),
}


@pytest.mark.parametrize("ask", CLIENTS)
def test_a_reply_without_an_end_is_refused(scripted_llm: ScriptedLlm, ask: Callable[[str], None]) -> None:
    """In the words that the client has for it, and the connection is closed."""
    scripted_llm.play(scripted_llm.without_end(b'{"data": ['))
    with pytest.raises((UpstreamFailed, Unreachable), match=CLIENTS[ask][0]):
        ask(scripted_llm.base_url)
    assert scripted_llm.left.wait(LONGEST_S)
    assert len(scripted_llm.requests) == 1


@pytest.mark.parametrize("ask", CLIENTS)
def test_a_packed_reply_is_not_unpacked(scripted_llm: ScriptedLlm, ask: Callable[[str], None]) -> None:
    """It was asked not to be packed."""
    packed = gzip.compress(b'{"data": [' + bytes(10**7), 1)
    scripted_llm.play(scripted_llm.body(packed, ("Content-Encoding", "gzip")))
    with pytest.raises((UpstreamFailed, Unreachable), match=CLIENTS[ask][1]):
        ask(scripted_llm.base_url)
    assert {each.headers["accept-encoding"] for each in scripted_llm.requests} == {"identity"}
