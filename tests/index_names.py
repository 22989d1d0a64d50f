"""Names of indexes on a real Elasticsearch."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from contextlib import contextmanager

from elasticsearch import Elasticsearch

from knowledge.index.elasticsearch_client import open_client


@contextmanager
def new_alias(url: str) -> Iterator[tuple[str, Elasticsearch]]:
    """A name of a test's own, with a client; what was made under the name is removed at the end."""
    alias = f"vta-test-{uuid.uuid4().hex[:12]}"
    with open_client([url], api_key=None, timeout_s=30.0) as client:
        yield alias, client
        for name in client.indices.get(index=f"{alias}.*"):
            client.indices.delete(index=name)
