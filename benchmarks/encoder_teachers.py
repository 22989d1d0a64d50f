"""Vocabulary of the sentence encoder, and what its teachers say of tokens and texts, in one space."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import jieba
import numpy as np
import rjieba
from numpy.typing import NDArray
from tokenizers import Tokenizer

from benchmarks.encoder_texts import HAN, TextPair
from vta.ports import Embedder
from vta.text import normalise

Floats = NDArray[np.float32]

DIMENSIONS = 192
CHINESE_WORDS, ENGLISH_TOKENS = 24_000, 33_000
_TEXT_WEIGHT = 20
"""Of a count in our texts beside one of jieba's dictionary."""
_SIF = 1e-3
_WORD = re.compile(r"[a-z]{2,}")


def vocabulary(pairs: Sequence[TextPair], english: Path) -> dict[str, float]:
    """Tokens and their relative frequencies, each language summing to 1.

    Chinese: the characters of GB 2312 and the most frequent words of jieba's dictionary; English: the word
    pieces of the teacher and the most frequent words of the texts.
    """
    texts = Counter[str]()
    for pair in pairs:
        for side in (pair.left, pair.right):
            if HAN.search(side):
                texts.update(word for word in rjieba.cut(side) if HAN.match(word))
            texts.update(_WORD.findall(side.lower()))
    counted = (_chinese_counts(texts), _english_counts(texts, english))
    totals = [(counts, sum(counts.values())) for counts in counted]
    return {word: n / total for counts, total in totals for word, n in counts.items()}


def _chinese_counts(texts: Mapping[str, int]) -> dict[str, float]:
    """By jieba's dictionary and the texts; half a count more, since a character may have none."""
    counts = Counter[str]()
    for line in jieba.get_dict_file():
        word, count, _ = line.decode("utf-8").split(" ")
        if word == normalise(word) and HAN.fullmatch(word[0]):
            counts[word] = int(count) + _TEXT_WEIGHT * texts[word]
    words = dict(Counter({w: n for w, n in counts.items() if len(w) > 1}).most_common(CHINESE_WORDS))
    kept = words | {c: counts[c] + _TEXT_WEIGHT * texts[c] for c in _characters()}
    return {word: n + 0.5 for word, n in kept.items()}


def _english_counts(texts: Counter[str], teacher: Path) -> dict[str, float]:
    """By Zipf's law from the rank among the teacher's pieces, or else among the words of the texts."""
    known = Tokenizer.from_file(str(teacher / "tokenizer.json")).get_vocab()
    counts: dict[str, float] = {}
    for rank, piece in enumerate(sorted(known, key=known.__getitem__)):
        word = piece.removeprefix("##")
        if re.fullmatch(r"[a-z]+|[0-9]{1,4}", word):
            counts[word] = max(counts.get(word, 0.0), (0.01 if piece.startswith("##") else 1.0) / (rank + 10))
    frequent = Counter({word: n for word, n in texts.items() if word.isascii() and n > 2}).most_common()
    for rank, (word, _) in enumerate(frequent):
        if len(counts) < ENGLISH_TOKENS:
            counts.setdefault(word, 0.5 / (rank + 1_000))
    return counts


def _characters() -> list[str]:
    """Those of GB 2312, levels 1 and 2."""
    codes = (bytes((high, low)) for high in range(0xB0, 0xF8) for low in range(0xA1, 0xFF))
    return [each for code in codes if HAN.fullmatch(each := code.decode("gb2312", "ignore"))]


class Teachers:
    """Embeddings of two teachers in one space of `DIMENSIONS`, learnt from translations.

    The space is that of the principal components of both teachers' centred embeddings side by side; each
    teacher is mapped into it by ridge regression.
    """

    def __init__(self, chinese: Embedder, english: Embedder, translations: Sequence[TextPair]) -> None:
        self._teachers = {True: chinese, False: english}
        sides = {
            True: chinese.embed([pair.left for pair in translations]),
            False: english.embed([pair.right for pair in translations]),
        }
        self._means = {language: rows.mean(axis=0) for language, rows in sides.items()}
        centred = {language: normal(rows - self._means[language]) for language, rows in sides.items()}
        both = np.concatenate([centred[True], centred[False]], axis=1)
        _, _, axes = np.linalg.svd(both - both.mean(axis=0), full_matrices=False)
        target = both @ axes[:DIMENSIONS].T
        self._maps = {language: ridge(rows, target) for language, rows in centred.items()}

    def embed(self, texts: Sequence[str]) -> Floats:
        result = np.zeros((len(texts), DIMENSIONS), dtype=np.float32)
        for chinese, teacher in self._teachers.items():
            places = [n for n, text in enumerate(texts) if bool(HAN.search(text)) is chinese]
            if places:
                rows = teacher.embed([texts[n] for n in places]) - self._means[chinese]
                result[places] = normal(normal(rows) @ self._maps[chinese])
        return result


def normal(rows: Floats) -> Floats:
    return np.asarray(rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9), dtype=np.float32)


def ridge(rows: Floats, targets: Floats) -> Floats:
    found = np.linalg.solve(rows.T @ rows + np.eye(rows.shape[1]), rows.T @ targets)
    return np.asarray(found, dtype=np.float32)


def first_table(frequencies: Mapping[str, float], glosses: Sequence[TextPair], teachers: Teachers) -> Floats:
    """Each token by its teacher, in Chinese plus its gloss, weighted by rarity (SIF, Arora 2017)."""
    words = list(frequencies)
    vectors = teachers.embed(words)
    meanings = {pair.left: pair.right for pair in reversed(glosses) if pair.left in frequencies}
    translated = teachers.embed(list(meanings.values()))
    places = {word: n for n, word in enumerate(words)}
    for word, vector in zip(meanings, translated, strict=True):
        vectors[places[word]] += vector
    weights = np.array([_SIF / (_SIF + each) for each in frequencies.values()], dtype=np.float32)
    return normal(vectors) * weights[:, None]
