"""The terms of a syllabus or of learning objectives: what it names, without what students shall do."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache

from concept_graph.extraction.material import LONGEST_SEED
from concept_graph.extraction.runs import Run, join_words, read_runs
from concept_graph.extraction.vocabulary import BOUNDARY_TAGS, fold, vocabulary
from concept_graph.names import stands_in
from concept_graph.word_files import read_words
from vta.headings import without_numbering
from vta.languages import Language
from vta.text import normalise

MOST_WORDS = 4
MOST_TERMS = 1000
FEWEST_LISTED = 3
"""Lines of a list of terms."""
SHARE_LISTED = 0.7
"""Of the lines of a list of terms, so many open with no verb of objectives ("construct validity" does)."""
LONGEST_LISTED = 6
"""Words of a term in a list, and twice as many characters of Chinese."""
_MARKER = re.compile(r"^[\s>#*+•·\-–—☐\[\]]+|\|")


def read_terms(text: str, *, each_line: bool = False) -> tuple[str, ...]:
    """The terms of the lines, in their order and spelling, each once; at most `MOST_TERMS`.

    The lines of a list of terms are taken whole ("intent to treat"): where all are short and without
    punctuation and most open with no verb of objectives, or where `each_line` says that each is a term.
    Others are cut at punctuation, function words, verbs of objectives ("explain", 掌握) and words that order
    a course ("week", 章). A term has at most `MOST_WORDS` words, and is no generic word, unless it is all of
    its line: then somebody listed it.
    """
    found: dict[str, str] = {}
    tags: dict[str, str] = {}
    lines = [without_numbering(_MARKER.sub(" ", line).strip()) for line in text.splitlines() if line.strip()]
    if each_line or (len(lines) >= FEWEST_LISTED and _are_listed(lines, tags)):
        lines = [line for line in lines if len(line) <= LONGEST_SEED and any(map(str.isalpha, line))]
        return tuple({_key(line): line for line in reversed(lines)}.values())[::-1][:MOST_TERMS]
    for line in lines:
        runs = read_runs(line, tags)
        for run in runs:
            for term in _terms(run, tags, listed=len(runs) == 1):
                found.setdefault(_key(term), term)
    return tuple(found.values())[:MOST_TERMS]


def occurring(terms: Iterable[str], texts: Iterable[str]) -> frozenset[str]:
    """Those of the terms that stand in one of the texts, in the singular or plural."""
    missing, there = set(terms), set[str]()
    for text in map(normalise, texts):
        there |= {term for term in missing if stands_in(term, text)}
        missing -= there
    return frozenset(there)


def _are_listed(lines: Sequence[str], tags: dict[str, str]) -> bool:
    """Whether lines are nothing but terms: short runs of words, few of which open with a verb."""
    runs = [_only_run(line, tags) for line in lines]
    opening = sum(
        fold(run[0]) not in _words("ordering", "doing")
        and tags.get(run[0]) not in BOUNDARY_TAGS
        and not any(map(str.isdigit, run))
        for run in runs
        if run
    )
    return all(runs) and opening >= SHARE_LISTED * len(lines)


def _only_run(line: str, tags: dict[str, str]) -> Run:
    """The words of a short line that no punctuation cuts or ends; else none."""
    runs = read_runs(line, tags)
    short = len(runs) == 1 and len(runs[0]) <= LONGEST_LISTED and len(line) <= LONGEST_SEED
    return runs[0] if short and line[-1] not in ".。;；:：?？!！" else ()


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


def orders_a_course(words: Iterable[str]) -> bool:
    """Whether folded words only order a course, as "final project" does."""
    return all(word in _words("ordering") for word in words)


@cache
def _words(*kinds: str) -> frozenset[str]:
    """The words of these kinds, folded; of all kinds without one."""
    found: set[str] = set()
    for language in Language:
        for kind, words in read_words(f"syllabus_{language}").items():
            found.update(map(fold, words) if kind in kinds or not kinds else ())
    return frozenset(found)
