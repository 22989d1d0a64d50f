"""The knowledge of the store's present revision: graph, linker, analyser and index that fit together."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import chain
from threading import Lock
from typing import TYPE_CHECKING

from concept_graph.edits import apply_edits
from concept_graph.graph import NetworkxConceptGraph
from concept_graph.mentions import DictionaryLinker
from concept_graph.platform_graph import unite
from knowledge.concept_pairs import concept_pairs
from knowledge.ranking import ConceptAwareRanker
from vta.errors import Conflict, LimitExceeded, NotReady
from vta.ports import CourseStore, GraphEdits, Knowledge, KnowledgeSource, PairIndex
from vta.text import Analyser
from vta.types import PairChanges

_WRITERS = 10
"""How often the index is looked at anew where another process changes it at the same time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Concepts:
    """What is made of the concepts of the store, which are these at `revision`."""

    revision: int
    graph: NetworkxConceptGraph
    linker: DictionaryLinker
    analyser: Analyser
    embedder: str | None

    def stamp(self, revision: int) -> str:
        """That of an index made at a revision with this analyser and this embedding model."""
        return "/".join(
            (str(revision), self.analyser.fingerprint, *([self.embedder] if self.embedder else []))
        )


if TYPE_CHECKING:
    from knowledge.vectors.fusion import VectorSide


class StoredKnowledge:
    """`vta.ports.KnowledgeBase` over the stores and an index.

    The index is derived, and its stamp says from which revision, by which analyser and with the vectors of
    which embedding model. Where only pairs changed since, it is updated with them; else it is built anew
    beside the live one. Either is done before it is used, so a crash between a change and its indexing is
    caught up by the next question.
    """

    def __init__(
        self,
        *,
        courses: CourseStore,
        documents: KnowledgeSource,
        edits: GraphEdits,
        index: PairIndex,
        vectors: VectorSide | None = None,
    ) -> None:
        """`vectors` are those that the index keeps beside its pairs."""
        self._vectors = vectors
        self._courses = courses
        self._documents = documents
        self._edits = edits
        self._index = index
        self._lock = Lock()
        self._concepts: _Concepts | None = None
        self._knowledge: Knowledge | None = None

    def current(self) -> Knowledge:
        """The knowledge at the store's revision; another thread's work on the index is waited for."""
        with self._lock:
            known = self._concepts
            if self._knowledge is None or known is None or known.revision != self._documents.revision():
                changes = self._documents.changes(known.revision) if known else None
                if known is not None and changes is not None and not changes.concepts:
                    concepts = replace(known, revision=changes.revision)
                    self._follow(concepts, {known.revision: changes})
                else:
                    concepts = self._read_concepts()
                    self._follow(concepts, {})
                self._knowledge = self._know(concepts)
            return self._knowledge

    def reindex(self) -> None:
        """Rebuild the index beside the old one and swap it in, whatever its stamp says."""
        with self._lock:
            concepts = self._read_concepts()
            self._rebuild(concepts)
            self._knowledge = self._know(concepts)

    def _read_concepts(self) -> _Concepts:
        revision = self._documents.revision()  # read first: what is newer is read again, and nothing missed
        edited, _ = apply_edits(unite(self._documents.concepts()), self._edits.edits())
        graph = NetworkxConceptGraph(*edited)
        concepts = graph.concepts()
        return _Concepts(
            revision=revision,
            graph=graph,
            linker=DictionaryLinker(concepts),
            analyser=Analyser(name for concept in concepts for name in (concept.name, *concept.aliases)),
            embedder=self._vectors.embedder.name if self._vectors else None,
        )

    def _follow(self, concepts: _Concepts, told: dict[int, PairChanges]) -> None:
        """Bring the index to the revision of the concepts, or to a later one of the same concepts.

        `told` are changes since a revision that were read already.
        """
        for _ in range(_WRITERS):
            stamp = self._index.stamp()
            since = _revision(stamp, concepts)
            if stamp is None or since is None:
                break
            changes = told.pop(since, None) or self._documents.changes(since)
            if changes is None or changes.concepts:
                break
            if changes.revision == since:
                return
            try:
                self._index.update(
                    put=changes.put,
                    remove=changes.removed,
                    analyser=concepts.analyser,
                    since=stamp,
                    stamp=concepts.stamp(changes.revision),
                )
            except Conflict:
                continue
            except (LimitExceeded, NotReady):
                break
            return
        self._rebuild(concepts)

    def _rebuild(self, concepts: _Concepts) -> None:
        pairs = chain(self._documents.pairs(), concept_pairs(concepts.graph.concepts()))
        self._index.replace(pairs, analyser=concepts.analyser, stamp=concepts.stamp(concepts.revision))

    def _know(self, concepts: _Concepts) -> Knowledge:
        self._concepts = concepts
        courses = self._courses.courses()
        ranker = ConceptAwareRanker(index=self._index, analyser=concepts.analyser, courses=courses)
        return Knowledge(
            graph=concepts.graph,
            linker=concepts.linker,
            ranker=self._vectors.fuse(ranker, courses) if self._vectors else ranker,
        )


def _revision(stamp: str | None, concepts: _Concepts) -> int | None:
    """The revision of an index that was made by the analyser of these concepts; None for any other."""
    revision = (stamp or "").partition("/")[0]
    return int(revision) if revision.isdecimal() and stamp == concepts.stamp(int(revision)) else None
