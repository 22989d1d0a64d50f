"""The terms of a syllabus or of learning objectives: what it names, without what students shall do."""

from __future__ import annotations

import importlib.resources
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache

from concept_graph.extraction.runs import Run, join_words, read_runs
from concept_graph.extraction.seeds import LONGEST_SEED
from concept_graph.extraction.vocabulary import BOUNDARY_TAGS, fold, vocabulary
from concept_graph.names import inflections
from vta.headings import without_numbering
from vta.text import normalise
from vta.types import Language

MOST_WORDS = 4
MOST_TERMS = 1000
_MARKER = re.compile(r"^[\s>#*+•·\-–—☐\[\]]+|\|")


def read_terms(text: str) -> tuple[str, ...]:
    """The terms of the lines, in their order and spelling, each once; at most `MOST_TERMS`.

    A line is cut at punctuation, function words, verbs of objectives ("explain", 掌握) and words that order a
    course ("week", 章). A term has at most `MOST_WORDS` words, and is no generic word, unless it is all
    of its line: then somebody listed it.
    """
    found: dict[str, str] = {}
    tags: dict[str, str] = {}
    for line in text.splitlines():
        runs = read_runs(without_numbering(_MARKER.sub(" ", line).strip()), tags)
        for run in runs:
            for term in _terms(run, tags, listed=len(runs) == 1):
                found.setdefault(_key(term), term)
    return tuple(found.values())[:MOST_TERMS]


def occurring(terms: Iterable[str], texts: Iterable[str]) -> frozenset[str]:
    """Those of the terms that stand in one of the texts, in the singular or plural."""
    forms = {term: {normalise(term), *inflections(normalise(term))} for term in terms}
    missing, there = dict(forms), set[str]()
    for text in texts:
        plain_text = normalise(text)
        there |= {term for term, each in missing.items() if any(_stands(form, plain_text) for form in each)}
        missing = {term: each for term, each in missing.items() if term not in there}
    return frozenset(there)


def _terms(run: Run, tags: Mapping[str, str], *, listed: bool) -> Iterator[str]:
    """The pieces of a run between the words that no name holds."""
    piece: list[str] = []
    for word in (*run, ""):
        if word and not _cuts(word, tags):
            piece.append(word)
            continue
        if _is_term(piece, tags, listed=listed and len(piece) == len(run)) and not (
            word == "of" and len(piece) == 1
        ):  # "rate of change"
            yield join_words(piece)
        piece = []


def _cuts(word: str, tags: Mapping[str, str]) -> bool:
    folded = fold(word)
    return (
        folded in _words()
        or folded in vocabulary().boundary
        or tags.get(word) in BOUNDARY_TAGS
        or word.isdigit()
    )


def _is_term(words: Sequence[str], tags: Mapping[str, str], *, listed: bool) -> bool:
    if not words or len(words) > MOST_WORDS or len(join_words(words)) > LONGEST_SEED:
        return False
    (first, *rest) = words
    if rest:
        return True
    is_noun = tags.get(first, "").startswith("n")  # 栈, 图
    return (len(first) > 1 or is_noun) and (listed or fold(first) not in vocabulary().never_alone)


def _key(term: str) -> str:
    return " ".join(map(fold, normalise(term).split()))


def _stands(form: str, text: str) -> bool:
    """Whether a form stands in a text; one of Latin letters only as whole words."""
    if not form.isascii():
        return form in text
    return re.search(rf"(?<![a-z0-9]){re.escape(form)}(?![a-z0-9])", text) is not None


@cache
def _words() -> frozenset[str]:
    found: set[str] = set()
    for language in Language:
        file = importlib.resources.files("concept_graph").joinpath("words", f"syllabus_{language}.toml")
        for words in tomllib.loads(file.read_text(encoding="utf-8")).values():
            found.update(map(fold, words))
    return frozenset(found)
