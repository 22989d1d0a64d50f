"""The passages that students may read now, and the part of a graph that rests on them."""

from __future__ import annotations

import html
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial

from concept_graph.extraction.material import clean_passages
from concept_graph.headings import ConceptSet
from concept_graph.names import forms
from vta.places import evidence_place
from vta.text import HAN, normalise
from vta.types.concepts import (
    AddConcept,
    Concept,
    ConceptEdge,
    ExplainConcept,
    GraphEdit,
    LinkConcepts,
    MergeConcepts,
    RecordedEdit,
    RejectConcept,
    RenameConcept,
    UnlinkConcepts,
)
from vta.types.pairs import Locator, QAPair, Source

_WORD = re.compile(rf"[{HAN}]|[^\W_{HAN}]+")
_LINK = re.compile(r"\]\([^)\s]*\)")
_TAG = re.compile(r"<[^<>\n]*>")
_QUOTATION = re.compile(r"\A[^\n:]*\.[a-z]\w{0,7}(?: > |, page \d| \d+ s: |: )", re.IGNORECASE)
"""The beginning of evidence from a file, also where a person accepted it."""


class ReadablePassages:
    """The passages of one course that are neither removed, replaced, switched off nor waiting for release.

    What was taken from material stands only while they say it. What a person wrote stands by itself, unless
    it stands in passages that are `withheld` and in none of these.
    """

    def __init__(self, pairs: Iterable[QAPair], withheld: Iterable[QAPair] = ()) -> None:
        passages = material_of(pairs)
        self._withheld = _Words(material_of(withheld))
        self._words = _Words(passages)
        self._places = {evidence_place(pair): pair.document for pair in passages}
        self._headings: dict[str | None, set[tuple[str, ...]]] = defaultdict(set)
        for pair in passages:
            self._headings[pair.document].add(pair.locator.heading_path)

    def found(self, path: str, graph: ConceptSet) -> ConceptSet:
        """The part of the concepts and edges of a stored document that students may see."""
        edges = ((each, self._evidence(each, path)) for each in graph[1])
        standing = (
            replace(each, evidence=evidence)
            for each, evidence in edges
            if each.curated or evidence or not each.evidence
        )
        return _without(graph, map(partial(self._concept, path=path), graph[0]), standing)

    def written(self, graph: ConceptSet) -> ConceptSet:
        """The part of a graph after its edits that students may see; they may hold quotations."""
        edges = (replace(e, evidence=self._evidence(e, "")) if e.curated else e for e in graph[1])
        return _without(graph, map(self._of_person, graph[0]), edges)

    def edited(self, edits: Iterable[RecordedEdit]) -> Iterator[RecordedEdit]:
        """The edits of a person, without what they show of withheld words."""
        for each in edits:
            if (edit := self._edit(each.edit)) is not None:
                yield replace(each, edit=edit)

    def _of_person(self, concept: Concept) -> Concept | None:
        if not concept.curated:
            return concept
        if not self._is_free(concept.name):
            return None
        return replace(
            concept,
            aliases=tuple(filter(self._is_free, concept.aliases)),
            definition=self._free(concept.definition),
            first_seen=concept.first_seen if self._is_free(concept.first_seen or "") else None,
        )

    def _edit(self, edit: GraphEdit) -> GraphEdit | None:
        """None for an edit that shows a withheld name; one that hides something shows none."""
        match edit:
            case AddConcept(name=name) if self._is_free(name):
                aliases = tuple(filter(self._is_free, edit.aliases))
                return replace(edit, aliases=aliases, definition=self._free(edit.definition))
            case ExplainConcept(concept=name) if self._is_free(name):
                return replace(edit, definition=self._free(edit.definition))
            case LinkConcepts(prerequisite=one, concept=other) if self._is_free(one) and self._is_free(other):
                return replace(edit, evidence=self._free(edit.evidence))
            case RenameConcept(concept=one, name=other) | MergeConcepts(concept=one, other=other):
                return edit if self._is_free(one) and self._is_free(other) else None
            case RejectConcept() | UnlinkConcepts():
                return edit
        return None

    def _free(self, text: str) -> str:
        return text if self._is_free(text) else ""

    def _is_free(self, text: str) -> bool:
        """True for words that are readable, or stand in no withheld passage."""
        return not self._withheld.hold(text) or self._words.hold(text)

    def _concept(self, concept: Concept, path: str) -> Concept | None:
        if concept.curated:
            return self._of_person(concept)
        if not self._words.hold(concept.name):
            return None
        stands = _letters(concept.definition) in self._words.letters.get(concept.document or path, "")
        above = concept.locator.heading_path
        is_there = any(each[: len(above)] == above for each in self._headings.get(concept.document, ()))
        return replace(
            concept,
            aliases=tuple(filter(self._words.hold, concept.aliases)),
            definition=concept.definition if stands else "",
            first_seen=concept.first_seen if concept.first_seen in self._headings else None,
            document=concept.document if is_there else None,
            locator=concept.locator if is_there else Locator(),
        )

    def _evidence(self, edge: ConceptEdge, path: str) -> tuple[str, ...]:
        return tuple(each for each in edge.evidence if self._stands(each, path, written=edge.curated))

    def _stands(self, line: str, path: str, *, written: bool) -> bool:
        if written and not _QUOTATION.search(line):
            return self._is_free(line)
        if path in self._headings and not written:
            below = line.partition(" > ")[2]
            return any(below in " > ".join(each) for each in self._headings[path])
        return any(
            _letters(line[at.end() :]) in self._words.letters[self._places[line[: at.start()]]]
            for at in re.finditer(": ", line)
            if line[: at.start()] in self._places
        )


def _without(
    graph: ConceptSet, concepts: Iterable[Concept | None], edges: Iterable[ConceptEdge]
) -> ConceptSet:
    """A graph with these for its concepts, None for one that is left out, and for its edges."""
    shown = tuple(each for each in concepts if each)
    hidden = {each.id for each in graph[0]} - {each.id for each in shown}
    return shown, tuple(each for each in edges if hidden.isdisjoint((each.prerequisite, each.concept)))


def material_of(pairs: Iterable[QAPair]) -> list[QAPair]:
    """The passages among pairs: FAQ entries and concepts are not material."""
    return [pair for pair in pairs if pair.source is Source.MATERIAL and pair.document]


class _Words:
    """The words of passages, their headings and the names of their files."""

    def __init__(self, passages: Sequence[QAPair]) -> None:
        raw: dict[str | None, list[str]] = defaultdict(list)
        cleaned: dict[str | None, list[str]] = defaultdict(list)
        names = dict[str, None]()
        for pair, clean in clean_passages(passages):
            names |= dict.fromkeys((pair.document or "", pair.question, *pair.locator.heading_path))
            plain = _TAG.sub("", clean)
            said = _words(pair.answer)
            raw[pair.document].append(said)
            cleaned[pair.document].append(said if plain == pair.answer else _words(plain))
        texts = {path: " \n ".join((" ".join(raw[path]), " ".join(cleaned[path]))) for path in raw}
        self.letters = {path: text.replace(" ", "") for path, text in texts.items()}
        self._whole = f" {' '.join((*map(_words, names), *texts.values()))} "

    def hold(self, text: str) -> bool:
        """True where the words occur, the last one in the singular or plural."""
        words = _words(text)
        return bool(words) and any(f" {each} " in self._whole for each in forms(words))


def _words(text: str) -> str:
    """The words of a text as they are compared, without markup and the targets of links."""
    return " ".join(_WORD.findall(normalise(html.unescape(_LINK.sub("]", text)))))


def _letters(text: str) -> str:
    return _words(text).replace(" ", "")
