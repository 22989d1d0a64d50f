"""The knowledge of the store's present revision, served while the index follows it."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Collection, Hashable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from threading import Condition, Thread

from knowledge.index import PairIndex, SearchableIndex
from knowledge.learned_ranking import LearnedRanker, VectorSide
from knowledge.ranking import ConceptAwareRanker
from services.documents.graph_edits import SqlGraphEdits
from services.documents.store import SqlDocuments
from services.indexing.concepts import Concepts, DictionaryFile, follow_concepts, follow_edges, read_concepts
from services.indexing.index_sync import Alone, IndexSync
from services.tracing import span
from vta.errors import Conflict, NotReady, VtaError
from vta.faults import Fault
from vta.ports import CourseStore, Knowledge
from vta.types.courses import Course, CourseId, PairId
from vta.types.documents import PairChanges
from vta.types.pairs import Candidate, CollectionStatistics, Degradation, SearchQuery, SourceWeight

BEHIND = Degradation(
    stage="search", reason="the search index is behind the course; the newest changes may be missing"
)
_PATIENCE_S = 2.0
"""Seconds that a question waits for the index before it uses the older one."""
_COOL_DOWN_S = 5.0
"""Seconds, at least, between two tries where the index cannot follow."""
_CLOSING_S = 5.0
_OVERTAKEN = Conflict(Fault("store.changed"))
"""Another process has brought the index to newer concepts."""
_log = logging.getLogger(__name__)


class WatchedIndex:
    """`knowledge.index.SearchableIndex` that remembers when a search found nothing to search in.

    With a `failure` there is nothing that may answer, and every search fails at once.
    """

    def __init__(self, index: SearchableIndex, failure: VtaError | None = None) -> None:
        self._index = index
        self._failure = failure
        self.lost = False
        """True once a search found no index; the owner resets it."""

    def search(self, query: SearchQuery, weights: Sequence[SourceWeight], top: int) -> tuple[Candidate, ...]:
        with self._asked("search"):
            return self._index.search(query, weights, top)

    def score(
        self, query: SearchQuery, weights: Sequence[SourceWeight], ids: Collection[PairId]
    ) -> tuple[Candidate, ...]:
        with self._asked("score"):
            return self._index.score(query, weights, ids)

    def statistics(self, query: SearchQuery, course_id: CourseId) -> CollectionStatistics:
        with self._asked("statistics"):
            return self._index.statistics(query, course_id)

    @contextmanager
    def _asked(self, operation: str) -> Iterator[None]:
        if self._failure is not None:
            raise self._failure.with_traceback(None)
        with span(f"index {operation}"):
            try:
                yield
            except NotReady:
                self.lost = True
                raise


class SharedWork:
    """Runs `work` in a separate thread, once for all who asked before the run began.

    A request that comes while it runs is served by the next run. It holds no lock, and must not raise.
    """

    def __init__(self, work: Callable[[], None], *, name: str) -> None:
        self._work = work
        self._name = name
        self._changed = Condition()
        self._asked = self._done = 0
        self._begun_s: float | None = None
        self._thread: Thread | None = None
        self._closed = False

    def ask(self) -> int:
        """Request a run that begins after this call; returns the number to wait for."""
        with self._changed:
            self._asked += 1
            if self._thread is None and not self._closed:
                self._thread = Thread(target=self._run_all, name=self._name, daemon=True)
                self._thread.start()
            return self._asked

    def wait(self, number: int, *, patience_s: float | None = None) -> bool:
        """Wait until that run has ended, or until the one under way has taken `patience_s` seconds.

        Returns whether it has ended.
        """
        with self._changed:
            spent_s = time.monotonic() - self._begun_s if self._begun_s is not None else 0.0
            left_s = None if patience_s is None else max(patience_s - spent_s, 0.0)
            self._changed.wait_for(lambda: self._done >= number or self._closed, left_s)
            return self._done >= number

    def close(self, patience_s: float) -> None:
        """Start no further run, and wait for the current one."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
            self._changed.wait_for(lambda: self._thread is None, patience_s)

    def _run_all(self) -> None:
        while True:
            with self._changed:
                if self._closed or self._done >= self._asked:
                    self._thread = self._begun_s = None
                    self._changed.notify_all()
                    return
                number, self._begun_s = self._asked, time.monotonic()
            self._work()
            with self._changed:
                self._done, self._begun_s = number, None
                self._changed.notify_all()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Served:
    """The knowledge that answers questions."""

    concepts: Concepts
    """The concepts of the newest revision that was read."""
    ranked: Concepts | None
    """The concepts whose analyser made the index; None where no index may answer."""
    knowledge: Knowledge
    behind: Knowledge
    """The knowledge for a question that stopped waiting for the index; it is marked as degraded."""
    failure: VtaError | None
    """The reason why the index is behind."""


class StoredKnowledge:
    """`vta.ports.KnowledgeBase` over the stores and an index.

    The index is derived, and its stamp says from which revision, by which analyser and with the vectors of
    which embedding model. One thread makes it follow the store; no lock is held meanwhile. A question waits
    a little for changes of its course, a writer to the end. Where the index cannot follow, graph and linker
    still do; the ranker answers from the index as it was and says so, or fails with the reason where there is
    none. It is tried again by itself, so a crash or a fault between a change and its indexing is caught up.
    """

    def __init__(
        self,
        *,
        courses: CourseStore,
        documents: SqlDocuments,
        edits: SqlGraphEdits,
        index: PairIndex,
        vectors: VectorSide | None = None,
        dictionary: Path | None = None,
        alone: Callable[[], Alone] = nullcontext,
        patience_s: float = _PATIENCE_S,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        """Start without knowledge; the first question reads it.

        `vectors` belong to the index; `dictionary` is the file with the words of all concepts for the next
        start. Within `alone` no other process writes the index.
        """
        self._courses = courses
        self._documents = documents
        self._edits = edits
        self._index = index
        self._watched = WatchedIndex(index)
        self._vectors = vectors
        self._patience_s = patience_s
        self._now = now
        self._dictionary = DictionaryFile(dictionary)
        self._index_sync = IndexSync(documents=documents, edits=edits, index=index, alone=alone)
        self._work = SharedWork(self._follow, name="index-sync")
        self._served: _Served | None = None
        self._store_failure: Exception | None = None
        self._again_at_s = -float("inf")

    def current(self, course: Course | None = None) -> Knowledge:
        """The knowledge at the store's revision, or where that takes long or fails, the newest there is.

        With a `course`, changes of courses that lend it nothing are not waited for. Raises only what reading
        the store raises.
        """
        revision, revisions = self._documents.revisions(course)
        served = self._served
        if served is None:
            self._work.wait(self._work.ask())
        elif self._store_failure is not None or revisions != served.concepts.revisions_of(course):
            if not self._work.wait(self._work.ask(), patience_s=self._patience_s):
                return (self._served or served).behind
        elif served.concepts.revision != revision or (
            (served.failure or self._watched.lost) and self._now() >= self._again_at_s
        ):
            self._work.ask()
        return self._read_served().knowledge

    def sync(self) -> None:
        """Return when what the store holds now is found by searches; raises why it is not."""
        self._work.wait(self._work.ask())
        failure = self._read_served().failure
        if failure is not None:
            raise failure.with_traceback(None)

    def begin_sync(self, *, patience_s: float = 0.0) -> None:
        """Begin what `sync` waits for, and wait for it no longer than so many seconds."""
        self._work.wait(self._work.ask(), patience_s=patience_s)

    def reindex(self) -> None:
        """Rebuild the index beside the old one and swap it in, whatever its stamp says."""
        concepts = self._read_concepts(again=True)
        self._index_sync.rebuild(concepts)
        self._serve(concepts, None)

    def close(self) -> None:
        """End the work on the index, which can be broken off at any moment."""
        self._work.close(_CLOSING_S)

    def _read_served(self) -> _Served:
        served, failure = self._served, self._store_failure
        if failure is not None:
            raise failure.with_traceback(None)
        if served is None:
            raise NotReady(Fault("index.shutting_down"))
        return served

    def _read_concepts(self, *, again: bool = False) -> Concepts:
        return read_concepts(
            self._documents,
            self._edits,
            embedder=self._vectors.passages.name if self._vectors else None,
            courses=self._courses.courses,
            kept=self._dictionary,
            known=self._served.concepts if self._served else None,
            again=again,
        )

    def _follow(self) -> None:
        """One run of the thread that works on the index: first the concepts, then the index."""
        try:
            served = self._served
            followed = (
                follow_concepts(served.concepts, self._documents, courses=self._courses.courses)
                if served
                else None
            )
            concepts, changes = followed or (self._read_concepts(), None)
            if followed:
                self._dictionary.follow(concepts.revision)
            elif served:
                changes = follow_edges(served.concepts, concepts, self._documents)
            since = served.concepts.revision if served else concepts.revision
            self._show_graph(concepts)
            failure = self._follow_index(concepts, changes, since)
            while failure is _OVERTAKEN:
                concepts = self._read_concepts()
                self._show_graph(concepts)
                failure = self._follow_index(concepts, None, concepts.revision)
            self._serve(concepts, failure)
            self._store_failure = None
        except Exception as failure:
            self._store_failure = failure

    def _show_graph(self, concepts: Concepts) -> None:
        """Serve the new graph and linker while the index still follows."""
        served = self._served
        if served is not None and served.concepts.graph is not concepts.graph:
            between = object()  # the version of no other knowledge

            def renewed(knowledge: Knowledge) -> Knowledge:
                def version_of(course: Course) -> Hashable:
                    before, now = served.concepts.revisions_of(course), concepts.revisions_of(course)
                    return knowledge.version_of(course) if now == before else between

                return replace(knowledge, graph=concepts.graph, linker=concepts.linker, version_of=version_of)

            self._served = replace(served, knowledge=renewed(served.knowledge), behind=renewed(served.behind))

    def _follow_index(self, concepts: Concepts, changes: PairChanges | None, since: int) -> VtaError | None:
        """Update the index: None, the failure, or `_OVERTAKEN` where newer concepts have to be read."""
        begun_s = self._now()
        served = self._served
        if served is not None and served.failure is not None and begun_s < self._again_at_s:
            return served.failure
        try:
            if not self._index_sync.follow(concepts, changes, since=since):
                return _OVERTAKEN
        except VtaError as failure:
            took_s = self._now() - begun_s
            self._again_at_s = self._now() + max(
                _COOL_DOWN_S, 2 * took_s
            )  # most of the time it is left alone
            return failure
        self._watched.lost = False
        return None

    def _serve(self, concepts: Concepts, failure: VtaError | None) -> None:
        """Answer questions by these concepts from now on; `failure` is why the index is behind."""
        served = self._served
        if served and served.concepts is concepts and served.failure is failure:
            return
        if failure is None:
            ranked: Concepts | None = concepts
        else:
            ranked = served.ranked if served else self._that_made_the_index(concepts)

        def know(degraded: Degradation | None) -> Knowledge:
            words = ConceptAwareRanker(
                index=self._watched if ranked or not failure else WatchedIndex(self._index, failure),
                analyser=(ranked or concepts).analyser,
                courses=concepts.courses,
                degraded=degraded,
            )
            return Knowledge(
                graph=concepts.graph,
                linker=concepts.linker,
                ranker=LearnedRanker(words, self._vectors),
                version_of=partial(concepts.version_of, degraded=degraded),
            )

        behind = know(BEHIND)
        self._served = _Served(
            concepts=concepts,
            ranked=ranked,
            knowledge=behind if failure else know(None),
            behind=behind,
            failure=failure,
        )

    def _that_made_the_index(self, concepts: Concepts) -> Concepts | None:
        """The concepts, if the index was made with their analyser, at whatever revision."""
        try:
            return concepts if concepts.revision_of(self._index.stamp()) is not None else None
        except VtaError:
            return None


def sync_index(knowledge: StoredKnowledge) -> bool:
    """Bring the index to the store's revision; False where it cannot be yet, and is tried again by itself.

    The write itself is kept either way: the store is the truth.
    """
    try:
        knowledge.sync()
    except VtaError as failure:
        _log.warning("the index is behind the store: %s", failure.message)
        return False
    return True
