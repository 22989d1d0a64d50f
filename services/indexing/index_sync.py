"""Brings the derived index to a revision of the store, by an update or a rebuild."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from itertools import chain, groupby
from operator import attrgetter

from filelock import FileLock, Timeout

from knowledge.index import PairIndex
from knowledge.index.embedded import EmbeddedIndex
from services.documents.graph_edits import SqlGraphEdits
from services.documents.store import SqlDocuments
from services.indexing.concepts import Concepts, every_concept, stamp_revision
from services.store.engine import unwritable
from vta.errors import Conflict, LimitExceeded, NotReady, UpstreamFailed, VtaError
from vta.faults import Fault
from vta.types.concepts import Concept
from vta.types.courses import CourseId, PairId
from vta.types.documents import PairChanges
from vta.types.pairs import QAPair, Source

Alone = AbstractContextManager[object]
_WRITERS = 10
"""Attempts where another process changes the index at the same time."""
_log = logging.getLogger(__name__)
_WRITABLE = "make room or give this user the right to write, and the index catches up by itself"
_LEFT_OVER = "left by a process that was killed, which do no harm; vta reindex removes them"
_READ = 10_000
"""Pairs that are read to see whether they can be; all of a large index would take minutes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexSync:
    """Keeps one index at the store's revision.

    Where only pairs changed since the index was made, it is updated with them; else, and where the update
    fails in whatever way, it is rebuilt beside the live one. Every failure is a `VtaError`.

    Of several processes one writes at a time, as within `alone` no other one is within it; who waited for it
    looks first at what it left to be done.
    """

    documents: SqlDocuments
    edits: SqlGraphEdits
    index: PairIndex
    alone: Callable[[], Alone] = nullcontext

    def follow(self, concepts: Concepts, changes: PairChanges | None, *, since: int) -> bool:
        """Bring the index to the revision of the concepts, or to a later one of the same concepts.

        `changes` are those after the revision `since`, where they were read already. False where another
        process has brought it to newer concepts meanwhile, which have to be read first.
        """
        with _failures_in_words():
            if concepts.revision_of(self._stamp()) == concepts.revision:
                return True
            with self.alone():
                if self._updated(concepts, {since: changes} if changes else {}):
                    return True
                if concepts.revision < (stamp_revision(self._stamp()) or 0) <= self.documents.revision():
                    return False
                self._rebuild(concepts)
        return True

    def rebuild(self, concepts: Concepts) -> None:
        """Rebuild the index whatever its stamp."""
        with _failures_in_words(), self.alone():
            self._rebuild(concepts)

    def _updated(self, concepts: Concepts, known: dict[int, PairChanges]) -> bool:
        """Update the index without a rebuild; False where only a rebuild helps."""
        for _ in range(_WRITERS):
            stamp = self._stamp()
            since = concepts.revision_of(stamp)
            if stamp is None or since is None:
                return False
            changes = known.pop(since, None) or self.documents.changes(since)
            if changes is None or changes.concepts:
                return False
            if changes.revision == since:
                return True
            try:
                self.index.update(
                    put=changes.put,
                    remove=changes.removed,
                    analyser=concepts.analyser,
                    since=stamp,
                    stamp=concepts.stamp(changes.revision),
                )
            except Conflict:
                continue
            except LimitExceeded:
                return False
            except Exception as failure:
                _log.warning("an update of the index failed, and it is rebuilt: %s", failure)
                return False
            return True
        return False

    def _stamp(self) -> str | None:
        """The stamp of the index; None for an unreadable one."""
        try:
            return self.index.stamp()
        except NotReady:
            return None

    def _rebuild(self, concepts: Concepts) -> None:
        every = every_concept(self.documents, self.edits)
        pairs = _by_course(self.documents.pairs(), concept_pairs(every))
        self.index.replace(pairs, analyser=concepts.analyser, stamp=concepts.stamp(concepts.revision))


def _by_course(pairs: Iterable[QAPair], of_concepts: Iterable[QAPair]) -> Iterator[QAPair]:
    """Both, those of a course together. `pairs` come so already."""
    concepts: dict[CourseId, list[QAPair]] = {}
    for pair in of_concepts:
        concepts.setdefault(pair.course_id, []).append(pair)
    for course_id, of_course in groupby(pairs, key=attrgetter("course_id")):
        yield from of_course
        yield from concepts.pop(course_id, ())
    yield from chain.from_iterable(concepts.values())


@contextmanager
def _failures_in_words() -> Iterator[None]:
    try:
        yield
    except VtaError:
        raise
    except Exception as error:
        _log.exception("the index cannot be brought up to date")
        raise NotReady(Fault("knowledge.index_behind")) from error


def concept_pairs(concepts: Iterable[Concept]) -> Iterator[QAPair]:
    """One pair for each course of each concept that has an explanation; its aliases ask for it too."""
    for concept in concepts:
        for course_id in concept.courses if concept.definition else ():
            yield QAPair(
                id=PairId(f"{concept.id}@{course_id}"),
                course_id=course_id,
                source=Source.CONCEPT,
                question=concept.name,
                answer=concept.definition,
                domains=concept.domains,
                document=concept.document,
                locator=concept.locator,
                similar_questions=concept.aliases,
            )


def examine_index(index: PairIndex, documents: SqlDocuments) -> str:
    """One line; it begins with "failed: " where searches fail or the index cannot follow the store."""
    embedded = index if isinstance(index, EmbeddedIndex) else None
    engine = "Elasticsearch" if embedded is None else "embedded index"
    try:
        stamp = index.stamp()
        if embedded is not None and stamp is not None:
            embedded.read_pairs(_READ)
    except UpstreamFailed as failure:
        return f"failed: {failure.message}; the index catches up by itself once it is back"
    except NotReady as failure:
        return f"failed: {failure.message}; vta reindex builds it anew"
    if embedded is not None and (path := embedded.generations.path).exists() and (reason := unwritable(path)):
        return f"failed: the folder of the index cannot be written: {reason}; {_WRITABLE}"
    if stamp is None:
        return f"{engine}, empty; the next question or vta reindex builds it"
    notes = [f"{engine}, made at {stamp}"]
    if (behind := _behind(stamp, documents)) > 0:
        many = "revision" if behind == 1 else "revisions"
        notes.append(f"{behind} {many} behind the store, which the next question or vta reindex makes up for")
    if embedded is not None and (left := _left_over(embedded)):
        notes.append(f"{left} {_LEFT_OVER}")
    return "; ".join(notes)


def revisions_behind(index: PairIndex, documents: SqlDocuments) -> int:
    """The number of changes that an index lacks; 0 for an empty or unreadable one."""
    try:
        stamp = index.stamp()
    except (UpstreamFailed, NotReady):
        return 0
    return 0 if stamp is None else _behind(stamp, documents)


def _behind(stamp: str, documents: SqlDocuments) -> int:
    return max(0, documents.revision() - (stamp_revision(stamp) or 0))


def _left_over(index: EmbeddedIndex) -> int:
    """Generations of processes that were killed; 0 while another process is writing."""
    try:
        with FileLock(index.generations.lock_file, timeout=0):
            return len(index.generations.left_over())
    except (OSError, Timeout):
        return 0
