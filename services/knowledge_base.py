"""The knowledge of the store's present revision: graph, linker, analyser and index that fit together."""

from __future__ import annotations

from itertools import chain
from threading import Lock
from typing import TYPE_CHECKING

from concept_graph.graph import NetworkxConceptGraph
from concept_graph.mentions import DictionaryLinker
from concept_graph.platform_graph import unite
from knowledge.bm25 import StatisticsSource
from knowledge.concept_pairs import concept_pairs
from knowledge.ranking import ConceptAwareRanker
from vta.ports import CourseStore, DocumentStore, Knowledge, PairIndex
from vta.text import Analyser

if TYPE_CHECKING:
    from knowledge.vectors.fusion import VectorSide


class StoredKnowledge:
    """`vta.ports.KnowledgeBase` over the stores and an index.

    The index is derived: one made at another revision, by another analyser or with the vectors of another
    embedding model is rebuilt before it is used, so a crash between a change and its indexing is caught up by
    the next question.
    """

    def __init__(
        self,
        *,
        courses: CourseStore,
        documents: DocumentStore,
        index: PairIndex,
        statistics: StatisticsSource | None = None,
        vectors: VectorSide | None = None,
    ) -> None:
        """`statistics` are those of the index; they are needed for pairs that are ranked outside of it.

        `vectors` are those that the index keeps beside its pairs.
        """
        self._statistics = statistics
        self._vectors = vectors
        self._courses = courses
        self._documents = documents
        self._index = index
        self._lock = Lock()
        self._revision: int | None = None
        self._knowledge: Knowledge | None = None

    def current(self) -> Knowledge:
        """The knowledge at the store's revision; another thread's rebuild is waited for."""
        with self._lock:
            revision = self._documents.revision()
            if self._knowledge is None or revision != self._revision:
                self._knowledge = self._build(revision, reindex=False)
                self._revision = revision
            return self._knowledge

    def reindex(self) -> None:
        """Rebuild the index beside the old one and swap it in, whatever its stamp says."""
        with self._lock:
            revision = self._documents.revision()
            self._knowledge = self._build(revision, reindex=True)
            self._revision = revision

    def _build(self, revision: int, *, reindex: bool) -> Knowledge:
        graph = NetworkxConceptGraph(*unite(self._documents.concepts()))
        concepts = graph.concepts()
        analyser = Analyser(name for concept in concepts for name in (concept.name, *concept.aliases))
        stamp = f"{revision}/{analyser.fingerprint}"
        if self._vectors is not None:
            stamp += f"/{self._vectors.embedder.name}"
        if reindex or self._index.stamp() != stamp:
            pairs = chain(self._documents.pairs(), concept_pairs(concepts))
            self._index.replace(pairs, analyser=analyser, stamp=stamp)
        courses = self._courses.courses()
        ranker = ConceptAwareRanker(
            index=self._index, analyser=analyser, courses=courses, statistics=self._statistics
        )
        return Knowledge(
            graph=graph,
            linker=DictionaryLinker(concepts),
            ranker=self._vectors.fuse(ranker, courses) if self._vectors else ranker,
        )
