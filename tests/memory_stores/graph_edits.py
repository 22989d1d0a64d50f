"""The edits of the concept graphs in memory."""

from __future__ import annotations

from collections.abc import Sequence

from memory_stores.catalogue import Memory
from vta.changes import DocumentChange
from vta.errors import NotFound
from vta.faults import Fault
from vta.ports import Clock
from vta.types import CourseId, GraphEdit, RecordedEdit


class MemoryGraphEdits:
    """As `services.storage.graph_edits.SqlGraphEdits`."""

    def __init__(self, memory: Memory, clock: Clock) -> None:
        self._memory = memory
        self._clock = clock

    def edits(self, course_id: CourseId | None = None) -> tuple[RecordedEdit, ...]:
        with self._memory.lock:
            if course_id is not None:
                self._memory.require_course(course_id)
                return tuple(self._memory.edits.get(course_id, ()))
            return tuple(edit for _, edits in sorted(self._memory.edits.items()) for edit in edits)

    def record(self, course_id: CourseId, edit: GraphEdit) -> RecordedEdit:
        return self.record_all(course_id, [edit])[0]

    def record_all(self, course_id: CourseId, edits: Sequence[GraphEdit]) -> tuple[RecordedEdit, ...]:
        with self._memory.lock:
            self._memory.require_course(course_id)
            last, now = self._memory.edit_numbers.get(course_id, 0), self._clock.now()
            recorded = tuple(
                RecordedEdit(course_id=course_id, number=last + n, edit=edit, created_at=now)
                for n, edit in enumerate(edits, 1)
            )
            if recorded:
                self._memory.edit_numbers[course_id] = recorded[-1].number
                self._memory.edits.setdefault(course_id, []).extend(recorded)
                self._tell(course_id)
            return recorded

    def undo(self, course_id: CourseId) -> tuple[RecordedEdit, ...]:
        with self._memory.lock:
            self._memory.require_course(course_id)
            edits = self._memory.edits.get(course_id)
            if not edits:
                raise NotFound(Fault("graph.nothing_to_undo", course=course_id))
            self._tell(course_id)
            undone = tuple(each for each in edits if each.created_at == edits[-1].created_at)
            del edits[-len(undone) :]
            return undone

    def _tell(self, course_id: CourseId) -> None:
        self._memory.raise_revision({(course_id, ""): DocumentChange(concepts=True)})
