"""A whole platform on a real Elasticsearch, and on one that cannot be reached or used."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
from elasticsearch import ConnectionTimeout

from knowledge.index.elasticsearch import ElasticsearchIndex
from knowledge.index.elasticsearch_client import open_client
from knowledge.index.embedded import EmbeddedIndex
from services.demo.sample_courses import create_demo_courses
from services.settings import Settings
from services.wiring import build_platform
from vta.errors import Conflict, InvalidInput, UpstreamFailed
from vta.text import Analyser
from vta.types.courses import CourseId, PairId
from vta.types.pairs import QAPair, Source

ASKED = [
    ("data-structures-zh", "什么是栈？"),
    ("data-structures-zh", "栈和队列有什么区别？"),
    ("data-structures-zh", "怎样获得课程证书？"),
    ("machine-learning-en", "What is overfitting?"),
    ("machine-learning-en", "What is the difference between precision and recall?"),
]


def rank(platform, course_id: str, question: str):
    course = platform.stores.courses.course(CourseId(course_id))
    knowledge = platform.knowledge.current()
    mentions = knowledge.linker.link(question, course=course)
    page = QAPair(
        id=PairId("w"), course_id=course.id, source=Source.SEARCH, question=question, answer=question
    )
    return knowledge.ranker.rank(
        question, course=course, mentions=mentions, chit_chat=0.9, top=30, found=[page]
    ).candidates


def test_the_sample_courses_rank_alike_on_both_engines(tmp_path, elasticsearch_url, alias):
    """Set by its URL alone, Elasticsearch gives the pairs and scores that the embedded index gives,
    also of a page that a search engine found."""
    found = []
    for name, url in (("embedded", None), ("elasticsearch", elasticsearch_url)):
        settings = Settings(home=tmp_path / name, elasticsearch_url=url, elasticsearch_index=alias)
        platform = build_platform(settings)
        list(create_demo_courses(platform))
        assert isinstance(platform.index, ElasticsearchIndex if url else EmbeddedIndex)
        found.append([rank(platform, *each) for each in ASKED])
        platform.close()
    for one, other in zip(*found, strict=True):
        assert "w" in [c.pair.id for c in one]
        assert [c.score for c in other] == pytest.approx([c.score for c in one], rel=1e-4)
        assert [c.pair for c in other] == [c.pair for c in one]


def test_a_server_that_cannot_be_reached_is_named_without_its_password():
    """The error tells which server failed, and no secret."""
    with open_client(["http://user:canary@127.0.0.1:9"], api_key=None, timeout_s=2.0) as client:
        index = ElasticsearchIndex(client, alias="vta")
        with pytest.raises(UpstreamFailed, match=r"http://127\.0\.0\.1:9 cannot be reached") as raised:
            index.stamp()
    assert "canary" not in str(raised.value)


def test_what_the_server_refuses_leaves_the_live_generation(elasticsearch_url, alias):
    """A pair that Elasticsearch does not take breaks off the rebuild with an error that names the server."""
    pair = QAPair(
        id=PairId("a"), course_id=CourseId("ds"), source=Source.FAQ, question="stack", answer="LIFO"
    )
    too_long = QAPair(
        id=PairId("x" * 40_000), course_id=CourseId("ds"), source=Source.FAQ, question="q", answer="a"
    )
    with open_client([elasticsearch_url], api_key=None, timeout_s=30.0) as client:
        index = ElasticsearchIndex(client, alias=alias)
        index.replace([pair], analyser=Analyser(), stamp="1")
        with pytest.raises(UpstreamFailed, match="did not take every pair"):
            index.replace([pair, too_long], analyser=Analyser(), stamp="2")
        assert index.stamp() == "1"


@pytest.mark.parametrize("done", [True, False], ids=["done", "not done"])
def test_a_swap_without_an_answer_is_not_cleaned_up_where_it_was_done(
    elasticsearch_url, alias, monkeypatch, done
):
    """The time-out is told; the generation that the alias names stays, and one that it does not name goes."""
    pair = QAPair(id=PairId("a"), course_id=CourseId("ds"), source=Source.FAQ, question="q", answer="a")
    with open_client([elasticsearch_url], api_key=None, timeout_s=30.0) as client:
        index = ElasticsearchIndex(client, alias=alias)
        index.replace([pair], analyser=Analyser(), stamp="1")
        aliases = type(client.indices)
        swap = aliases.update_aliases

        def unheard(*given: object, **more: object) -> None:
            if done:
                swap(*given, **more)
            raise ConnectionTimeout("the answer came too late")

        monkeypatch.setattr(aliases, "update_aliases", unheard)
        with pytest.raises(UpstreamFailed, match="too late"):
            index.replace([pair], analyser=Analyser(), stamp="2")
        assert index.stamp() == ("2" if done else "1")
        assert len(client.indices.get(index=f"{alias}.generation-*")) == (2 if done else 1)


def test_writers_that_rebuild_at_once_do_not_trip_over_what_they_drop(elasticsearch_url, alias):
    """Several replicas rebuild at the same time, again and again; each old one is dropped once."""
    pair = QAPair(id=PairId("a"), course_id=CourseId("ds"), source=Source.FAQ, question="q", answer="a")

    def rebuild(writer: int) -> None:
        with open_client([elasticsearch_url], api_key=None, timeout_s=30.0) as client:
            index = ElasticsearchIndex(client, alias=alias)
            for number in range(5):
                index.replace([pair], analyser=Analyser(), stamp=f"{writer} {number}")

    with ThreadPoolExecutor(4) as pool:
        for each in [pool.submit(rebuild, writer) for writer in range(4)]:
            each.result()


@pytest.mark.parametrize("swaps", [1, 2], ids=["swapped", "swapped and dropped"])
def test_an_update_of_a_generation_that_is_swapped_out_meanwhile_is_a_conflict(
    elasticsearch_url, alias, swaps
):
    """So it is made again upon the new one, and nobody is told that what was written can be found."""
    pair = QAPair(id=PairId("a"), course_id=CourseId("ds"), source=Source.FAQ, question="q", answer="a")
    with open_client([elasticsearch_url], api_key=None, timeout_s=30.0) as client:
        index = ElasticsearchIndex(client, alias=alias)
        pairs = [replace(pair, id=PairId(str(number))) for number in range(50)]  # one edit makes none stale
        index.replace(pairs, analyser=Analyser(), stamp="0")

        class Interrupted(list[QAPair]):
            """Pairs between whose reading another server builds the index anew."""

            def __iter__(self) -> Iterator[QAPair]:
                if index.stamp() == "0":
                    for number in range(1, swaps + 1):
                        index.replace(pairs, analyser=Analyser(), stamp=str(number))
                return super().__iter__()

        changed = Interrupted([replace(pairs[0], answer="b")])
        with pytest.raises(Conflict):
            index.update(put=changed, remove=(), analyser=Analyser(), since="0", stamp="9")
        assert index.stamp() == str(swaps)


def test_a_url_that_names_no_port_number_is_refused_at_the_start(tmp_path):
    """The message names the variable, and not the password."""
    settings = Settings(home=tmp_path, elasticsearch_url="https://user:canary@search.example:port")
    with pytest.raises(InvalidInput, match=r"^VTA_ELASTICSEARCH_URL: ") as raised:
        build_platform(settings)
    assert "canary" not in str(raised.value)
