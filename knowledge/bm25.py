"""BM25 outside the index: of a perfect match, and of pairs that are not indexed.

Under the same statistics the score equals that of the index.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from functools import lru_cache

from knowledge.index.tokens import GRAM_WEIGHT, K1, WORD_WEIGHT, B, boosted_terms, group, token_fields
from vta.languages import Language
from vta.text import Analyser, detect_language
from vta.types.pairs import Candidate, CollectionStatistics, QAPair, SearchQuery, Source, SourceWeight

_BEGINNING = 200
"""Characters of an answer that tell the language of a pair."""


@dataclass(frozen=True, slots=True)
class PairTerms:
    """Counts of each token in each field of a pair, and the lengths of the fields in tokens."""

    counts: Mapping[str, Counter[str]]
    lengths: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class PairWords:
    """All words of a pair, one after the other, a space around each.

    `heading` are the words of the last heading of a passage, of an explanation those of the name; empty for
    any other pair. `language` is that of the heading where it is Chinese, as over code; else that of the
    heading and the beginning.
    """

    running: str
    heading: Set[str]
    language: Language

    def __contains__(self, word: object) -> bool:
        return f" {word} " in self.running


@lru_cache(maxsize=2_048)  # a replay scores the same pairs for every question; some 20 kB each
def read_terms(analyser: Analyser, pair: QAPair) -> PairTerms:
    """The tokens that count in BM25."""
    tokens = token_fields(pair, analyser)
    return PairTerms(
        counts={field: Counter(each) for field, each in tokens.items()},
        lengths={field: len(each) for field, each in tokens.items()},
    )


@lru_cache(maxsize=16_384)  # many questions find the same pairs; some 3 kB each
def read_words(analyser: Analyser, pair: QAPair) -> PairWords:
    """All words of a pair."""
    words = analyser.words("\n".join((*pair.wordings, pair.answer)))
    heading = (pair.locator.heading_path or (pair.question,))[-1]
    heading = {Source.MATERIAL: heading, Source.CONCEPT: pair.question}.get(pair.source, "")
    titled = detect_language(pair.question, Language.EN)
    beginning = pair.question + pair.answer[:_BEGINNING]
    return PairWords(
        running=f" {' '.join(words)} ",
        heading=frozenset(analyser.words(heading)),
        language=titled if titled is Language.ZH else detect_language(beginning, Language.EN),
    )


def perfect_bm25(query: SearchQuery, statistics: CollectionStatistics) -> float:
    """The BM25 of a question side of average length that holds every term of the query once.

    At average length a single occurrence counts (k1 + 1) / (1 + k1) = 1 times its idf.
    """

    def total(field: str, terms: tuple[tuple[str, float], ...]) -> float:
        frequencies, documents = statistics.frequencies, statistics.documents
        return sum(boost * idf(frequencies[field, token], documents) for token, boost in terms)

    words = total("question_words", query.words)
    return WORD_WEIGHT * words + GRAM_WEIGHT * total("question_grams", query.grams)


def score_pairs(
    pairs: Sequence[QAPair],
    query: SearchQuery,
    weights: Sequence[SourceWeight],
    statistics: CollectionStatistics,
    analyser: Analyser,
) -> tuple[Candidate, ...]:
    """S = weight * BM25 of every pair that a weight selects and that holds a term; best first, ties by id."""
    chosen = {group(w.source, w.course_id): w for w in weights if w.weight > 0}
    found = []
    for pair in pairs:
        weight = chosen.get(group(pair.source, pair.course_id))
        bm25 = _bm25(read_terms(analyser, pair), query, weight, statistics) if weight else 0.0
        if weight and bm25 > 0:
            score = weight.weight * bm25
            found.append(Candidate(pair=pair, bm25=bm25, weight=weight.weight, score=score))
    return tuple(sorted(found, key=lambda c: (-c.score, c.pair.id)))


def recount(
    statistics: CollectionStatistics,
    analyser: Analyser,
    *,
    joining: Sequence[QAPair] = (),
    leaving: Sequence[QAPair] = (),
) -> CollectionStatistics:
    """The statistics of an index to which some pairs were added, and from which others are gone for good."""
    for pair, change in (*((pair, 1) for pair in joining), *((pair, -1) for pair in leaving)):
        terms, documents = read_terms(analyser, pair), statistics.documents
        after = max(documents + change, 0)
        lengths = {
            field: (average * documents + change * terms.lengths[field]) / max(after, 1)
            for field, average in statistics.average_lengths.items()
        }
        frequencies = {
            (field, token): max(n + change * (token in terms.counts[field]), 0)
            for (field, token), n in statistics.frequencies.items()
        }
        statistics = CollectionStatistics(documents=after, average_lengths=lengths, frequencies=frequencies)
    return statistics


def _bm25(
    terms: PairTerms,
    query: SearchQuery,
    weight: SourceWeight,
    statistics: CollectionStatistics,
) -> float:
    norms = {
        field: K1 * (1 - B + B * kept_length(length) / max(statistics.average_lengths[field], 1.0))
        for field, length in terms.lengths.items()
    }
    total = 0.0
    for field, token, boost in boosted_terms(query, weight):
        if count := terms.counts[field][token]:
            rarity = idf(statistics.frequencies[field, token], statistics.documents)
            total += boost * rarity * count * (K1 + 1) / (count + norms[field])
    return total


def kept_length(length: int) -> int:
    """A length in tokens as the engines store it in one byte: exact to 40, then four significant bits."""
    rest = length - 24
    shift = max(rest.bit_length() - 4, 0) if rest >= 16 else 0
    return 24 + (rest >> shift << shift)


def idf(document_frequency: int, documents: int) -> float:
    """ln(1 + (N - n + 0.5) / (n + 0.5)), the inverse document frequency of BM25 as Lucene has it."""
    return math.log(1 + (documents - document_frequency + 0.5) / (document_frequency + 0.5))
