"""Rows of an embedding: what is embedded of a pair, the rows of many pairs, and the nearest of them."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from vta.errors import NotReady, UpstreamFailed
from vta.faults import Fault
from vta.ports import Embedder
from vta.prefetch import prefetch
from vta.types.courses import PairId
from vta.types.pairs import QAPair, Source, SourceWeight

logger = logging.getLogger(__name__)

Vector = NDArray[np.float32]
"""One row of length d."""

Vectors = NDArray[np.float32]
"""n x d, every row of unit length."""

_BATCH = 64


def embedded_text(pair: QAPair) -> str:
    """The sides of a pair that S looks at: of a FAQ the questions, of a passage its headings and text.

    A concept is embedded with its explanation: its name alone says too little.
    """
    if pair.source is Source.FAQ:
        return "\n".join(pair.wordings).strip()
    return f"{pair.question}\n{pair.answer}".strip()


def unit_rows(rows: NDArray[np.floating]) -> Vectors:
    """The rows with length 1. `ValueError` where one has no direction: all zero, or not finite."""
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    if not np.all(np.isfinite(lengths)) or np.any(lengths == 0):
        raise ValueError("an embedding has no direction")
    return np.ascontiguousarray(rows / lengths, dtype=np.float32)


class EmbeddedPairs:
    """One pass over pairs, each with its vector, or None where it has no text.

    A failing embedder does not fail the pass: the text index must not wait for it. `failure` then says why,
    and the pairs from there on come without a vector.
    """

    def __init__(self, pairs: Iterable[QAPair], embedder: Embedder) -> None:
        self._pairs = iter(pairs)
        self._embedder = embedder
        self._dimensions: int | None = None
        self.failure: str | None = None

    def __iter__(self) -> Iterator[tuple[QAPair, Vector | None]]:
        """One batch is embedded while the one before is used."""
        batches = iter(lambda: list(islice(self._pairs, _BATCH)), [])
        for embedded in prefetch(self._embed, batches, threads=1):
            yield from embedded.result()

    def _embed(self, batch: list[QAPair]) -> Iterator[tuple[QAPair, Vector | None]]:
        return zip(batch, self._rows(batch), strict=True)

    def _rows(self, batch: list[QAPair]) -> list[Vector | None]:
        texts = [embedded_text(pair) for pair in batch]
        rows: list[Vector | None] = [None] * len(batch)
        if self.failure is not None:
            return rows
        try:
            made = iter(self._embedder.embed([text for text in texts if text]))
        except UpstreamFailed as failure:
            return self._give_up(failure.message, rows)
        for place, text in enumerate(texts):
            if text:
                rows[place] = row = next(made)
                self._dimensions = self._dimensions or len(row)
                if len(row) != self._dimensions:
                    return self._give_up("the embedding model changed its dimension", [None] * len(batch))
        return rows

    def _give_up(self, reason: str, rows: list[Vector | None]) -> list[Vector | None]:
        logger.warning("the index is built without vectors: %s", reason)
        self.failure = reason
        return rows


class VectorIndex(Protocol):
    """Finds the nearest pairs of the live generation."""

    def nearest(self, vector: Vector, weights: Sequence[SourceWeight], top: int) -> dict[PairId, float]:
        """The top pairs by cosine, -1..1, among all that a weight above 0 selects; best first, ties by id.

        The weight selects and does not enter the cosine. `NotReady` where the live generation has no vectors
        or those of another model, and says how to make them.
        """
        ...


def check_model(kept: str | None, wanted: str, *, failure: str | None = None) -> None:
    """`NotReady` unless the generation's vectors are whole and of the wanted model."""
    if failure:
        raise NotReady(Fault("index.no_vectors_since", failure=failure))
    if kept is None:
        raise NotReady(Fault("index.no_vectors"))
    if kept != wanted:
        raise NotReady(Fault("index.other_model", kept=kept, wanted=wanted))


def check_dimensions(kept: int, wanted: int) -> None:
    """`NotReady` where a question's vector has another length than the index's."""
    if kept != wanted:
        raise NotReady(Fault("index.other_dimensions", kept=kept, wanted=wanted))
