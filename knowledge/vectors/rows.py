"""Rows of an embedding: what is embedded of a pair, and unit length."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vta.types import QAPair, Source

Vector = NDArray[np.float32]
"""One row of length d."""

Vectors = NDArray[np.float32]
"""n x d, every row of unit length."""


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
