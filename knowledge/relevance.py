"""The learned probability that a pair answers a question.

    p(z, q) = 1 / (1 + exp(-(b + w · x(z, q))))

x are the few numbers of `Features`. w orders the candidates of one question as a conditional logit does
(McFadden 1974) whose last alternative is "none of them"; b and the scale of w are calibrated after Platt
(1999). `python -m benchmarks relevance --write` learns them, one set for platforms with
vectors and one for words alone.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import pairwise
from types import MappingProxyType
from typing import NamedTuple

from knowledge.bm25 import idf
from vta.types.pairs import CollectionStatistics, QAPair, SearchQuery, Source

WEIGHTS = "relevance.toml"
"""Two tables: `vectors`, and `words` for candidates that have no similarity."""

LEAST_SCORE = 0.02
"""What S is raised by before its logarithm is taken, so that 0 has one."""

_VOTES = 3
_ALIKE = 0.5
"""The weight of a word if a passage has only a synonym of it."""


class Features(NamedTuple):
    """The features by which a candidate is judged.

    `score` is log(S + 0.02), `coverage` the share of the question's content that the pair holds, `adjacent`
    that of its neighbouring words. `similarity` is the cosine of their embeddings and `document` how near its
    document is (`documents`), both 0 where there are no vectors. The others are 0 or 1: whether the pair
    answers another kind of question, and whether it is in another language.
    """

    score: float
    coverage: float
    adjacent: float
    similarity: float
    document: float
    unlike: float
    foreign: float


Rarities = Mapping[str, float]
"""w(t) of the content words of a question."""


def rarities(query: SearchQuery, statistics: CollectionStatistics) -> Rarities:
    """The weight of each content word: its idf, doubled for the words of NER(q) as in S."""
    found = statistics.frequencies
    return {
        word: boost
        * idf(max(found["question_words", word], found["answer_words", word]), statistics.documents)
        for word, boost in query.words
    }


def share_held(
    running: str, asked: Rarities, alike: Mapping[str, Sequence[str]] = MappingProxyType({})
) -> float:
    """The coverage by a passage with these words (`PairWords.running`), in 0..1; 0 where nothing is asked.

    A word with another in the passage that means the same (`alike`) counts in part.

    coverage(z, q) = sum of w(t), t in q and z  /  sum of w(t), t in q
    """
    whole = sum(asked.values())
    held = 0.0
    for word, weight in asked.items():
        if f" {word} " in running:
            held += weight
        elif word in alike and any(f" {other} " in running for other in alike[word]):
            held += weight * _ALIKE
    return held / whole if whole > 0 else 0.0


def neighbours(query: SearchQuery) -> tuple[str, ...]:
    """Each two content words that follow each other, as `PairWords.running` writes them."""
    return tuple(f" {one} {other} " for (one, _), (other, _) in pairwise(query.words))


def share_adjacent(running: str, asked: Sequence[str]) -> float:
    """The share of these neighbours that a passage holds as such, in 0..1; 0 where there are none."""
    return sum(map(running.__contains__, asked)) / len(asked) if asked else 0.0


def documents(pairs: Sequence[QAPair], similarities: Sequence[float]) -> list[float]:
    """For each pair how near its document is: the mean of the three highest cosines among its passages.

    Missing and negative ones count as 0. What is no passage of a document stands alone.
    """
    of = [pair.document if pair.source is Source.MATERIAL else None for pair in pairs]
    found: dict[str, list[float]] = defaultdict(list)
    for document, similarity in zip(of, similarities, strict=True):
        if document is not None:
            found[document].append(max(similarity, 0.0))
    means = {document: sum(sorted(each)[-_VOTES:]) / _VOTES for document, each in found.items()}
    return [
        max(similarity, 0.0) / _VOTES if document is None else means[document]
        for document, similarity in zip(of, similarities, strict=True)
    ]


def questions_of(pair: QAPair) -> tuple[str, ...]:
    """The questions that a pair answers; a passage has none, and so may answer any kind."""
    match pair.source:
        case Source.FAQ:
            return pair.wordings
        case Source.CONCEPT:
            return (f"what is {pair.question}",)
        case _:
            return ("",)
