"""Whole English words with smoothed weights: those that no utterance held count as their neighbours."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from intent.encoding import TurnText
from vta.scoring import unpack
from vta.text import normalise

_WORD = re.compile(r"'?[a-z]+")
_CHARACTERS = 1024
"""How much of the end of a text is read, as in `intent.ngrams`."""

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class WordBranch:
    """logits = the mean over the question's known words of their rows; 0 where it knows none.

    A row is a word vector of a sentence encoder times the weights of a linear layer on such vectors,
    multiplied out beforehand: no vector is needed in service. `keys` (n) are the hashes of the words,
    ascending; `weights` is n x outputs.
    """

    keys: NDArray[np.uint64]
    weights: NDArray[np.float16]

    def logits(self, turns: Sequence[TurnText]) -> Floats:
        """Turns x outputs."""
        found = np.zeros((len(turns), self.weights.shape[1]))
        for row, turn in enumerate(turns):
            hashes = np.array([hash_word(word) for word in cut_words(turn.question)], dtype=np.uint64)
            places = np.minimum(np.searchsorted(self.keys, hashes), len(self.keys) - 1)
            known = places[self.keys[places] == hashes]
            if known.size:
                found[row] = self.weights[known].mean(axis=0, dtype=np.float64)
        return found

    @classmethod
    def from_bytes(cls, content: bytes) -> WordBranch:
        """`ValueError` where the content is not such a file."""
        branch = unpack(cls, content)
        if branch.weights.shape[:1] != branch.keys.shape or branch.weights.ndim != 2 or not branch.keys.size:
            raise ValueError(f"arrays of unfit shapes {branch.keys.shape}, {branch.weights.shape}")
        return branch


def cut_words(text: str) -> list[str]:
    """The Latin words of a text in lower case; "don't" is two, "don" and "'t"."""
    return _WORD.findall(normalise(text[-_CHARACTERS:]))


def hash_word(word: str) -> int:
    """64 bits."""
    return int.from_bytes(blake2b(word.encode(), digest_size=8).digest(), "little")
