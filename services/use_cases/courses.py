"""What people do with whole courses: take one in from a file, remove one."""

from __future__ import annotations

from services.indexing.stored_knowledge import StoredKnowledge
from services.indexing.sync import sync_index
from services.storage.course_transfer import CourseContent, SqlCourseTransfer
from services.storage.courses import SqlCourses
from vta.types import Course, CourseId


class CourseCatalogue:
    """The courses of one platform."""

    def __init__(
        self, *, courses: SqlCourses, transfer: SqlCourseTransfer, knowledge: StoredKnowledge
    ) -> None:
        self._courses = courses
        self._transfer = transfer
        self._knowledge = knowledge

    def take_in(self, content: CourseContent, *, editor: str) -> None:
        """Store a course from a file, whole or not at all; it answers then. `Conflict` for a known id."""
        self._transfer.add(content, editor=editor)
        sync_index(self._knowledge)

    def remove(self, course_id: CourseId) -> Course:
        """Remove a course with everything in it, and return what it was; `NotFound` for none."""
        course = self._courses.course(course_id)
        self._courses.remove(course.id)
        sync_index(self._knowledge)
        return course
