"""Search a three-node Elasticsearch while one node is killed: searches go on and no pair is lost.

python -m benchmarks elasticsearch_cluster

It fetches and starts the nodes itself (tests/elasticsearch_server.py) and stops them at the end.
"""

from __future__ import annotations

import time
from typing import Any

from elasticsearch import Elasticsearch
from elasticsearch_server import ElasticsearchServer, free_port

from knowledge.index.elasticsearch import ElasticsearchIndex
from knowledge.index.elasticsearch_client import open_client
from vta.errors import UpstreamFailed
from vta.text import Analyser
from vta.types.courses import CourseId, PairId
from vta.types.pairs import QAPair, SearchQuery, Source, SourceWeight

PAIRS, SECONDS = 2_000, 30.0
COURSE = CourseId("ds")
EVERY = SourceWeight(source=Source.FAQ, course_id=COURSE, weight=1.0, question=1.0, answer=0.0)
QUERY = SearchQuery(words=(("stack", 1.0),), grams=())


def pairs() -> list[QAPair]:
    return [
        QAPair(
            id=PairId(f"{n:05}"), course_id=COURSE, source=Source.FAQ, question=f"stack {n}", answer="LIFO"
        )
        for n in range(PAIRS)
    ]


def run() -> dict[str, Any]:
    """What searches saw in the time after the node that answered them was killed."""
    ports = tuple(free_port() for _ in range(3))
    nodes = [ElasticsearchServer(transport=port, cluster=ports) for port in ports]
    try:
        for node in nodes:
            node.wait(nodes=3)
        with open_client([node.url for node in nodes], api_key=None, timeout_s=10.0) as client:
            index = ElasticsearchIndex(client, alias="vta")
            index.replace(pairs(), analyser=Analyser(), stamp="1")
            client.cluster.health(wait_for_status="green", timeout="60s")
            before = {c.pair.id: c.score for c in index.search(QUERY, [EVERY], PAIRS)}
            _node_with_primary(client, nodes).kill()
            searches, failed, longest = _search_on(index)
            after = {c.pair.id: c.score for c in index.search(QUERY, [EVERY], PAIRS)}
            rebuilt = index.replace(pairs(), analyser=Analyser(), stamp="2")
    finally:
        for node in nodes:
            node.stop()
    return {
        "pairs": PAIRS,
        "searches": searches,
        "failed": failed,
        "longest_ms": round(longest * 1000, 1),
        "seconds": SECONDS,
        "found_before": len(before),
        "found_after": len(after),
        "same_scores": before == after,
        "rebuilt_after": rebuilt,
    }


def _node_with_primary(client: Elasticsearch, nodes: list[Any]) -> Any:
    """The node that holds the primary copy of the live generation, which is the hardest to lose."""
    shards = client.cat.shards(index="vta", format="json", h="prirep,node").body
    name = next(shard["node"] for shard in shards if shard["prirep"] == "p")
    return next(node for node in nodes if node.name == name)


def _search_on(index: ElasticsearchIndex) -> tuple[int, int, float]:
    searches, failed, longest = 0, 0, 0.0
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        start = time.monotonic()
        try:
            index.search(QUERY, [EVERY], 10)
        except UpstreamFailed as failure:
            print(failure.message, flush=True)
            failed += 1
        searches += 1
        longest = max(longest, time.monotonic() - start)
    return searches, failed, longest
