"""Prose of passages without code and markup, its runs of words, and weak seeds.

Weak seeds are the terms that the material itself sets apart.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from concept_graph.extraction.runs import (
    Run,
    Word,
    is_placeholder,
    marked_terms,
    plain_text,
    read_runs,
)
from concept_graph.extraction.vocabulary import fold, vocabulary
from concept_graph.headings import heading_name
from vta.errors import InvalidInput
from vta.faults import Fault
from vta.text import HAN
from vta.types.pairs import QAPair

_SHORT_MATH = re.compile(r"\$([A-Za-z0-9]{1,2})\$")
_MATH = re.compile(r"\$\$.*?\$\$|\$[^$\n]*\$", re.DOTALL)
_DIGITS = re.compile(r"\d+")


@dataclass(slots=True)
class Material:
    """The distinct lines of a course as runs of words, in order.

    `runs` holds (section, run): words between two marks of punctuation, which no name crosses; a section is
    a heading path in a document. `headings` are the distinct headings as runs. `marked` are the terms in
    bold or in quotation marks; transcripts are skipped. `tags` is the dictionary's part of speech of each
    Chinese word.
    """

    runs: list[tuple[int, Run]] = field(default_factory=list)
    sections: int = 0
    headings: dict[str, list[Run]] = field(default_factory=dict)
    marked: dict[str, None] = field(default_factory=dict)
    tags: dict[Word, str] = field(default_factory=dict)
    passages: list[int] = field(default_factory=list)
    """The number of the first passage of each section."""

    def first_passage(self, run: int) -> int:
        """The number of the passage with which the section of a run begins."""
        return self.passages[self.runs[run][0]]


def read_material(texts: Iterable[tuple[QAPair, str]]) -> Material:
    """The material of clean passages in order. A line seen before, but for its numbers, is not read again."""
    material = Material()
    sections: dict[tuple[str | None, str], int] = {}
    seen: set[int] = set()
    for number, (passage, text) in enumerate(texts):
        section = sections.setdefault((passage.document, passage.question), len(sections))
        if section == len(material.passages):
            material.passages.append(number)
        for heading in passage.locator.heading_path or (passage.question,):
            if heading not in material.headings:
                material.headings[heading] = read_runs(heading, material.tags)
        if "$" in text:
            text = _MATH.sub(" | ", _SHORT_MATH.sub(r"\1", text))
        for line in text.split("\n"):
            line = line.strip()
            mark = hash(_DIGITS.sub("0", line))
            if not line or mark in seen:
                continue
            seen.add(mark)
            if passage.locator.start_s is None:
                material.marked.update(dict.fromkeys(marked_terms(line)))
            material.runs.extend((section, run) for run in read_runs(line, material.tags))
    material.sections = len(sections)
    return material


_FENCE = re.compile(r"[ \t>]*(```+(?!.*`)|~~~+)")
"""A line of backticks that holds others behind is code within a line, by CommonMark."""
_IMAGE = re.compile(r"!\[[^\[\]]*\]\([^()]*\)")
_LINK = re.compile(r"\[([^\[\]]*)\]\([^()]*(?:\([^()]*\)[^()]*)?\)")
_ADDRESS = re.compile(r"(?:https?://|www\.)\S+")


def clean_passages(passages: Iterable[QAPair]) -> Iterator[tuple[QAPair, str]]:
    """Each passage with its text without code, images and addresses.

    Links keep their words, and entities are the characters that they stand for.

    A block of code may have been cut into several passages: it is followed from one to the next.
    """
    place: tuple[str | None, str] | None = None
    fence = ""
    for passage in passages:
        if (passage.document, passage.question) != place:
            place, fence = (passage.document, passage.question), ""
        text, fence = _outside_code(passage.answer, fence)
        if "http" in text or "](" in text or "www." in text:
            text = _ADDRESS.sub(" ", _LINK.sub(r"\1", _IMAGE.sub("\n", text)))
        yield passage, html.unescape(text) if "&" in text else text


def _outside_code(text: str, fence: str) -> tuple[str, str]:
    """The lines outside fenced code, and the fence that is still open at the end; "" where none is."""
    if not fence and "```" not in text and "~~~" not in text:
        return text, ""
    lines = []
    for line in text.split("\n"):
        mark = _FENCE.match(line)
        if fence:
            if mark and mark.group(1).startswith(fence):
                fence = ""
        elif mark:
            fence = mark.group(1)
        else:
            lines.append(line)
    return "\n".join(lines), fence


LONGEST_SEED = 80
"""Characters."""


class SeedKind(StrEnum):
    """How a name was set apart."""

    GIVEN = "given"
    HEADING = "heading"
    INTRODUCED = "introduced"
    MARKED = "marked"


Seeds = dict[Run, set[SeedKind]]
"""Names by their folded words, with all the ways in which each is set apart."""


def find_seeds(material: Material, introduced: Iterable[str], given: Sequence[str]) -> Seeds:
    """The seeds of a course. `introduced` are names of which a sentence says what they mean."""
    seeds: Seeds = {}

    def add(kind: SeedKind, name: str) -> None:
        runs = read_runs(name, material.tags)
        words = tuple(map(fold, runs[0])) if len(runs) == 1 else ()
        dull = len(words) == 1 and words[0] in vocabulary().never_alone
        if len(words) == 2 and words[1].isdigit() and words[0] in vocabulary().generic:  # "Example 1"
            return
        shouted = len(words) > 2 and name.isascii() and name.isupper()  # "ANOTHER IMPORTANT CAVEAT"
        if kind is not SeedKind.GIVEN and (shouted or is_placeholder(words)):
            return
        if words and (kind in (SeedKind.GIVEN, SeedKind.HEADING) or not dull):
            seeds.setdefault(words, set()).add(kind)

    for name in given:
        add(SeedKind.GIVEN, name)
    for heading in material.headings:
        if named := heading_name(plain_text(heading).strip()):
            for name in (named.name, *named.aliases):
                add(SeedKind.HEADING, name)
    for name in introduced:
        if heading_name(name):
            add(SeedKind.INTRODUCED, name)
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


_SENTENCE = re.compile(rf"[{HAN}](?:是|的|了|为|将|在|我们)|[，。．,.!?！？]")
