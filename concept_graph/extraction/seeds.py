"""Weak seeds: names that the material itself sets apart, with how they were."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from enum import StrEnum

from concept_graph.extraction.material import Material
from concept_graph.extraction.runs import Run, is_placeholder, plain_text, read_runs
from concept_graph.extraction.vocabulary import Vocabulary, fold
from concept_graph.headings import heading_name
from vta.errors import InvalidInput
from vta.faults import Fault
from vta.text import HAN

LONGEST_SEED = 80
"""Characters."""


class SeedKind(StrEnum):
    """How a name was set apart, from the surest."""

    GIVEN = "given"
    HEADING = "heading"
    GLOSSED = "glossed"
    MARKED = "marked"


def find_seeds(
    material: Material, glossed: Iterable[str], given: Sequence[str], vocabulary: Vocabulary
) -> dict[Run, SeedKind]:
    """The seeds by their folded words. `glossed` are names given with a translation or explanation."""
    seeds: dict[Run, SeedKind] = {}

    def add(kind: SeedKind, name: str) -> None:
        runs = read_runs(name, material.tags)
        words = tuple(map(fold, runs[0])) if len(runs) == 1 else ()
        dull = len(words) == 1 and words[0] in vocabulary.never_alone
        if len(words) == 2 and words[1].isdigit() and words[0] in vocabulary.generic:  # "Example 1"
            return
        if kind is not SeedKind.GIVEN and is_placeholder(words):
            return
        if words and (kind in (SeedKind.GIVEN, SeedKind.HEADING) or not dull):
            seeds.setdefault(words, kind)

    for name in given:
        add(SeedKind.GIVEN, name)
    for heading in material.headings:
        if named := heading_name(plain_text(heading).strip()):
            for name in (named.name, *named.aliases):
                add(SeedKind.HEADING, name)
    for name in glossed:
        if heading_name(name):
            add(SeedKind.GLOSSED, name)
    for term in material.marked:
        if (named := heading_name(term)) and not _SENTENCE.search(term):
            add(SeedKind.MARKED, named.name)
    return seeds


def read_seeds(text: str, *, path: str) -> tuple[str, ...]:
    """The names of a seeds file: one a line, empty lines and lines that begin with # left out.

    `InvalidInput` with the line for a name that is too long or holds no letter.
    """
    names = []
    for number, line in enumerate(text.splitlines(), start=1):
        name = line.strip()
        if not name or name.startswith("#"):
            continue
        if len(name) > LONGEST_SEED or not any(map(str.isalpha, name)):
            raise InvalidInput(Fault("concept.seed", most=LONGEST_SEED).at(path, number))
        names.append(name)
    return tuple(dict.fromkeys(names))


_SENTENCE = re.compile(rf"[{HAN}](?:是|的|了|为|将|在|我们)|[，。,.!?！？]")
