"""The wide half of the classifier: character n-grams read by one linear layer.

"Wide & Deep" (Cheng et al. 2016, arXiv 1606.07792): the linear layer remembers wordings, the ALBERT beside it
generalises, and their logits are averaged. In service it needs numpy alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from intent.encoding import TurnText
from vta.scoring import unpack
from vta.text import normalise

_LONGEST_QUESTION, _LONGEST_PREVIOUS = 4, 2
_CHARACTERS = 1024
"""How much of the end of a text is read."""

_QUESTION, _PREVIOUS = 0x8EBC6AF09C88C6E3, 0x589965CC75374CC3
"""The seeds of the hashes of each text, further apart than any two characters."""

_STEP = np.uint64(0x9E3779B97F4A7C15)
_MIX = np.uint64(0xBF58476D1CE4E5B9)
_SHIFT = np.uint64(29)

Floats = NDArray[np.float64]
Keys = NDArray[np.uint64]


@dataclass(frozen=True, slots=True, kw_only=True)
class NgramBranch:
    """logits = x W + b, x_i = (1 + ln count_i) * idf_i scaled to length 1.

    `keys` (n) are the hashes of the n-grams that are known, ascending, `rarity` (n) their idf, `weights`
    (n x labels) is W, `bias` (labels) is b. Nothing changes, so threads may share it.
    """

    keys: Keys
    rarity: NDArray[np.float16]
    weights: NDArray[np.float16]
    bias: NDArray[np.float32]

    def logits(self, turns: Sequence[TurnText]) -> Floats:
        """Turns x labels."""
        return np.array([self.read(*hash_ngrams(turn)) for turn in turns]).reshape(len(turns), len(self.bias))

    @classmethod
    def from_bytes(cls, content: bytes) -> NgramBranch:
        """`ValueError` where the content is not such a file."""
        branch = unpack(cls, content)
        shapes = branch.keys.shape, branch.rarity.shape, branch.weights.shape
        wanted = branch.keys.shape[:1], branch.keys.shape[:1], (*branch.keys.shape[:1], *branch.bias.shape)
        if shapes != wanted or branch.keys.dtype != np.uint64 or not branch.keys.size:
            raise ValueError(f"arrays of unfit shapes {shapes}")
        return branch

    def read(self, keys: Keys, counts: NDArray[np.int64]) -> Floats:
        """The logits of a text by its n-grams and how often each occurs."""
        places = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        known = self.keys[places] == keys
        places = places[known]
        values = (1 + np.log(counts[known])) * self.rarity[places]
        length = float(np.sqrt(values @ values)) or 1.0
        return np.asarray((values / length) @ self.weights[places].astype(np.float64) + self.bias)


def hash_ngrams(turn: TurnText) -> tuple[Keys, NDArray[np.int64]]:
    """The distinct n-grams of a turn as 64-bit hashes, ascending, and how often each occurs.

    They have 1 to 4 characters of the question and, apart, 1 to 2 of the turn before, both normalised.
    """
    return _hash(normalise(turn.question[-_CHARACTERS:]), normalise(turn.previous[-_CHARACTERS:]))


def hash_plain(plain: str) -> tuple[Keys, NDArray[np.int64]]:
    """As `hash_ngrams`, of one text that is normalised and short enough already."""
    return _hash(plain, "")


@lru_cache(maxsize=64)  # the classifier, the guard and distress read the same question
def _hash(question: str, previous: str) -> tuple[Keys, NDArray[np.int64]]:
    parts = [np.zeros(0, dtype=np.uint64), *_hash_text(question, _QUESTION, _LONGEST_QUESTION)]
    parts += _hash_text(previous, _PREVIOUS, _LONGEST_PREVIOUS)
    keys, counts = np.unique(np.concatenate(parts), return_counts=True)
    return keys, counts


def _hash_text(plain: str, seed: int, longest: int) -> list[Keys]:
    """The hashes of the n-grams of each size up to `longest`."""
    codes = np.frombuffer(plain.encode("utf-32-le", "replace"), dtype=np.uint32).astype(np.uint64)
    grams = np.full(len(codes), seed, dtype=np.uint64)
    parts = []
    for size in range(1, min(longest, len(codes)) + 1):
        grams = (grams[: len(codes) - size + 1] + codes[size - 1 :]) * _STEP
        grams = (grams ^ (grams >> _SHIFT)) * _MIX
        parts.append(grams)
    return parts
