"""How many of a textbook's own glossary terms are among the first concepts found in it, ours and others'.

.venv/bin/python benchmarks/concept_extraction.py BOOK [--out docs/runs/concept_extraction.json]

BOOK holds the Markdown pages of the Hello Algo textbook in `zh` and `en`, and its glossary as `terms.jsonl`
({"en", "zh_hans"} a line), which is used for judging only. Recall is over the terms that occur in the text.
Precision at 100 is given by the glossary alone, which is hard on every method, and with the names that were
judged right by a reader (tests/data/concepts_judged.tsv: our first 100, so it is complete for ours alone).
YAKE needs `pip install yake`; it is left out where it is not installed. Chinese is cut into words
for the others.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.util
import json
import platform
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from math import log
from pathlib import Path
from time import perf_counter

import networkx as nx

from concept_graph.extraction.aliases import same_key
from concept_graph.extraction.cleaning import clean_passages
from concept_graph.extraction.extraction import extract_concepts
from concept_graph.extraction.material import read_material
from concept_graph.extraction.runs import join_words
from concept_graph.extraction.vocabulary import fold
from concept_graph.names import inflections
from services.wiring import build_readers
from vta.errors import InvalidInput
from vta.text import normalise
from vta.types import Course, CourseId, Language, QAPair

JUDGED = Path(__file__).parents[1] / "tests" / "data" / "concepts_judged.tsv"
STOP = Path(__file__).parents[1] / "vta" / "words"
CUTS = (100, 200, 400, 800)
Names = Sequence[frozenset[str]]
"""Concepts in order, each as the keys of its name and aliases."""


def read_book(folder: Path, course: Course) -> list[QAPair]:
    """The passages of all pages in order; pages that are not taken in are left out."""
    readers = build_readers()
    passages: list[QAPair] = []
    for file in sorted(folder.rglob("*.md")):
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


def tf_idf(passages: Sequence[QAPair], course: Course) -> Names:
    """Phrases of up to four words without function words, by frequency times inverse section frequency."""
    material = read_material(clean_passages(passages))
    stop = _stop_words()
    counts: Counter[tuple[str, ...]] = Counter()
    sections: dict[tuple[str, ...], set[int]] = {}
    for section, run in material.runs:
        for piece in _without(run, stop):
            for start in range(len(piece)):
                for end in range(start + 1, min(start + 4, len(piece)) + 1):
                    phrase = tuple(map(fold, piece[start:end]))
                    counts[phrase] += 1
                    sections.setdefault(phrase, set()).add(section)
    scored = {each: n * log(material.sections / len(sections[each])) for each, n in counts.items() if n > 1}
    best = sorted(scored, key=lambda each: (-scored[each], each))[:2000]
    return [frozenset({same_key(join_words(phrase))}) for phrase in best]


def text_rank(passages: Sequence[QAPair], course: Course) -> Names:
    """TextRank (Mihalcea and Tarau, 2004): PageRank over neighbouring words, adjacent good words joined."""
    material = read_material(clean_passages(passages))
    stop = _stop_words()
    graph: nx.Graph[str] = nx.Graph()
    pieces = [piece for _, run in material.runs for piece in _without(run, stop)]
    for piece in pieces:
        graph.add_nodes_from(map(fold, piece))
        graph.add_edges_from(pairwise(map(fold, piece)))
    rank = nx.pagerank(graph)
    good = set(sorted(rank, key=lambda word: (-rank[word], word))[: len(rank) // 3])
    scores: dict[tuple[str, ...], float] = {}
    for piece in pieces:
        bad = frozenset(word for word in piece if fold(word) not in good)
        for phrase in _without(piece, bad):
            folded = tuple(map(fold, phrase))
            scores[folded] = sum(rank[word] for word in folded)
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


def measure(book: Path, language: Language) -> dict[str, object]:
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
    found: dict[str, object] = {}
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
    forms = {term, *inflections(term)}
    found = (
        form in text and re.search(rf"(?<![a-z0-9]){re.escape(form)}(?![a-z0-9])", text) for form in forms
    )
    return any(found)


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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("book", type=Path)
    parser.add_argument("--out", type=Path)
    wanted = parser.parse_args()
    record = {
        "command": "python benchmarks/concept_extraction.py BOOK",
        "python": platform.python_version(),
        "missing": ["keybert (needs a sentence model)"] + ["yake"] * (not importlib.util.find_spec("yake")),
        "runs": [measure(wanted.book, language) for language in Language],
    }
    text = json.dumps(record, indent=2, ensure_ascii=False) + "\n"
    if wanted.out:
        wanted.out.write_text(text, encoding="utf-8")
    print(text, end="")


if __name__ == "__main__":
    main()
