"""Whether a student seems in danger: a logistic regression on character n-grams and a sentence vector."""

from __future__ import annotations

import io
import re
from dataclasses import dataclass
from importlib.resources import files
from importlib.resources.abc import Traversable

import numpy as np
from numpy.typing import NDArray

from intent.guard.spelling import unmask
from intent.ngrams import NgramBranch, hash_plain
from vta.errors import NotReady
from vta.faults import Fault
from vta.ports import Embedder

_EXPLICIT = re.compile(
    r"\b(?:kill(?:ing)? my ?self|end(?:ing)? my (?:own )?life|suicid\w*|(?:want|wanna|going) (?:to )?die|"
    r"hurt(?:ing)? my ?self|self.?harm\w*|not (?:want to )?be (?:alive|here anymore))\b|"
    r"自杀|自尽|轻生|自残|想死|不想活|活不下去|结束(?:我的|自己的)?生命"
)
"""Words that name death or harm to oneself: a likely cry with one of them counts, whatever else is asked."""
CERTAIN = 1.4
"""The logit above which all of a reply is about help; `benchmarks distress` counts who has it."""
NGRAMS, VECTOR = "ngrams.npz", "vector.npy"
_SENTENCE = re.compile(r"[^.?!;。？！；…\n]*[^\W\d_][^.?!;。？！；…\n]*")


@dataclass(frozen=True, slots=True, kw_only=True)
class DistressModel:
    """The signal. The logit is that of the n-grams plus `direction` times the text's vector.

    The threshold is part of the bias: a logit above 0 is distress. `direction` goes with the vectors of the
    `embedder`. Nothing changes, so threads may share it.
    """

    ngrams: NgramBranch
    direction: NDArray[np.float32]
    embedder: Embedder

    @classmethod
    def load(cls, embedder: Embedder, folder: Traversable | None = None) -> DistressModel:
        """The shipped model, or that of a folder. `NotReady` where it is not there or damaged."""
        folder = folder or files("intent.distress") / "weights"
        try:
            ngrams = NgramBranch.from_bytes((folder / NGRAMS).read_bytes())
            direction = np.load(io.BytesIO((folder / VECTOR).read_bytes()), allow_pickle=False)
        except (OSError, ValueError, EOFError) as error:
            raise NotReady(Fault("intent.distress_unreadable", reason=str(error))) from error
        return cls(ngrams=ngrams, direction=direction, embedder=embedder)

    def in_distress(self, text: str) -> bool:
        """Whether the text is likelier to be distress than not."""
        return self.danger(text) > 0

    def danger(self, text: str) -> float:
        """The logit of the whole text or of its worst sentence: a long question hides no word of danger."""
        return max(map(self.logit, read(text)), default=-np.inf)

    def logit(self, plain: str) -> float:
        """Of one text as `read` gives it."""
        vector = self.embedder.embed([plain])[0]
        return float(self.ngrams.read(*hash_plain(plain))[0] + vector @ self.direction)


def is_certain(text: str, danger: float) -> bool:
    """Whether a text of this `danger` is surely distress, or is likely that and says so in plain words."""
    return danger > CERTAIN or (danger > 0 and _EXPLICIT.search(unmask(text)) is not None)


def read(text: str) -> list[str]:
    """The text and each of its sentences in the form that is compared; none where it has no letters."""
    plain = unmask(text)
    sentences = [found.strip() for found in _SENTENCE.findall(plain)]
    return list(dict.fromkeys([plain, *sentences])) if sentences else []
