"""What properties of the index in Elasticsearch are tried on."""

from __future__ import annotations

import uuid
from collections.abc import Iterator

import pytest

from knowledge.index.elasticsearch import ElasticsearchIndex
from knowledge.index.elasticsearch_client import open_client


@pytest.fixture(scope="module")
def on_server(elasticsearch_url: str) -> Iterator[ElasticsearchIndex]:
    """An index on a real server, filled anew by every example."""
    alias = f"vta-test-{uuid.uuid4().hex[:12]}"
    with open_client([elasticsearch_url], api_key=None, timeout_s=30.0) as client:
        yield ElasticsearchIndex(client, alias=alias)
        for name in client.indices.get(index=f"{alias}.*"):
            client.indices.delete(index=name)
