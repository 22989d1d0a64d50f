"""What properties of the index in Elasticsearch are tried on."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from index_names import new_alias

from knowledge.index.elasticsearch import ElasticsearchIndex


@pytest.fixture(scope="module")
def on_server(elasticsearch_url: str) -> Iterator[ElasticsearchIndex]:
    """An index on a real server, filled anew by every example."""
    with new_alias(elasticsearch_url) as (alias, client):
        yield ElasticsearchIndex(client, alias=alias)
