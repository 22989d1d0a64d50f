"""ROUGE-1, ROUGE-2 and ROUGE-L F1 over tokens (Lin 2004)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Rouge:
    """The three F1 values of one text, each in 0..1."""

    rouge_1: float
    rouge_2: float
    rouge_l: float


NOTHING = Rouge(rouge_1=0.0, rouge_2=0.0, rouge_l=0.0)
"""What a question without any answer scores."""


def rouge(candidate: Sequence[str], reference: Sequence[str]) -> Rouge:
    """F1 of the common unigrams, bigrams and the longest common subsequence."""
    return Rouge(
        rouge_1=_ngram_f1(1, candidate, reference),
        rouge_2=_ngram_f1(2, candidate, reference),
        rouge_l=_f1(_longest_common(candidate, reference), len(candidate), len(reference)),
    )


def _ngram_f1(n: int, candidate: Sequence[str], reference: Sequence[str]) -> float:
    one, other = _ngrams(n, candidate), _ngrams(n, reference)
    return _f1((one & other).total(), one.total(), other.total())


def _ngrams(n: int, tokens: Sequence[str]) -> Counter[tuple[str, ...]]:
    return Counter(tuple(tokens[i : i + n]) for i in range(len(tokens) - n + 1))


def _f1(common: int, candidate: int, reference: int) -> float:
    return 2 * common / (candidate + reference) if common else 0.0


def _longest_common(one: Sequence[str], other: Sequence[str]) -> int:
    row = [0] * (len(other) + 1)
    for token in one:
        before = row
        row = [0]
        for column, each in enumerate(other):
            row.append(before[column] + 1 if token == each else max(before[column + 1], row[column]))
    return row[-1]
