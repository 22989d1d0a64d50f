"""The learned probability that a pair answers a question.

    p(z, q) = 1 / (1 + exp(-(b + w · x(z, q))))

x are the few signs of `Signs`. w orders the candidates of one question as a conditional logit does (McFadden
1974) whose last alternative is "none of them"; b and the scale of w are calibrated after Platt (1999).
`benchmarks/relevance.py --fit` learns them, one set for platforms with vectors and one for words alone.
"""

from __future__ import annotations

import importlib.resources
import math
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cache, lru_cache

from vta.kinds import asks_alike
from vta.languages import Language
from vta.text import detect_language
from vta.types import QAPair, Source

WEIGHTS = "relevance.toml"
_LEAST_SCORE = 0.02
_BEGINNING = 200
"""Characters of a pair that tell its language."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Signs:
    """What speaks for and against a candidate.

    `score` is log(S + 0.02), `coverage` the share of the question's content that the pair holds. `similarity`
    is the cosine of their embeddings, 0 where there are no vectors. The others are 0 or 1: whether the pair
    answers another kind of question, and whether it is in another language.
    """

    score: float
    coverage: float
    similarity: float
    unlike: float
    foreign: float


@dataclass(frozen=True, slots=True)
class Weights:
    """b, and w by the names of `Signs`."""

    bias: float
    signs: Mapping[str, float]

    def probability(self, signs: Signs) -> float:
        """p(z, q), in 0..1."""
        logit = self.bias + sum(weight * getattr(signs, name) for name, weight in self.signs.items())
        return 1 / (1 + math.exp(-max(min(logit, 50.0), -50.0)))


def read_signs(
    question: str, pair: QAPair, *, score: float, coverage: float, similarity: float | None
) -> Signs:
    """The signs of a pair with this S, coverage and cosine."""
    return Signs(
        score=math.log(score + _LEAST_SCORE),
        coverage=coverage,
        similarity=0.0 if similarity is None else similarity,
        unlike=float(not asks_alike(question, _wordings(pair))),
        foreign=float(_language(pair.question + pair.answer[:_BEGINNING]) is not _language(question)),
    )


@cache
def shipped_weights(*, vectors: bool) -> Weights:
    """Those that come with the program, for candidates with or without a similarity."""
    text = importlib.resources.files("knowledge").joinpath(WEIGHTS).read_text(encoding="utf-8")
    table = tomllib.loads(text)["vectors" if vectors else "words"]
    names = {field.name for field in fields(Signs)}
    return Weights(table["bias"], {name: table[name] for name in table.keys() & names})


def _wordings(pair: QAPair) -> tuple[str, ...]:
    """The questions that a pair answers; a passage has none, and so may answer any kind."""
    match pair.source:
        case Source.FAQ:
            return (pair.question, *pair.similar_questions)
        case Source.CONCEPT:
            return (f"what is {pair.question}",)
        case _:
            return ("",)


@lru_cache(maxsize=4_096)
def _language(text: str) -> Language:
    return detect_language(text, Language.EN)
