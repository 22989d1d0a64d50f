"""How long a course's graph takes to build from subtitles, and how much memory that takes.

python -m benchmarks graph_building [--megabytes 1 10]

The text is made here: sentences of a sample course's subtitles in which words are exchanged for others of a
vocabulary of 20,000, by Zipf's law, and for the terms that a lecture is about. Megabytes are of the spoken
text alone, in UTF-8. Each figure comes from a fresh process; memory is compared with the passages' own.
"""

from __future__ import annotations

import hashlib
import importlib.resources
import random
import resource
from collections import Counter
from collections.abc import Iterator
from itertools import accumulate
from time import perf_counter, process_time
from typing import Any

import rjieba

from benchmarks.record import in_own_process
from concept_graph.extraction.extraction import extract_concepts
from concept_graph.prerequisites import discover
from knowledge.chunking import split
from knowledge.sources.subtitles import read_subtitles
from vta.languages import Language
from vta.types.answers import Block
from vta.types.courses import Course, CourseId
from vta.types.documents import SourceDocument
from vta.types.pairs import Locator, QAPair

SEED = 20_261
MEGABYTE = 1_000_000
VOCABULARY = 20_000
TERMS, TERMS_OF_A_LECTURE = 3_000, 25
SENTENCES_OF_A_LECTURE = 300
EXCHANGED, NAMED = 0.25, 0.06
"""The shares of the words that become others of the vocabulary, and terms of the lecture."""
SAMPLES = {Language.ZH: "data-structures-zh", Language.EN: "machine-learning-en"}


class Principal:
    """Speaks lectures out of the sentences of a sample course; the seed fixes every word."""

    def __init__(self, language: Language) -> None:
        self._language = language
        self._random = random.Random(SEED)
        self._sentences = [self._words(each) for each in _sentences(language)]
        known = Counter(word for sentence in self._sentences for word in sentence if word[0].isalpha())
        self._vocabulary = [word for word, _ in known.most_common()]
        self._characters = "".join(self._vocabulary)
        made = iter(self._make_word, None)
        while len(self._vocabulary) < VOCABULARY:
            self._vocabulary.append(next(made))
        self._weights = list(accumulate(1 / rank for rank in range(1, VOCABULARY + 1)))
        rare = self._vocabulary[200:]
        self._terms = [self._join(self._random.choices(rare, k=2)) for _ in range(TERMS)]

    def lectures(self, size: int) -> Iterator[SourceDocument]:
        """Lectures until their text has `size` bytes."""
        number = 0
        while size > 0:
            blocks = tuple(self._lecture(number))
            size -= sum(len(block.text.encode()) for block in blocks)
            number += 1
            yield SourceDocument(path=f"{number:04}.srt", title=f"Lecture {number}", blocks=blocks)

    def _lecture(self, number: int) -> Iterator[Block]:
        start = number * TERMS_OF_A_LECTURE // 2 % TERMS
        terms = (self._terms[start:] + self._terms)[:TERMS_OF_A_LECTURE]
        for n in range(SENTENCES_OF_A_LECTURE):
            words = [self._exchange(word, terms) for word in self._random.choice(self._sentences)]
            place = Locator(video=f"{number:04}.srt", start_s=6.0 * n, end_s=6.0 * n + 5)
            yield Block(text=self._join(words), locator=place)

    def _exchange(self, word: str, terms: list[str]) -> str:
        luck = self._random.random()
        if not word[0].isalpha() or luck > EXCHANGED + NAMED:
            return word
        if luck < NAMED:
            return self._random.choice(terms)
        return self._random.choices(self._vocabulary, cum_weights=self._weights)[0]

    def _make_word(self) -> str:
        """Two Chinese characters, or two to four English syllables."""
        if self._language is Language.ZH:
            return "".join(self._random.choices(self._characters, k=2))
        syllables = self._random.choices("ba ce di fo gu la me ni ro su ta ve wi xo zu".split(), k=4)
        return "".join(syllables[: self._random.randint(2, 4)]) + self._random.choice("nrstl")

    def _words(self, sentence: str) -> list[str]:
        return rjieba.cut(sentence, False) if self._language is Language.ZH else sentence.split()

    def _join(self, words: list[str]) -> str:
        return ("" if self._language is Language.ZH else " ").join(words)


def passages(language: Language, size: int) -> list[QAPair]:
    """The passages of a course of `size` bytes, as ingest makes them of subtitles."""
    course = _course(language)
    return [pair for lecture in Principal(language).lectures(size) for pair in split(lecture, course=course)]


def measure(language: Language, size: int) -> dict[str, object]:
    """Seconds and peak memory of building the graph of one course, in this process."""
    found = passages(language, size)
    text = sum(len(passage.answer.encode()) for passage in found)
    before = _peak_mb()
    start, worked = perf_counter(), process_time()
    concepts = extract_concepts(found, course=_course(language))
    extracted = perf_counter()
    edges = discover(found, concepts)
    ended = perf_counter()
    result = hashlib.sha256(repr((concepts, edges)).encode()).hexdigest()
    return {
        "language": language,
        "megabytes": round(text / MEGABYTE, 1),
        "passages": len(found),
        "concepts": len(concepts),
        "edges": len(edges),
        "seconds": round(ended - start, 1),
        "seconds_cpu": round(process_time() - worked, 1),
        "seconds_concepts": round(extracted - start, 1),
        "seconds_prerequisites": round(ended - extracted, 1),
        "memory_before_mb": round(before),
        "memory_peak_mb": round(_peak_mb()),
        "result_sha256": result[:16],
    }


def _sentences(language: Language) -> list[str]:
    folder = importlib.resources.files("services.demo").joinpath("courses", SAMPLES[language], "material")
    files = sorted(folder.joinpath("subtitles").iterdir(), key=lambda file: file.name)
    documents = [read_subtitles(file.read_text(encoding="utf-8"), path=file.name) for file in files]
    between, stop = ("", "。") if language is Language.ZH else (" ", ". ")
    spoken = between.join(block.text for document in documents for block in document.blocks)
    return [sentence + stop.strip() for sentence in spoken.split(stop) if len(sentence) > 8]


def _course(language: Language) -> Course:
    return Course(id=CourseId("bench"), name="Bench", domains=("计算机",), language=language)


def _peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / MEGABYTE


def run(*, megabytes: list[float] = [1, 10]) -> dict[str, Any]:  # noqa: B006
    """Each size and language in a process of its own."""
    runs = [
        in_own_process(measure, Language(language), int(size * MEGABYTE))
        for size in megabytes
        for language in SAMPLES
    ]
    return {"seed": SEED, "runs": runs}
