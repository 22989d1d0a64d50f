"""The stored form of a pair for both engines: its JSON, and its tokens, so that both score the same terms.

A pair has four fields: words and grams of its question side and of its answer. A field without tokens holds
`EMPTY`, which no query has: Lucene counts only the documents that have a field at all, tantivy counts all,
and with no field ever missing both have the same number of documents and the same average length.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from pydantic import TypeAdapter

from vta.text import Analyser
from vta.types.courses import CourseId
from vta.types.pairs import QAPair, SearchQuery, Source, SourceWeight

K1, B = 1.2, 0.75
WORD_WEIGHT = 1.0
GRAM_WEIGHT = 0.75
"""Grams repeat much of what the words say already, so they count less."""
ALIKE_BOOST = 0.3
"""Of another word that means the same as one of the query; 0.6 finds no more."""

FIELDS = ("question_words", "question_grams", "answer_words", "answer_grams")
EMPTY = "-"
FORMAT = 9
"""Raise it whenever the stored form of a pair changes: an index of another format is rebuilt."""

_LONGEST = 120
_PAIR = TypeAdapter(QAPair)


def pair_to_json(pair: QAPair) -> str:
    """The pair by the names of its fields; what is a default is left out."""
    return _PAIR.dump_json(pair, exclude_defaults=True).decode()


@lru_cache(maxsize=8_192)  # many questions find the same pairs
def pair_from_json(text: str | bytes) -> QAPair:
    """The pair; `ValueError` for a text that is none."""
    return _PAIR.validate_json(text)


def token_fields(pair: QAPair, analyser: Analyser) -> dict[str, list[str]]:
    """The tokens of each of `FIELDS`, none of them empty; runs too long to be a word are left out.

    Of the question side only the content is kept, as of the questions that are asked of it: "what is a stack"
    is as long as "stack", and neither is ranked above the other.
    """
    words, grams = _question_tokens("\n".join(pair.wordings), analyser)
    answer_words, answer_grams = analyser.words_and_grams(pair.answer)
    return {
        "question_words": words,
        "question_grams": grams,
        "answer_words": _kept(answer_words),
        "answer_grams": answer_grams or [EMPTY],
    }


@lru_cache(maxsize=64)  # the passages under one heading have one question
def _question_tokens(question: str, analyser: Analyser) -> tuple[list[str], list[str]]:
    return _kept(analyser.content_words(question)), analyser.content_grams(question) or [EMPTY]


def _kept(tokens: list[str]) -> list[str]:
    if max(map(len, tokens), default=0) > _LONGEST:
        tokens = [token for token in tokens if len(token) <= _LONGEST]
    return tokens or [EMPTY]


def group(source: Source, course_id: CourseId) -> str:
    """The one term that selects the pairs of a source in a course."""
    return f"{source}:{course_id}"


def query_terms(query: SearchQuery) -> Iterator[tuple[str, str]]:
    """Every (field, token) that may be looked up for a query."""
    for side in ("question", "answer"):
        for token, _ in (*query.words, *_others(query)):
            yield f"{side}_words", token
        for token, _ in query.grams:
            yield f"{side}_grams", token


def boosted_terms(query: SearchQuery, weight: SourceWeight) -> Iterator[tuple[str, str, float]]:
    """Field, token and boost of everything that is looked up in the pairs of one `SourceWeight`."""
    words = (*query.words, *_others(query))
    for side, boost in (("question", weight.question), ("answer", weight.answer)):
        for kind, tokens, share in (("words", words, WORD_WEIGHT), ("grams", query.grams, GRAM_WEIGHT)):
            for token, token_boost in tokens if boost > 0 else ():
                yield f"{side}_{kind}", token, boost * share * token_boost


def _others(query: SearchQuery) -> Iterator[tuple[str, float]]:
    """The words that mean the same as some of the query, with their boosts; a phrase shares out one."""
    asked = {word for word, _ in query.words}
    phrases = [phrase.split() for others in query.alike.values() for phrase in others]
    boosts = {word: ALIKE_BOOST / len(phrase) for phrase in phrases for word in phrase if word not in asked}
    yield from boosts.items()
