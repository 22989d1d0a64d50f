"""What every `WebSearch` holds: SearXNG, OpenAlex, all engines as one, pages in memory."""

from __future__ import annotations

import pytest

from knowledge.search.addresses import is_public_url
from knowledge.search.engines import SearchEngines
from knowledge.search.servers import JsonFetcher, OpenAlexSearch, SearxngSearch
from vta.errors import UpstreamFailed
from vta.languages import Language
from vta.text import Analyser
from vta.types.courses import CourseId
from vta.types.pairs import Source

DS = CourseId("ds")
PAGES = [
    ("Fibonacci heap", "A Fibonacci heap is a heap with fast decrease-key.", "https://example.org/heap"),
    ("斐波那契堆", "堆 的一种，减小关键字很快。", "https://example.org/zh/heap?a=1&b=2"),
    ("Binary heap", "A heap kept in an array.", "https://example.org/binary"),
]
KINDS = ["memory", "searxng", "openalex", "engines"]


def engine_of(kind, pages, server, page_search):
    """An engine that knows these pages, or that fails where there are none."""
    memory = page_search(pages or [], failure=None if pages is not None else "the search engine is down")
    if kind == "memory":
        return memory
    if kind == "engines":
        return SearchEngines([memory, memory], analyser=Analyser())
    fetcher = JsonFetcher(name="the search engine", url=server.url, timeout_s=10)
    if pages is None:
        server.play(server.reply(b"down", status=503))
    elif kind == "searxng":
        results = [{"title": title, "content": text, "url": url} for title, text, url in pages]
        server.play(server.json({"results": results}))
    else:
        works = [
            {"display_name": title, "doi": url, "abstract_inverted_index": inverted(text)}
            for title, text, url in pages
        ]
        server.play(server.json({"results": works}))
    return {"searxng": SearxngSearch, "openalex": OpenAlexSearch}[kind](fetcher)


def inverted(text: str) -> dict[str, list[int]]:
    positions: dict[str, list[int]] = {}
    for place, word in enumerate(text.split()):
        positions.setdefault(word, []).append(place)
    return positions


@pytest.fixture(params=KINDS)
def build(request, scripted_search, page_search):
    return lambda pages: engine_of(request.param, pages, scripted_search, page_search)


async def test_pairs_are_headline_text_and_public_link_of_the_course(build):
    """Whatever the engine, a result is a pair of source `search` in the course that asked."""
    found = await build(PAGES).search("heap 堆", course_id=DS, language=Language.EN, limit=5)
    assert sorted((p.question, p.answer) for p in found) == sorted(page[:2] for page in PAGES)
    assert len({pair.id for pair in found}) == len({pair.url for pair in found}) == len(PAGES)
    for pair in found:
        assert (pair.source, pair.course_id) == (Source.SEARCH, DS)
        assert is_public_url(pair.url)


async def test_no_more_than_the_limit(build):
    """The best come first, so the rest is left out."""
    engine = build(PAGES)
    assert len(await engine.search("heap 堆", course_id=DS, language=Language.EN, limit=2)) == 2


async def test_the_same_result_keeps_its_id_and_courses_do_not_share(build):
    """Ids are stable between searches, and another course has its own pairs."""
    engine = build(PAGES[:1])
    (one,) = await engine.search("heap", course_id=DS, language=Language.EN, limit=5)
    (again,) = await engine.search("heap", course_id=DS, language=Language.EN, limit=5)
    (other,) = await engine.search("heap", course_id=CourseId("ml"), language=Language.EN, limit=5)
    assert one == again
    assert other.course_id == "ml"
    assert other.id != one.id


async def test_nothing_found_is_no_failure(build):
    """An engine that knows nothing says so with no pairs."""
    assert await build([]).search("heap", course_id=DS, language=Language.EN, limit=5) == ()


async def test_a_failing_engine_is_upstream_failed(build):
    """The one error that callers must expect."""
    with pytest.raises(UpstreamFailed):
        await build(None).search("heap", course_id=DS, language=Language.EN, limit=5)
