"""The concepts of the store, and what is made of them: graph, linker and analyser that fit together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from concept_graph.edits import apply_edits
from concept_graph.graph import NetworkxConceptGraph
from concept_graph.mentions import DictionaryLinker
from concept_graph.platform_graph import unite
from vta.ports import GraphEdits, KnowledgeSource
from vta.text import Analyser
from vta.types import Course, PairChanges


@dataclass(frozen=True, slots=True, kw_only=True)
class Concepts:
    """What is made of the concepts of the store, which are these at `revision`."""

    revision: int
    graph: NetworkxConceptGraph
    linker: DictionaryLinker
    analyser: Analyser
    embedder: str | None
    """The name of the embedding model whose vectors the index keeps."""

    def stamp(self, revision: int) -> str:
        """That of an index made at a revision with this analyser and this embedding model."""
        return "/".join(
            (str(revision), self.analyser.fingerprint, *([self.embedder] if self.embedder else []))
        )

    def revision_of(self, stamp: str | None) -> int | None:
        """The revision of an index that was made with this analyser and model; None for any other."""
        revision = stamp_revision(stamp)
        return revision if revision is not None and stamp == self.stamp(revision) else None


def stamp_revision(stamp: str | None) -> int | None:
    """The revision of the store that an index was made at; None where the stamp names none."""
    revision = (stamp or "").partition("/")[0]
    return int(revision) if revision.isdecimal() else None


def read_concepts(
    documents: KnowledgeSource, edits: GraphEdits, *, embedder: str | None, courses: Sequence[Course]
) -> Concepts:
    """Those of the store's present revision; `courses` are those that may lend theirs."""
    revision = documents.revision()  # read first: what is newer is read again, and nothing missed
    edited, _ = apply_edits(unite(documents.concepts()), edits.edits())
    graph = NetworkxConceptGraph(*edited)
    concepts = graph.concepts()
    return Concepts(
        revision=revision,
        graph=graph,
        linker=DictionaryLinker(concepts, courses=courses),
        analyser=Analyser(name for concept in concepts for name in (concept.name, *concept.aliases)),
        embedder=embedder,
    )


def follow_concepts(
    known: Concepts, documents: KnowledgeSource, *, courses: Sequence[Course]
) -> tuple[Concepts, PairChanges | None] | None:
    """The same concepts at the store's present revision, and what became of the pairs since.

    None where the concepts changed, or where it is not known whether they did.
    """
    if known.revision == documents.revision():
        return known, None
    changes = documents.changes(known.revision)
    if changes is None or changes.concepts:
        return None
    return replace(known, revision=changes.revision, linker=known.linker.lent_by(courses)), changes


def follow_edges(known: Concepts, now: Concepts, documents: KnowledgeSource) -> PairChanges | None:
    """What became of the pairs between the two where only edges changed, which no index holds.

    None where concepts changed, or where it is not known what became of the pairs.
    """
    if known.graph.concepts() != now.graph.concepts():
        return None
    changes = documents.changes(known.revision)
    if changes is None or changes.revision != now.revision:
        return None
    return replace(changes, concepts=False)
