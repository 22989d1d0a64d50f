"""Where a talk turns to another topic, found by its words alone."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from vta.text import HAN, bigrams, normalise

_PRICE = 2.0
"""Of a passage, in mean |v| of a sentence."""
MOST_SENTENCES = 60
"""Of a passage; speech of a word a sentence would take long to part."""
_HAN_CHARACTER = re.compile(f"[{HAN}]")
_WORD_OR_RUN = re.compile(rf"[^\W_{HAN}]+|[{HAN}]+")


def spoken_length(text: str) -> int:
    """How long a text takes to say, in letters: a Chinese character takes as long as three."""
    return len(text) + 2 * len(_HAN_CHARACTER.findall(text))


def part_topics(sentences: Sequence[str], *, longest: int) -> list[range]:
    """The sentences as passages that hold together by their words, in order, none left out.

    The best parting has the highest sum of |v|, where v sums the words of a passage, each weighted by its
    rarity among the sentences, less a price for each passage, which is paid twice for one shorter than half
    of `longest` letters. Only a sentence that is longer by itself makes a longer passage. (Alemi and Ginsparg
    2015, "Text Segmentation based on Semantic Word Embeddings", with words in place of embeddings.)
    """
    weights = _weights(sentences)
    lengths = [spoken_length(sentence) + 1 for sentence in sentences]
    price = _PRICE * sum(next(_cohesion([each])) for each in weights) / max(len(weights), 1)
    best = [0.0, *[math.inf] * len(sentences)]
    begins = [0] * (len(sentences) + 1)
    for start in range(len(sentences)):
        size = -1
        for stop, holds in enumerate(_cohesion(weights[start : start + MOST_SENTENCES]), start=start + 1):
            size += lengths[stop - 1]
            if size > longest and stop > start + 1:
                break
            cost = best[start] + price * (1 + (2 * size < longest)) - holds
            if cost < best[stop]:
                best[stop], begins[stop] = cost, start
    stops = [len(sentences)]
    while stops[-1]:
        stops.append(begins[stops[-1]])
    return [range(start, stop) for start, stop in pairwise(reversed(stops))]


def _weights(sentences: Sequence[str]) -> list[dict[str, float]]:
    """tf * idf of the words of each sentence; a word of Chinese is a pair of neighbouring characters."""
    counts = [Counter(_words(normalise(sentence))) for sentence in sentences]
    frequencies = Counter(word for count in counts for word in count)
    rarities = {word: math.log(len(counts) / frequency) for word, frequency in frequencies.items()}
    return [{word: n * rarities[word] for word, n in count.items()} for count in counts]


def _words(text: str) -> Iterator[str]:
    for run in _WORD_OR_RUN.findall(text):
        if _HAN_CHARACTER.match(run):
            yield from bigrams(run)
        else:
            yield run


def _cohesion(weights: Sequence[Mapping[str, float]]) -> Iterator[float]:
    """|v| of the first sentence, of the first two, and so on."""
    total: dict[str, float] = {}
    square = 0.0
    for sentence in weights:
        for word, weight in sentence.items():
            before = total.get(word, 0.0)
            total[word] = before + weight
            square += weight * (2 * before + weight)
        yield math.sqrt(square)
