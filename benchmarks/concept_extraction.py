"""How many of a textbook's own glossary terms are among the first concepts found in it, ours and others'.

python -m benchmarks concept_extraction BOOK [--minilm MINILM]

BOOK holds the Markdown pages of the Hello Algo textbook in `zh` and `en`, and its glossary as `terms.jsonl`
({"en", "zh_hans"} a line), which is used for judging only. Recall is over the terms that occur in the text.
Precision at 100 is given by the glossary alone, which is hard on every method, and with the names that were
judged right by a reader (tests/data/concepts_judged.tsv: our first 100, so it is complete for ours alone).
YAKE needs `pip install yake`; it is left out where it is not installed. KeyBERT is computed by its formula,
as its package needs torch, for English, with the all-MiniLM-L6-v2 of `docs/measured.md`, "Vectors", in the
folder MINILM. Chinese is cut into words for the others.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import log
from pathlib import Path
from time import perf_counter
from typing import Any

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from benchmarks.record import ROOT
from concept_graph.extraction.aliases import same_key
from concept_graph.extraction.extraction import extract_concepts
from concept_graph.extraction.material import clean_passages, read_material
from concept_graph.extraction.runs import join_words
from concept_graph.extraction.vocabulary import fold
from concept_graph.names import stands_in
from knowledge.vectors.local_model import LocalEmbedder
from services.reading.readers import build_readers
from vta.errors import InvalidInput
from vta.languages import Language
from vta.text import normalise
from vta.types.courses import Course, CourseId
from vta.types.pairs import QAPair

JUDGED = ROOT / "tests" / "data" / "concepts_judged.tsv"
STOP = ROOT / "vta" / "words"
CUTS = (100, 200, 400, 800)
WINDOW, KEYWORDS, DIVERSITY = 4, 5, 0.5
Names = Sequence[frozenset[str]]
"""Concepts in order, each as the keys of its name and aliases."""
Words = tuple[str, ...]


@dataclass(frozen=True)
class Phrases:
    """Candidates with their counts and sections, and the runs of the words that are no function words."""

    counts: Counter[Words]
    sections: dict[Words, set[int]]
    runs: list[Words]
    total: int


def read_book(folder: Path, course: Course, suffixes: Sequence[str] = (".md",)) -> list[QAPair]:
    """The passages of all pages in order; pages that are not taken in are left out."""
    readers = build_readers()
    passages: list[QAPair] = []
    for file in sorted(each for each in folder.rglob("*") if each.suffix in suffixes):
        path = file.relative_to(folder).as_posix()
        reader = next(each for each in readers if each.handles(path))
        try:
            with file.open("rb") as opened:
                passages.extend(reader.read(opened, path=path, course=course).pairs)
        except InvalidInput:
            continue
    return passages


def read_terms(file: Path, language: Language, passages: Sequence[QAPair]) -> dict[str, frozenset[str]]:
    """The glossary terms that occur in the text, each with the keys of its spellings."""
    text = _comparable("\n".join(f"{passage.question}\n{passage.answer}" for passage in passages))
    terms: dict[str, frozenset[str]] = {}
    for line in file.read_text(encoding="utf-8").splitlines():
        raw = json.loads(line)["zh_hans" if language is Language.ZH else "en"]
        spellings = [
            part.strip() for each in raw.split(",") for part in re.split(r"[()]", each) if part.strip()
        ]
        if any(_occurs(_comparable(each), text, language) for each in spellings):
            terms[raw] = frozenset(same_key(_comparable(each)) for each in spellings)
    return terms


def ours(passages: Sequence[QAPair], course: Course) -> Names:
    concepts = extract_concepts(passages, course=course)
    return [frozenset(map(same_key, (concept.name, *concept.aliases))) for concept in concepts]


def read_phrases(passages: Sequence[QAPair]) -> Phrases:
    """The candidates that the others share: up to four words without function words, seen more than once."""
    material = read_material(clean_passages(passages))
    stop = _stop_words()
    counts: Counter[Words] = Counter()
    sections: dict[Words, set[int]] = {}
    pieces = [
        (section, tuple(map(fold, piece))) for section, run in material.runs for piece in _without(run, stop)
    ]
    for section, piece in pieces:
        for start in range(len(piece)):
            for end in range(start + 1, min(start + 4, len(piece)) + 1):
                counts[piece[start:end]] += 1
                sections.setdefault(piece[start:end], set()).add(section)
    kept = Counter({each: n for each, n in counts.items() if n > 1})
    runs = [tuple(word for word in map(fold, run) if word not in stop) for _, run in material.runs]
    return Phrases(kept, sections, runs, material.sections)


def tf_idf(passages: Sequence[QAPair], course: Course) -> Names:
    """Frequency times inverse section frequency."""
    phrases = read_phrases(passages)
    return _ranked(
        {each: n * log(phrases.total / len(phrases.sections[each])) for each, n in phrases.counts.items()}
    )


def text_rank(passages: Sequence[QAPair], course: Course) -> Names:
    """TextRank (Mihalcea and Tarau, 2004) over the same candidates as tf-idf.

    PageRank over words that stand within four of each other, weighted by how often; a phrase has the mean
    rank of its words, as in PyTextRank, times the logarithm of its count: the mean alone puts rare
    neighbours of common words first, and the sum long phrases.
    """
    phrases = read_phrases(passages)
    graph: nx.Graph[str] = nx.Graph()
    for run in phrases.runs:
        for n, word in enumerate(run):
            for other in run[n + 1 : n + WINDOW]:
                weight = graph.get_edge_data(word, other, {"weight": 0})["weight"]
                graph.add_edge(word, other, weight=weight + 1)
    rank = nx.pagerank(graph, weight="weight")
    return _ranked(
        {
            each: sum(rank.get(word, 0.0) for word in each) / len(each) * log(1 + n)
            for each, n in phrases.counts.items()
        }
    )


def key_bert(embedder: LocalEmbedder) -> Callable[[Sequence[QAPair], Course], Names]:
    """KeyBERT by its formula, on each section: the candidates most like the section, diverse by MMR.

    score(c) = (1 - d) cos(c, section) - d max cos(c, chosen), d = 0.5, the first five of candidates of up to
    three words; over the book a phrase has the sum of its cosines in the sections that chose it.
    """

    def ranked(passages: Sequence[QAPair], course: Course) -> Names:
        phrases = read_phrases(passages)
        known = sorted(each for each in phrases.counts if len(each) <= 3)
        vectors = np.concatenate(
            [
                np.asarray(embedder.embed([join_words(each) for each in known[n : n + 512]]))
                for n in range(0, len(known), 512)
            ]
        )
        by_section: dict[int, list[int]] = {}
        for n, each in enumerate(known):
            for section in phrases.sections[each]:
                by_section.setdefault(section, []).append(n)
        texts: dict[tuple[str | None, str], str] = {}
        for passage, text in clean_passages(passages):
            place = passage.document, passage.question
            texts[place] = f"{texts.get(place, passage.question)}\n{text}"
        total: dict[Words, float] = {}
        for section, text in enumerate(texts.values()):
            at = by_section.get(section, [])
            like = vectors[at] @ np.asarray(embedder.embed([text]))[0] if at else np.zeros(0, np.float32)
            for n in _diverse(vectors[at], like):
                total[known[at[n]]] = total.get(known[at[n]], 0.0) + float(like[n])
        return _ranked(total)

    return ranked


def _diverse(vectors: NDArray[np.float32], like: NDArray[np.float32]) -> list[int]:
    chosen: list[int] = []
    while len(chosen) < min(KEYWORDS, len(like)):
        near = (vectors @ vectors[chosen].T).max(axis=1) if chosen else np.zeros(len(like))
        score = (1 - DIVERSITY) * like - DIVERSITY * near
        score[chosen] = -np.inf
        chosen.append(int(score.argmax()))
    return chosen


def _ranked(scores: dict[Words, float]) -> Names:
    best = sorted(scores, key=lambda each: (-scores[each], each))[:2000]
    return [frozenset({same_key(join_words(phrase))}) for phrase in best]


def yake(passages: Sequence[QAPair], course: Course) -> Names:
    """YAKE with its own settings, phrases of up to three words."""
    from yake import KeywordExtractor

    material = read_material(clean_passages(passages))
    text = ".\n".join(" ".join(run) for _, run in material.runs)
    found = KeywordExtractor(lan=str(course.language), n=3, top=2000).extract_keywords(text)
    keys = (same_key("".join(name.split()) if course.language is Language.ZH else name) for name, _ in found)
    return [frozenset({key}) for key in dict.fromkeys(keys)]


def figures(names: Names, terms: dict[str, frozenset[str]], right: frozenset[str]) -> dict[str, object]:
    """Recall at the cuts; precision at 100 by the glossary, and by it and the judged names."""
    place: dict[str, int] = {}
    for n, keys in enumerate(names):
        for key in keys:
            place.setdefault(key, n)
    found = [min(place.get(key, len(names)) for key in keys) for keys in terms.values()]
    glossary = frozenset(key for keys in terms.values() for key in keys)
    found_at = {cut: sum(n < min(cut, len(names)) for n in found) for cut in CUTS}
    first = names[:100]
    known = glossary | right
    return {
        **{f"recall_at_{cut}": round(n / len(found), 3) for cut, n in found_at.items()},
        "precision_at_100_glossary": round(sum(not glossary.isdisjoint(each) for each in first) / 100, 3),
        "precision_at_100_judged": round(sum(not known.isdisjoint(each) for each in first) / 100, 3),
    }


def measure(book: Path, language: Language, embedder: LocalEmbedder | None) -> dict[str, object]:
    course = Course(id=CourseId(f"book-{language}"), name="book", domains=("cs",), language=language)
    passages = read_book(book / language, course)
    terms = read_terms(book / "terms.jsonl", language, passages)
    rows = [line.split("\t") for line in JUDGED.read_text(encoding="utf-8").splitlines()[1:]]
    right = frozenset(
        same_key(name) for of, name, judgement in rows if of == language and judgement == "right"
    )
    judged = frozenset(same_key(name) for of, name, _ in rows if of == language)
    methods: dict[str, Callable[[Sequence[QAPair], Course], Names]] = {
        "ours": ours, "tf-idf": tf_idf, "textrank": text_rank,
    }  # fmt: skip
    if importlib.util.find_spec("yake"):
        methods["yake"] = yake
    if embedder and language is Language.EN:
        methods["keybert"] = key_bert(embedder)
    concepts = extract_concepts(passages, course=course)
    found: dict[str, object] = {
        "concepts": len(concepts),
        "explained_of_first_100": sum(bool(each.definition) for each in concepts[:100]),
        "explained_of_first_400": sum(bool(each.definition) for each in concepts[:400]),
    }
    for name, method in methods.items():
        start = perf_counter()
        names = method(passages, course)
        print(language, name, round(perf_counter() - start, 1), file=sys.stderr)
        found[name] = {**figures(names, terms, right), "seconds": round(perf_counter() - start, 1)}
        if name == "ours":
            unjudged = sum(judged.isdisjoint(each) for each in names[:100])
            found["unjudged_of_our_first_100"] = unjudged
    texts = "\n".join(passage.answer for passage in passages)
    return {
        "language": language,
        "passages": len(passages),
        "characters": len(texts),
        "data": hashlib.sha256(texts.encode()).hexdigest()[:16],
        "terms_in_text": len(terms),
        **found,
    }


def _comparable(text: str) -> str:
    return normalise(text.replace("$", "").replace("’", "'"))


def _occurs(term: str, text: str, language: Language) -> bool:
    if language is Language.ZH:
        return term.replace(" ", "") in text.replace(" ", "")
    return stands_in(term, text)


def _without(words: Sequence[str], stop: frozenset[str]) -> Iterator[tuple[str, ...]]:
    piece: list[str] = []
    for word in (*words, ""):
        if word and word.lower() not in stop:
            piece.append(word)
        elif piece:
            yield tuple(piece)
            piece = []


def _stop_words() -> frozenset[str]:
    files = (STOP / f"function_words_{language}.txt" for language in Language)
    return frozenset(word for file in files for word in file.read_text(encoding="utf-8").splitlines())


def run(book: Path, *, minilm: Path | None = None) -> dict[str, Any]:
    """`minilm`: folder of a sentence model for KeyBERT (English)."""
    embedder = LocalEmbedder(minilm) if minilm else None
    return {
        "missing": ["keybert"] * (embedder is None) + ["yake"] * (not importlib.util.find_spec("yake")),
        "runs": [measure(book, language, embedder) for language in Language],
    }
