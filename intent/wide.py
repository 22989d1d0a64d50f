"""The wide half of the classifier: n-grams and words, with the six labels and the task as outputs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from intent.encoding import TurnText
from intent.ngrams import NgramBranch
from intent.words import WordBranch
from vta.scoring import logistics
from vta.types.questions import IntentLabel

LABELS: tuple[IntentLabel, ...] = tuple(IntentLabel)
"""The order of the model's outputs."""

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class WideLayer:
    """One output a label and, after them, the logit that a text asks for a task which is not the course's.

    Layers without words, or without that last output, are read too.
    """

    ngrams: NgramBranch
    words: WordBranch | None = None

    def outputs(self, turns: Sequence[TurnText]) -> Floats:
        """Turns x outputs."""
        grams = self.ngrams.logits(turns)
        return grams if self.words is None else grams + self.words.logits(turns)


def other_task(outputs: Floats) -> Floats:
    """The probability, a turn each, that it asks for another task than the course's; 0 where none tells."""
    if outputs.shape[1] <= len(LABELS):
        return np.zeros(len(outputs))
    return logistics(outputs[:, len(LABELS)])
