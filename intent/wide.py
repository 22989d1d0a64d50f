"""The wide half of the classifier: n-grams and words, with the six labels and the task as outputs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from intent.asking import concerns_course
from intent.encoding import TurnText
from intent.ngrams import NgramBranch
from intent.words import WordBranch
from vta.types.questions import IntentLabel

LABELS: tuple[IntentLabel, ...] = tuple(IntentLabel)
"""The order of the model's outputs."""

_CONCERN = 0.4
"""As far as 0.5 is from `OTHER_TASK`: words of the course are declined from 0.5 on only."""

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


def other_task(outputs: Floats, turns: Sequence[TurnText]) -> Floats:
    """The probability, a turn each, that it asks for another task than the course's; 0 where none tells.

    In logits it is lower by `_CONCERN` where words of the course speak against it.
    """
    if outputs.shape[1] <= len(LABELS):
        return np.zeros(len(outputs))
    concern = np.array([concerns_course(turn.question) for turn in turns], dtype=np.float64)
    return np.asarray(1 / (1 + np.exp(_CONCERN * concern - outputs[:, len(LABELS)])))
