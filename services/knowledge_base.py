"""The knowledge of the store's present revision: graph, linker, analyser and index that fit together."""

from __future__ import annotations

from itertools import chain
from threading import Lock

from concept_graph.graph import NetworkxConceptGraph
from concept_graph.headings import merge
from concept_graph.mentions import DictionaryLinker
from knowledge.concept_pairs import concept_pairs
from knowledge.ranking import ConceptAwareRanker
from vta.ports import CourseStore, DocumentStore, Knowledge, PairIndex
from vta.text import Analyser


class StoredKnowledge:
    """`vta.ports.KnowledgeBase` over the stores and an index.

    The index is derived: one made at another revision, or by another analyser, is rebuilt before it is used,
    so a crash between a change and its indexing is caught up by the next question.
    """

    def __init__(self, *, courses: CourseStore, documents: DocumentStore, index: PairIndex) -> None:
        self._courses = courses
        self._documents = documents
        self._index = index
        self._lock = Lock()
        self._revision: int | None = None
        self._knowledge: Knowledge | None = None

    def current(self) -> Knowledge:
        revision = self._documents.revision()
        with self._lock:
            if self._knowledge is None or revision != self._revision:
                self._knowledge = self._build(revision)
                self._revision = revision
            return self._knowledge

    def reindex(self) -> int:
        """Rebuild the index whatever its stamp says, and return the number of pairs."""
        with self._lock:
            self._index_all(self._documents.revision())
            self._knowledge = None
        self.current()
        return sum(1 for _ in self._documents.pairs())
