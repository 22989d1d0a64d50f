"""The connection to Elasticsearch, and its failures in our own words."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any, cast

from elastic_transport import ConnectionError as Unreachable
from elastic_transport import Transport, TransportApiResponse
from elasticsearch import ApiError, Elasticsearch, NotFoundError, TransportError
from elasticsearch.helpers import BulkIndexError

from vta.breaker import CircuitBreaker
from vta.errors import UpstreamFailed
from vta.faults import Fault

SAME_COPY = "vta"
"""The preference of all searches, so that all read one copy of the shard, with the same statistics."""

_RETRIES = 2
_FAILURES, _COOL_DOWN_S = 3, 5.0
"""So many requests in a row must fail before the cluster is left alone, and then for so long."""
_AWAY = frozenset({502, 503, 504})
"""HTTP codes that speak against the cluster, or the proxy before it."""


class _BreakingTransport(Transport):
    """Fails at once while the circuit is open, so that no request waits for a cluster known to be away."""

    breaker: CircuitBreaker

    def perform_request(self, method: str, target: str, **more: Any) -> TransportApiResponse:
        if not self.breaker.admits():
            raise Unreachable("it failed several times in a row and is tried again in a few seconds")
        try:
            response = super().perform_request(method, target, **more)
        except TransportError:
            self.breaker.failed()
            raise
        if response.meta.status in _AWAY:
            self.breaker.failed()
        else:
            self.breaker.succeeded()
        return response


def open_client(urls: Sequence[str], *, api_key: str | None, timeout_s: float) -> Elasticsearch:
    """A client of one cluster; nothing is sent yet. A URL may hold a user name and password.

    A request that cannot connect is tried again on another node, one that timed out is not. After three
    requests in a row that failed, others fail at once for five seconds.
    """
    client = Elasticsearch(
        list(urls),
        api_key=api_key,
        request_timeout=timeout_s,
        max_retries=_RETRIES,
        retry_on_timeout=False,
        transport_class=_BreakingTransport,
    )
    breaker = CircuitBreaker(failures=_FAILURES, cool_down_s=_COOL_DOWN_S)
    cast(_BreakingTransport, client.transport).breaker = breaker
    return client


def server_of(client: Elasticsearch) -> str:
    """The addresses of the nodes, without user names and passwords."""
    return ", ".join(node.base_url for node in client.transport.node_pool.all())


def live_generation(client: Elasticsearch, alias: str) -> str | None:
    """Name of the generation that an alias names; None where it names none."""
    try:
        return next(iter(client.indices.get_alias(name=alias)), None)
    except NotFoundError:
        return None


@contextlib.contextmanager
def translated_errors(client: Elasticsearch) -> Iterator[None]:
    """Failures of the server or on the way to it are `UpstreamFailed`; what else fails is let through."""
    try:
        yield
    except BulkIndexError as error:
        raise UpstreamFailed(Fault("search.server_left_out", server=server_of(client))) from error
    except ApiError as error:
        reason = f"{error.status_code} {error.message}"
        raise UpstreamFailed(
            Fault("search.server_refused", server=server_of(client), reason=reason)
        ) from error
    except TransportError as error:
        reason = error.message.splitlines()[0]
        raise UpstreamFailed(
            Fault("search.server_unreachable", server=server_of(client), reason=reason)
        ) from error
