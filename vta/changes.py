"""The changes of pairs by one edit of a document, and by many edits together."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from vta.types.courses import CourseId, PairId
from vta.types.documents import PairChanges
from vta.types.pairs import QAPair

LARGEST_CHANGE = 10_000
"""Pairs. A larger change is not recorded pair by pair; it rebuilds the index."""
KEPT_REVISIONS = 1_000
"""Recorded revisions of changes; an index that is further behind is rebuilt."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentChange:
    """The change of one document in one revision: the pairs put (added or edited) and removed.

    `concepts` says whether its concepts or edges changed.
    """

    put: tuple[PairId, ...] = ()
    removed: tuple[PairId, ...] = ()
    concepts: bool = False

    @property
    def size(self) -> int:
        """The number of pairs that changed."""
        return len(self.put) + len(self.removed)


def compare_versions(
    before: Mapping[PairId, object], after: Mapping[PairId, object], *, concepts: bool
) -> DocumentChange:
    """The change from one version of a document to the next, each as its pairs in any form that compares."""
    return DocumentChange(
        put=tuple(id for id, pair in after.items() if before.get(id) != pair),
        removed=tuple(id for id in before if id not in after),
        concepts=concepts,
    )


def join_changes(first: DocumentChange, then: DocumentChange) -> DocumentChange:
    """Two changes of one document in one revision, as one."""
    put, removed = dict.fromkeys(then.put), dict.fromkeys((*first.removed, *then.removed))
    put.update((id, None) for id in first.put if id not in removed)
    return DocumentChange(
        put=tuple(put),
        removed=tuple(id for id in removed if id not in put),
        concepts=first.concepts or then.concepts,
    )


def net_changes(
    changes: Iterable[tuple[CourseId, str, DocumentChange]],
    read: Callable[[CourseId, str], Iterable[QAPair]],
    *,
    revision: int,
) -> PairChanges | None:
    """The sum of changes of documents, given with course and path, at a revision; None for too many.

    A change without a path is one of the course itself. `read` gives the pairs that a document has at that
    revision, none for one that is gone.
    """
    put: dict[tuple[CourseId, str], set[PairId]] = {}
    removed: dict[PairId, CourseId] = {}
    concepts, courses, size = False, False, 0
    for course_id, path, change in changes:
        size += change.size
        if size > LARGEST_CHANGE:
            return None
        put.setdefault((course_id, path), set()).update(change.put)
        removed.update(dict.fromkeys(change.removed, course_id))
        concepts, courses = concepts or change.concepts, courses or not path
    pairs = tuple(pair for place, ids in put.items() if ids for pair in read(*place) if pair.id in ids)
    there = {(pair.id, pair.course_id) for pair in pairs}
    return PairChanges(
        revision=revision,
        put=pairs,
        removed={id: course for id, course in removed.items() if (id, course) not in there},
        concepts=concepts,
        courses=courses,
    )
