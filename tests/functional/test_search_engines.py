"""The search engine adapters against a real HTTP server that behaves well and badly."""

from __future__ import annotations

import logging
import socket
import time

import pytest

from knowledge.search.engines import SearchEngines
from knowledge.search.servers import JsonFetcher, OpenAlexSearch, SearxngSearch
from services.settings import Settings
from services.wiring import build_web_search
from vta.errors import UpstreamFailed
from vta.languages import Language
from vta.text import Analyser
from vta.types.courses import CourseId

COURSE = CourseId("ds")


def result(title="Heap", content="A heap is a tree.", url="https://example.org/heap"):
    return {"title": title, "content": content, "url": url}


def searxng(url: str, timeout_s: float = 10.0, **more) -> SearxngSearch:
    return SearxngSearch(JsonFetcher(name="the search engine", url=url, timeout_s=timeout_s, **more))


async def ask(engine, query="heap", language=Language.EN, limit=5):
    return await engine.search(query, course_id=COURSE, language=language, limit=limit)


@pytest.mark.parametrize(
    ("query", "language"), [("fibonacci heap", Language.EN), ("斐波那契 堆", Language.ZH)]
)
async def test_searxng_is_asked_by_form_in_the_language_of_the_question(scripted_search, query, language):
    """The query stands in no address, and no cookie or referrer goes along."""
    scripted_search.play(scripted_search.reply(b'{"results": []}', set_cookie="id=1"))
    engine = searxng(scripted_search.url)
    await ask(engine, query, language)
    await ask(engine, query, language)
    for asked in scripted_search.requests:
        assert (asked.method, asked.path) == ("POST", "/search")
        assert asked.fields == {"q": query, "format": "json", "language": str(language), "safesearch": "2"}
        assert asked.headers["user-agent"] == "vta-platform"
        assert not {"cookie", "referer", "authorization"} & set(asked.headers)


async def test_openalex_abstracts_are_put_in_order(scripted_search):
    """Title and abstract of a work, markup stripped; works without an abstract are left out."""
    index = {"heap": [1, 4], "A": [0], "is": [2], "a": [3]}
    works = [
        {
            "display_name": "On <i>heaps</i>",
            "doi": "https://doi.org/10.1/x",
            "abstract_inverted_index": index,
        },
        {"display_name": "No abstract", "doi": "https://doi.org/10.1/y", "abstract_inverted_index": None},
    ]
    scripted_search.play(scripted_search.json({"results": works}))
    fetcher = JsonFetcher(name="the academic search", url=scripted_search.url, timeout_s=10)
    (pair,) = await ask(OpenAlexSearch(fetcher, api_key="k"), "heap", Language.ZH)
    assert (pair.question, pair.answer, pair.url) == (
        "On heaps",
        "A heap is a heap",
        "https://doi.org/10.1/x",
    )
    (asked,) = scripted_search.requests
    assert asked.path == "/works"
    assert (asked.fields["search"], asked.fields["filter"]) == ("heap", "language:zh")
    assert asked.fields["api_key"] == "k"


async def test_snippets_are_plain_bounded_text(scripted_search):
    """Tags, scripts, entities, control and half characters are gone, and long texts are cut."""
    hostile = result(
        "Heap &amp; <b>tree</b>\x00",
        "<script>alert(1)</script>" + "a \ud800 b\u2028c " + "x" * 5000,
    )
    scripted_search.play(scripted_search.json({"results": [hostile]}))
    (pair,) = await ask(searxng(scripted_search.url))
    assert pair.question == "Heap & tree"
    assert pair.answer.startswith("a ? b c x")
    assert len(pair.answer) == 1000
    assert pair.answer.encode()


async def test_results_that_lead_inside_are_dropped(scripted_search):
    """Private, loopback and link-local addresses, other schemes and broken results; what is good stays."""
    bad = [
        "http://127.0.0.1/", "http://10.0.0.8/x", "http://[::1]/", "http://169.254.169.254/latest",
        "file:///etc/passwd", "javascript:alert(1)", "//example.org", "", None, 7,
    ]  # fmt: skip
    results = [result(url=url) for url in bad]
    results += [result(title=""), result(content=None), "text", None, result(), result()]
    scripted_search.play(scripted_search.json({"results": results}))
    assert [pair.url for pair in await ask(searxng(scripted_search.url))] == ["https://example.org/heap"]


@pytest.mark.parametrize(
    "body",
    [b"", b"<html>", b"[]", b"7", b'{"results": 7}', b'{"results": ', b"\xff\xfe", b"[" * 100_000, b"{}"],
)
async def test_garbage_is_a_failure(scripted_search, body):
    """What is no list of results is never taken for one."""
    scripted_search.play(scripted_search.reply(body))
    with pytest.raises(UpstreamFailed, match="answered with something"):
        await ask(searxng(scripted_search.url))


@pytest.mark.parametrize("status", [400, 403, 429, 500, 503])
async def test_an_error_status_is_a_failure_that_names_it(scripted_search, status):
    """The words of the server are not repeated."""
    scripted_search.play(scripted_search.reply(b'{"results": [], "x": "canary"}', status=status))
    with pytest.raises(UpstreamFailed, match=str(status)) as raised:
        await ask(searxng(scripted_search.url))
    assert "canary" not in raised.value.message


@pytest.mark.parametrize("scene", ["silence", "drip"])
async def test_the_timeout_is_a_total(scripted_search, scene):
    """Neither a silent server nor one that drips holds a question for longer."""
    scripted_search.play(getattr(scripted_search, scene)())
    start = time.monotonic()
    with pytest.raises(UpstreamFailed, match=r"no answer within 0\.3 s"):
        await ask(searxng(scripted_search.url, timeout_s=0.3))
    assert time.monotonic() - start < 30


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_a_redirect_is_not_followed(scripted_search, status):
    """A server cannot send us to an address inside."""
    elsewhere = f"{scripted_search.url}/inside"
    scripted_search.play(scripted_search.reply(b"", status=status, location=elsewhere))
    with pytest.raises(UpstreamFailed, match="redirect"):
        await ask(searxng(scripted_search.url))
    assert [asked.path for asked in scripted_search.requests] == ["/search"]


async def test_a_server_that_is_away_is_a_failure_without_its_address():
    """A student reads the message, so it does not hold the address of a machine inside."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://user:canary@127.0.0.1:{free.getsockname()[1]}"
    with pytest.raises(UpstreamFailed, match="cannot be reached") as raised:
        await ask(searxng(url))
    assert "canary" not in raised.value.message
    assert "127.0.0.1" not in raised.value.message


async def test_one_engine_of_two_is_enough(scripted_search, page_search):
    """A failing engine is a line in the log while the other finds something."""
    scripted_search.play(scripted_search.reply(b"", status=500))
    pages = page_search([("Heap", "A heap.", "https://example.org/heap")])
    both = SearchEngines([searxng(scripted_search.url), pages], analyser=Analyser())
    assert len(await ask(both)) == 1
    failing = SearchEngines([searxng(scripted_search.url), page_search()], analyser=Analyser())
    with pytest.raises(UpstreamFailed, match="500"):
        await ask(failing)


def test_nobody_is_asked_by_default(tmp_path):
    """Without an address there is no search engine."""
    assert build_web_search(Settings(home=tmp_path), Analyser()) is None


async def test_settings_switch_both_engines_on_and_neither_key_nor_words_are_logged(
    scripted_search, tmp_path, caplog
):
    """Both are asked with the content words only, and nothing is stored."""
    scripted_search.play(scripted_search.json({"results": [result()]}))
    settings = Settings(
        home=tmp_path,
        search_engine_url=scripted_search.url,
        academic_url=scripted_search.url,
        academic_api_key="canary-key",
    )
    web = build_web_search(settings, Analyser())
    caplog.set_level(logging.DEBUG)
    found = await ask(web, "I am li@example.org, 20231234: what is a Fibonacci heap?")
    assert [pair.url for pair in found] == ["https://example.org/heap"]
    assert sorted(asked.path for asked in scripted_search.requests) == ["/search", "/works"]
    words = {asked.fields.get("q") or asked.fields.get("search") for asked in scripted_search.requests}
    assert words == {"fibonacci heap"}
    assert "canary-key" not in caplog.text
    assert "fibonacci" not in caplog.text.lower()
    assert list(tmp_path.iterdir()) == []
