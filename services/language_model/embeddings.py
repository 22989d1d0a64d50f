"""Embeddings of any OpenAI-compatible server."""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray
from openai import DefaultHttpxClient, OpenAI

from knowledge.search.http_client import UNPACKED, ReplyBound
from knowledge.vectors.rows import unit_rows
from services.language_model.client import NO_KEY, key_headers
from services.language_model.failures import EMBEDDINGS_SERVER, Failure, failure_of
from services.tracing import span, trace_headers
from vta.errors import UpstreamFailed
from vta.faults import Fault

logger = logging.getLogger(__name__)

BATCH: Final = 64
"""Texts sent in one request."""
LONGEST_TEXT: Final = 8000
"""Characters of a text that are sent."""
LARGEST_ROW: Final = 200_000
"""Bytes of the embedding of one text, written as JSON: some 8,000 numbers."""
RETRIES: Final = 2


class OpenAiEmbedder:
    """`vta.ports.Embedder` over `POST /embeddings` of an OpenAI-compatible server. Threads may share it.

    Each request has `timeout_s` seconds, its repetitions and waits among them. Asked again, at most
    `RETRIES` times, are: no connection, 408, 429, 5xx. Every failure is an `UpstreamFailed` without the
    server's words, since these may hold the key.
    """

    def __init__(self, *, base_url: str, api_key: str, model: str, timeout_s: float = 10.0) -> None:
        """`api_key` may be empty for a server that asks for none; no `Authorization` is sent then."""
        key = api_key.strip()
        self._model = model
        self._timeout_s = timeout_s
        self._headers = key_headers(key, server=EMBEDDINGS_SERVER)
        self._client = OpenAI(
            base_url=base_url,
            api_key=key or NO_KEY,
            max_retries=0,
            http_client=DefaultHttpxClient(
                timeout=timeout_s,
                follow_redirects=False,
                headers=UNPACKED,
                event_hooks={"response": [ReplyBound(most=BATCH * LARGEST_ROW).bound]},
            ),
        )

    def __repr__(self) -> str:
        return f"OpenAiEmbedder(model={self._model!r})"

    @property
    def name(self) -> str:
        """The model's name alone: the same model at another address gives the same vectors."""
        return f"served {self._model}"

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        batches = [texts[start : start + BATCH] for start in range(0, len(texts), BATCH)]
        with span(f"embeddings {self._model}", outgoing=True) as call:
            call.set_attributes({"gen_ai.operation.name": "embeddings", "gen_ai.request.model": self._model})
            rows = [self._ask(batch) for batch in batches]
        if len({each.shape[1] for each in rows}) > 1:
            raise UpstreamFailed(Fault("model.vector_lengths"))
        return np.concatenate(rows) if rows else np.zeros((0, 0), dtype=np.float32)

    def close(self) -> None:
        """Close all connections; the client cannot be used afterwards."""
        self._client.close()

    def _ask(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """The only place that asks again."""
        deadline = time.monotonic() + self._timeout_s
        attempt = 0
        while True:
            outcome = self._attempt(texts, deadline - time.monotonic())
            if not isinstance(outcome, Failure):
                return outcome
            wait_s = outcome.wait_s(attempt)
            if not outcome.retryable or attempt >= RETRIES or time.monotonic() + wait_s >= deadline:
                reason = outcome.reason.replacing(server=EMBEDDINGS_SERVER)
                logger.warning("%s (HTTP status %s)", reason.text(), outcome.status)
                raise UpstreamFailed(reason)
            time.sleep(wait_s)
            attempt += 1

    def _attempt(self, texts: Sequence[str], left_s: float) -> NDArray[np.float32] | Failure:
        """A failure is a value, so that it can be raised without the SDK's exception."""
        try:
            reply = self._client.embeddings.create(
                model=self._model,
                input=[text[:LONGEST_TEXT] or " " for text in texts],
                encoding_format="float",
                timeout=max(left_s, 0.001),
                extra_headers={**self._headers, **trace_headers()},
            )
            return _read_rows(reply, len(texts))
        except Exception as error:  # whatever a server can make the SDK raise, not only its own errors
            logger.info("embeddings: %s", type(error).__name__)
            return failure_of(error)


def _read_rows(reply: object, wanted: int) -> NDArray[np.float32]:
    """The rows in the order of the texts, of unit length. `ValueError` where the reply is none."""
    given = getattr(reply, "data", None)
    if not isinstance(given, list) or len(given) != wanted:
        raise ValueError("not one embedding a text")
    by_text = sorted(given, key=lambda each: int(each.index))
    if [int(each.index) for each in by_text] != list(range(wanted)):
        raise ValueError("not one embedding a text")
    rows = np.array([each.embedding for each in by_text], dtype=np.float64)
    if rows.ndim != 2 or rows.shape[1] == 0:
        raise ValueError("not numbers of one length")
    return unit_rows(rows)
