"""Rerankers: a model that reads question and passage together says how well one answers the other."""

from __future__ import annotations

import logging
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import httpx2
import numpy as np

from knowledge.search.http_client import UNPACKED, ReplyBound
from vta.errors import UpstreamFailed
from vta.faults import Fault

logger = logging.getLogger(__name__)

LONGEST_TEXT: Final = 8000
"""Characters of a text that are read."""
_SERVER = Fault("name.reranker")
_REFUSED: Final = (400, 422)


class LocalReranker:
    """`vta.ports.Reranker` by a cross-encoder in a folder, exported to ONNX as for `LocalEmbedder`."""

    def __init__(self, folder: Path) -> None:
        """`InvalidInput` naming the file that is missing or cannot be used."""
        from knowledge.vectors.local_model import open_model  # not loaded where no model lies in a folder

        model = open_model(folder)
        model.tokenizer.enable_padding()
        model.tokenizer.enable_truncation(model.length)
        self._session = model.session
        self._tokenizer = model.tokenizer
        self._inputs = tuple(each.name for each in model.session.get_inputs())

    def scores(self, question: str, texts: Sequence[str]) -> Sequence[float]:
        if not texts:
            return ()
        pairs = [(question[:LONGEST_TEXT], text[:LONGEST_TEXT]) for text in texts]
        read = self._tokenizer.encode_batch(pairs)
        known = {
            "input_ids": [each.ids for each in read],
            "attention_mask": [each.attention_mask for each in read],
            "token_type_ids": [each.type_ids for each in read],
        }
        feed = {name: np.array(known[name], dtype=np.int64) for name in self._inputs}
        logits = np.asarray(self._session.run(None, feed)[0], dtype=np.float64)
        return [float(row) for row in logits.reshape(len(texts), -1)[:, -1]]


class ServedReranker:
    """`vta.ports.Reranker` over `POST /rerank` as Cohere, Jina, vLLM, Xinference and TEI have it.

    Threads may share it. Every failure is an `UpstreamFailed` without the server's words.
    """

    def __init__(
        self, *, url: str, api_key: str = "", model: str | None = None, timeout_s: float = 5.0
    ) -> None:
        self._url = url
        self._named = {"model": model} if model else {}
        self._field = "documents"
        key = {"authorization": f"Bearer {api_key}"} if api_key else {}
        self._client = httpx2.Client(
            timeout=timeout_s,
            follow_redirects=False,
            headers={**UNPACKED, **key},
            event_hooks={"response": [ReplyBound().bound]},
        )

    def close(self) -> None:
        self._client.close()

    def scores(self, question: str, texts: Sequence[str]) -> Sequence[float]:
        if not texts:
            return ()
        shown = [text[:LONGEST_TEXT] for text in texts]
        try:
            reply = self._ask(question, shown)
            if reply.status_code in _REFUSED and self._field == "documents":
                self._field = "texts"  # TEI's name for it
                reply = self._ask(question, shown)
            reply.raise_for_status()
            return _read_scores(reply.json(), len(texts))
        except httpx2.TimeoutException:
            failure = Fault("model.timed_out", server=_SERVER)
        except httpx2.HTTPStatusError as error:
            logger.warning("the reranker: HTTP status %s", error.response.status_code)
            failure = Fault("model.not_accepted", server=_SERVER)
        except (httpx2.HTTPError, httpx2.InvalidURL, OSError):
            failure = Fault("model.unreachable", server=_SERVER)
        except (ValueError, TypeError, LookupError, RecursionError):
            failure = Fault("model.garbage", server=_SERVER)
        raise UpstreamFailed(failure)

    def _ask(self, question: str, texts: Sequence[str]) -> httpx2.Response:
        body = {"query": question, self._field: texts, "top_n": len(texts), **self._named}
        return self._client.post(self._url, json=body)


def _read_scores(reply: Any, wanted: int) -> Sequence[float]:
    """The scores in the order of the texts. `ValueError` and its like where the reply is none."""
    results = reply["results"] if isinstance(reply, Mapping) else reply
    scores = {int(each["index"]): _score(each) for each in results}
    if sorted(scores) != list(range(wanted)) or not all(map(math.isfinite, scores.values())):
        raise ValueError("not one score a text")
    return [scores[n] for n in range(wanted)]


def _score(result: Mapping[str, Any]) -> float:
    return float(result["relevance_score"] if "relevance_score" in result else result["score"])
