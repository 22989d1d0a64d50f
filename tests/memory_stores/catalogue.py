"""Courses and documents in memory, and what all stores in memory share."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from threading import RLock

from vta.changes import (
    KEPT_REVISIONS,
    LARGEST_CHANGE,
    DocumentChange,
    compare_versions,
    join_changes,
    net_changes,
)
from vta.errors import Conflict, InvalidInput, NotFound
from vta.faq import asks
from vta.faults import Fault
from vta.types import (
    Concept,
    ConceptEdge,
    Course,
    CourseDocument,
    CourseId,
    DocumentState,
    Feedback,
    PairChanges,
    QAPair,
    RecordedEdit,
    SessionId,
    Turn,
    TurnId,
    WaitingQuestion,
)


@dataclass(slots=True)
class MemorySession:
    """A session as kept in memory."""

    course_id: CourseId
    learner_id: str | None
    turns: list[Turn] = field(default_factory=list)
    feedback: dict[TurnId, Feedback] = field(default_factory=dict)
    waiting: dict[TurnId, WaitingQuestion] = field(default_factory=dict)


@dataclass(slots=True)
class Memory:
    """What the stores share, as the tables of a database would."""

    courses: dict[CourseId, Course] = field(default_factory=dict)
    documents: dict[CourseId, dict[str, CourseDocument]] = field(default_factory=dict)
    sessions: dict[SessionId, MemorySession] = field(default_factory=dict)
    edits: dict[CourseId, list[RecordedEdit]] = field(default_factory=dict)
    edit_numbers: dict[CourseId, int] = field(default_factory=dict)
    revision: int = 0
    outbox: dict[int, dict[tuple[CourseId, str], DocumentChange]] = field(default_factory=dict)
    lock: RLock = field(default_factory=RLock)

    def raise_revision(self, changes: dict[tuple[CourseId, str], DocumentChange] | None) -> None:
        """Count a change; None, or one of too many pairs, is not recorded pair by pair."""
        self.revision += 1
        if changes is not None and sum(change.size for change in changes.values()) <= LARGEST_CHANGE:
            self.outbox[self.revision] = changes
        self.outbox.pop(self.revision - KEPT_REVISIONS, None)

    def require_course(self, course_id: CourseId) -> Course:
        """The course, or `NotFound`."""
        if course_id not in self.courses:
            raise NotFound(Fault("course.unknown", course=course_id))
        return self.courses[course_id]


class MemoryCourses:
    """The port `CourseStore`."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory

    def add(self, course: Course) -> None:
        with self._memory.lock:
            if course.id in self._memory.courses:
                raise Conflict(Fault("course.exists", course=course.id))
            self._memory.courses[course.id] = course
            self._memory.documents[course.id] = {}
            self._memory.raise_revision({(course.id, ""): DocumentChange()})

    def remove(self, course_id: CourseId) -> None:
        memory = self._memory
        with memory.lock:
            memory.require_course(course_id)
            del memory.courses[course_id], memory.documents[course_id]
            memory.edits.pop(course_id, None)
            memory.edit_numbers.pop(course_id, None)
            memory.sessions = {
                id: kept for id, kept in memory.sessions.items() if kept.course_id != course_id
            }
            memory.raise_revision(None)

    def course(self, course_id: CourseId) -> Course:
        with self._memory.lock:
            return self._memory.require_course(course_id)

    def courses(self) -> tuple[Course, ...]:
        with self._memory.lock:
            return tuple(sorted(self._memory.courses.values(), key=lambda course: course.id))

    def calibrate(self, course_id: CourseId, *, alpha: float | None, beta: float | None) -> None:
        with self._memory.lock:
            course = self._memory.require_course(course_id)
            self._memory.courses[course_id] = replace(course, alpha=alpha, beta=beta)


class MemoryDocuments:
    """As `services.storage.documents.SqlDocuments`, as far as the dialogue and the index need it."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory

    def states(self, course_id: CourseId) -> Mapping[str, DocumentState]:
        with self._memory.lock:
            self._memory.require_course(course_id)
            kept = self._memory.documents[course_id]
            return {
                path: DocumentState(sha256=document.sha256, folder=document.folder)
                for path, document in kept.items()
            }

    def passages(self, course_id: CourseId, path: str) -> tuple[QAPair, ...]:
        with self._memory.lock:
            kept = self._memory.documents.get(course_id, {}).get(path)
            return kept.pairs if kept else ()

    def apply(self, course_id: CourseId, *, put: Iterable[CourseDocument], remove: Sequence[str] = ()) -> int:
        with self._memory.lock:
            self._memory.require_course(course_id)
            put = tuple(put)
            _check_documents(course_id, put)
            documents = self._memory.documents[course_id]
            changes: dict[tuple[CourseId, str], DocumentChange] = {}
            for path in set(remove) & set(documents):
                changes[course_id, path] = _compare(documents.pop(path), None)
            for document in put:
                place = course_id, document.path
                change = _compare(documents.get(document.path), document)
                changes[place] = join_changes(changes.get(place, DocumentChange()), change)
                documents[document.path] = document
            if changes:
                self._memory.raise_revision(changes)
            return self._memory.revision

    def pairs(self, course_id: CourseId | None = None) -> Iterator[QAPair]:
        for document in self._ordered():
            yield from (pair for pair in document.pairs if course_id in (None, pair.course_id))

    def concepts(
        self, course_id: CourseId | None = None
    ) -> Iterator[tuple[tuple[Concept, ...], tuple[ConceptEdge, ...]]]:
        for document in self._ordered(course_id):
            if document.concepts or document.edges:
                yield document.concepts, document.edges

    def revision(self) -> int:
        return self._memory.revision

    def changes(self, since: int) -> PairChanges | None:
        memory = self._memory

        def read(course_id: CourseId, path: str) -> tuple[QAPair, ...]:
            document = memory.documents[course_id].get(path)
            return document.pairs if document else ()

        with memory.lock:
            revisions = range(since + 1, memory.revision + 1)
            if since > memory.revision or not all(each in memory.outbox for each in revisions):
                return None
            recorded = (
                (*place, change) for each in revisions for place, change in memory.outbox[each].items()
            )
            return net_changes(recorded, read, revision=memory.revision)

    def _ordered(self, course_id: CourseId | None = None) -> list[CourseDocument]:
        with self._memory.lock:
            return [
                kept
                for id, of_course in sorted(self._memory.documents.items())
                if course_id in (None, id)
                for _, kept in sorted(of_course.items())
            ]


class MemoryExactMatches:
    """The port `ExactMatches`."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory

    def find(self, course_id: CourseId, question: str) -> QAPair | None:
        with self._memory.lock:
            documents = self._memory.documents.get(course_id, {})
            found = [pair for kept in documents.values() for pair in kept.pairs if asks(pair, question)]
        return min(found, key=lambda pair: pair.document is not None, default=None)


def _compare(before: CourseDocument | None, after: CourseDocument | None) -> DocumentChange:
    old, new = (document or CourseDocument(path="", sha256="") for document in (before, after))
    return compare_versions(
        {pair.id: pair for pair in old.pairs},
        {pair.id: pair for pair in new.pairs},
        concepts=(old.concepts, old.edges) != (new.concepts, new.edges),
    )


def _check_documents(course_id: CourseId, documents: Sequence[CourseDocument]) -> None:
    seen: set[str] = set()
    for document in documents:
        if document.path in seen:
            raise InvalidInput(Fault("store.document_twice", path=document.path), path=document.path)
        seen.add(document.path)
        for pair in document.pairs:
            if pair.course_id != course_id:
                foreign = Fault("store.foreign_pair", pair=pair.id, course=course_id)
                raise InvalidInput(foreign, path=document.path)
