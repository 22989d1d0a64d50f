"""The learned probability that a pair answers a question.

    p(z, q) = 1 / (1 + exp(-(b + w · x(z, q))))

x are the few numbers of `read_features`. w orders the candidates of one question as a conditional logit does
(McFadden 1974) whose last alternative is "none of them"; b and the scale of w are calibrated after Platt
(1999). `python -m benchmarks relevance --write` learns them, one set for platforms with
vectors and one for words alone.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Container, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from types import MappingProxyType

from knowledge.bm25 import idf
from vta.kinds import asks_alike
from vta.languages import Language
from vta.text import detect_language
from vta.types.pairs import CollectionStatistics, QAPair, SearchQuery, Source

WEIGHTS = "relevance.toml"
"""Two tables: `vectors`, and `words` for candidates that have no similarity."""

_LEAST_SCORE = 0.02
_VOTES = 3
_BEGINNING = 200
"""Characters of a pair that tell its language."""

_ALIKE = 0.5
"""The weight of a word if a passage has only a synonym of it."""

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
    words: Container[str], asked: Rarities, alike: Mapping[str, Sequence[str]] = MappingProxyType({})
) -> float:
    """The coverage by a passage with these words, in 0..1; 0 where nothing is asked.

    A word with another in the passage that means the same (`alike`) counts in part.

    coverage(z, q) = sum of w(t), t in q and z  /  sum of w(t), t in q
    """
    whole = sum(asked.values())
    held = sum(
        weight if word in words else weight * _ALIKE * any(map(words.__contains__, alike.get(word, ())))
        for word, weight in asked.items()
    )
    return held / whole if whole > 0 else 0.0


def neighbours(query: SearchQuery) -> tuple[str, ...]:
    """Each two content words that follow each other, as `PairWords.running` writes them."""
    return tuple(f" {one} {other} " for (one, _), (other, _) in pairwise(query.words))


def share_adjacent(running: str, asked: Sequence[str]) -> float:
    """The share of these neighbours that a passage holds as such, in 0..1; 0 where there are none."""
    return sum(each in running for each in asked) / len(asked) if asked else 0.0


def read_features(
    question: str,
    pair: QAPair,
    *,
    score: float,
    coverage: float,
    adjacent: float,
    similarity: float = 0.0,
    document: float = 0.0,
) -> dict[str, float]:
    """The features by which a candidate is judged.

    `score` becomes log(S + 0.02), `coverage` is the share of the question's content that the pair holds,
    `adjacent` that of its neighbouring words. `similarity` is the cosine of their embeddings and `document`
    how near its document is (`documents`), both 0 where there are no vectors. The others are 0 or 1: whether
    the pair answers another kind of question, and whether it is in another language.
    """
    return {
        "score": math.log(score + _LEAST_SCORE),
        "coverage": coverage,
        "adjacent": adjacent,
        "similarity": similarity,
        "document": document,
        "unlike": float(not asks_alike(question, _wordings(pair))),
        "foreign": float(_language_of(pair) is not _language(question)),
    }


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


def _wordings(pair: QAPair) -> tuple[str, ...]:
    """The questions that a pair answers; a passage has none, and so may answer any kind."""
    match pair.source:
        case Source.FAQ:
            return pair.wordings
        case Source.CONCEPT:
            return (f"what is {pair.question}",)
        case _:
            return ("",)


def _language_of(pair: QAPair) -> Language:
    """Its heading's where that is Chinese, as over code; else that of the heading and the beginning."""
    titled = _language(pair.question)
    return titled if titled is Language.ZH else _language(pair.question + pair.answer[:_BEGINNING])


@lru_cache(maxsize=8_192)
def _language(text: str) -> Language:
    return detect_language(text, Language.EN)
