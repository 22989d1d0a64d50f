"""The encoder that comes with the program: a table of token vectors, Chinese and English in one space.

A text is the sum of its tokens' vectors, made unit length; the length of a token's vector is its weight, and
one that occurs n times counts n ** 0.85 times, so that a repeated word does not drown the others.
`benchmarks/encoder_training.py` makes the file, `encoder/MODEL_CARD.md` tells of it.
"""

from __future__ import annotations

import hashlib
import importlib.resources
import io
from collections.abc import Sequence
from functools import cache, cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray
from tokenizers import Regex, Tokenizer, models, pre_tokenizers

from knowledge.vectors.rows import Vectors, unit_rows
from vta.text import normalise

FILE = "encoder/tokens.npz"
_BATCH = 64
_QUESTIONS = 64
"""Texts cached with their vector: one turn asks for that of its question many times."""
_CHARACTERS = 4_000
REPEATS = 0.85
"""Power of the count of a token in a text (sublinear term frequency)."""
_NO_WORD = r"[^\p{L}\p{N}]+"
_NO_TOKENS = " ?!.,;:？！。，；："
"""Characters that make no token at either end of a text."""


class TokenTable:
    """`vta.ports.Embedder`: no network, no server, about 0.2 ms a question.

    Threads may share it.
    """

    def __init__(self, content: bytes) -> None:
        """From the content of an npz file.

        `table[n] * scales[n]` is the vector of token n, `scores[n]` its log probability; token 0 is that of
        unknown text.
        """
        with np.load(io.BytesIO(content)) as file:
            self._tokens: Sequence[str] = file["tokens"].tobytes().decode("utf-8").split("\n")
            self._table: NDArray[np.int8] = file["table"]
            self._scales: NDArray[np.float32] = file["scales"].astype(np.float32)[:, None]
            self._scores: NDArray[np.float32] = file["scores"].astype(np.float32)
        self.name = f"token-table {hashlib.sha256(content).hexdigest()[:16]}"
        self._question = lru_cache(_QUESTIONS)(lambda text: self._sums([text]))

    @cached_property
    def _tokenizer(self) -> Tokenizer:
        """Made with the first text (0.2 s)."""
        return make_tokenizer(self._tokens, self._scores.tolist())

    def embed(self, texts: Sequence[str]) -> Vectors:
        if len(texts) == 1:
            return self._question(normalise(texts[0][:_CHARACTERS]).strip(_NO_TOKENS)).copy()
        batches = [texts[start : start + _BATCH] for start in range(0, len(texts), _BATCH)]
        rows = [self._sums(batch) for batch in batches]
        return np.concatenate(rows) if rows else np.zeros((0, self._table.shape[1]), dtype=np.float32)

    def commonness(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """The log probability of each text's words in language at large, by the tokens' own."""
        encodings = self._tokenizer.encode_batch_fast([normalise(text[:_CHARACTERS]) for text in texts])
        return np.array([self._scores[each.ids or [0]].sum() for each in encodings], dtype=np.float32)

    def _sums(self, texts: Sequence[str]) -> Vectors:
        encodings = self._tokenizer.encode_batch_fast([normalise(text[:_CHARACTERS]) for text in texts])
        return unit_rows(np.array([self._sum(each.ids or [0]) for each in encodings]))

    def _sum(self, tokens: Sequence[int]) -> NDArray[np.float64]:
        ids, counts = np.unique(tokens, return_counts=True)
        weights = self._scales[ids] * counts[:, None] ** np.float32(REPEATS)
        total: NDArray[np.float64] = np.sum(self._table[ids] * weights, axis=0)
        return total


def make_tokenizer(tokens: Sequence[str], scores: Sequence[float]) -> Tokenizer:
    """The most probable cut of each run of letters and digits (unigram model, Kudo 2018)."""
    tokenizer = Tokenizer(models.Unigram(list(zip(tokens, scores, strict=True)), unk_id=0))
    tokenizer.pre_tokenizer = pre_tokenizers.Split(Regex(_NO_WORD), "removed")
    return tokenizer


@cache
def shipped_encoder() -> TokenTable:
    """The one of the package, read once a process."""
    return TokenTable(importlib.resources.files("knowledge").joinpath("vectors", FILE).read_bytes())
