"""Weak concepts from the headings of a course, for a course that has no concept file yet."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from concept_graph.definitions import defining_pattern, find_definition
from concept_graph.heading_names import HeadingName, heading_name
from concept_graph.names import concept_id, inflections, name_key
from vta.text import normalise
from vta.types import Block, Concept, ConceptEdge, ConceptId, Course, Locator, SourceDocument

CONCEPT_SCORE = 0.5
"""How sure we are that a heading names a concept; a concept file's are 1.0 unless it says otherwise."""
EDGE_SCORE = 0.3
"""How sure we are that a parent heading comes before its child."""

ConceptSet = tuple[tuple[Concept, ...], tuple[ConceptEdge, ...]]


def heading_concepts(documents: Iterable[SourceDocument], *, course: Course) -> ConceptSet:
    """Concepts named by headings and titles, and edges from each to the nearest ones below it.

    The definition of a concept is the first sentence under its heading that defines it, and its place is
    that sentence's, else the first block under the heading. Documents are read once, in order.
    """
    drafts: dict[str, _Draft] = {}
    edges: dict[tuple[str, str], dict[str, None]] = {}
    for document in documents:
        for block in document.blocks:
            path = _headings(document, block)
            above: tuple[int, str] | None = None
            for depth, heading in enumerate(path):
                named = heading_name(heading)
                if named is None:
                    continue
                key = name_key(named.name)
                drafts.setdefault(key, _Draft(named, block.locator, document.path)).read(
                    named, document, block
                )
                if above is not None and above[1] != key:
                    evidence = "heading path: " + " > ".join(path[above[0] : depth + 1])
                    edges.setdefault((above[1], key), {})[evidence] = None
                above = depth, key
    concepts = _concepts(drafts, course)
    return tuple(concepts.values()), tuple(
        ConceptEdge(
            prerequisite=concepts[above].id,
            concept=concepts[below].id,
            score=EDGE_SCORE,
            evidence=tuple(evidence),
        )
        for (above, below), evidence in edges.items()
    )


def merge(curated: ConceptSet, weak: ConceptSet) -> ConceptSet:
    """Curated concepts and edges, completed by weak ones.

    A weak concept that shares a name or alias with a curated one (singular or plural) is that one: it only
    fills in a definition and a place where the curated one has none. A weak edge between two curated
    concepts is dropped: the concept file says what comes first there.
    """
    merged = {concept.id: concept for concept in curated[0]}
    owner = {key: concept.id for concept in curated[0] for key in _keys(concept)}
    stands_for: dict[ConceptId, ConceptId] = {}
    for concept in weak[0]:
        same = next((owner[key] for key in _keys(concept) if key in owner), None)
        stands_for[concept.id] = same or concept.id
        merged[stands_for[concept.id]] = _completed(merged[same], concept) if same else concept
    of_file = {concept.id for concept in curated[0]}
    edges = list(curated[1])
    for edge in weak[1]:
        ends = stands_for[edge.prerequisite], stands_for[edge.concept]
        if not of_file.issuperset(ends):
            edges.append(replace(edge, prerequisite=ends[0], concept=ends[1]))
    return tuple(merged.values()), tuple(edges)


@dataclass(slots=True)
class _Draft:
    """What has been read about one heading so far."""

    named: HeadingName
    locator: Locator
    document: str
    aliases: dict[str, None] = field(default_factory=dict)
    definition: str = ""

    def read(self, named: HeadingName, document: SourceDocument, block: Block) -> None:
        self.aliases.update(dict.fromkeys(named.aliases))
        if self.definition:
            return
        names = {self.named.name, *inflections(normalise(self.named.name)), *self.aliases}
        self.definition = find_definition(defining_pattern(frozenset(names)), block.text)
        if self.definition:
            self.locator, self.document = block.locator, document.path


def _headings(document: SourceDocument, block: Block) -> tuple[str, ...]:
    path = block.locator.heading_path
    return path if path[:1] == (document.title,) else (document.title, *path)


def _concepts(drafts: dict[str, _Draft], course: Course) -> dict[str, Concept]:
    """The drafts as concepts, by key; an alias that names another concept, or two, stays with the first."""
    taken = set(drafts)
    concepts = {}
    for key, draft in drafts.items():
        aliases = tuple(alias for alias in draft.aliases if name_key(alias) not in taken)
        taken.update(map(name_key, aliases))
        concepts[key] = Concept(
            id=concept_id(course.id, draft.named.name),
            name=draft.named.name,
            aliases=aliases,
            definition=draft.definition,
            domains=course.domains,
            courses=(course.id,),
            score=CONCEPT_SCORE,
            first_seen=draft.document,
            locator=draft.locator,
            document=draft.document,
        )
    return concepts


def _keys(concept: Concept) -> tuple[str, ...]:
    return tuple(map(name_key, (concept.name, *concept.aliases)))


def _completed(curated: Concept, weak: Concept) -> Concept:
    placed = (
        replace(curated, document=weak.document, locator=weak.locator) if not curated.document else curated
    )
    return replace(
        placed,
        definition=curated.definition or weak.definition,
        first_seen=curated.first_seen or weak.first_seen,
    )
