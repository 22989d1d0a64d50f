"""What instructors do with the FAQ entries of a course, whichever way they come."""

from __future__ import annotations

from dataclasses import dataclass

from knowledge.sources.faq import FaqTable
from services.indexing.stored_knowledge import StoredKnowledge
from services.indexing.sync import sync_index
from services.use_cases.faq_tables import ImportPlan, plan_import, write_table
from vta.errors import InvalidInput
from vta.faults import Fault
from vta.ports import FaqRepository
from vta.types import CourseId, FaqDraft, FaqEntry, FaqId


@dataclass(frozen=True, slots=True, kw_only=True)
class FaqPage:
    """Some of the entries that were asked for, and how many there are in all."""

    total: int
    entries: tuple[FaqEntry, ...]


class FaqService:
    """The FAQ entries of all courses. What is written is searchable when a method returns.

    The store has it even where the index cannot follow; the next question brings the index up to date then.
    Every method raises as `FaqRepository` does.
    """

    def __init__(self, *, faq: FaqRepository, knowledge: StoredKnowledge) -> None:
        self._faq = faq
        self._knowledge = knowledge

    def page(
        self,
        course_id: CourseId,
        *,
        sought: str = "",
        removed: bool = False,
        newest_first: bool = False,
        offset: int = 0,
        limit: int = 50,
    ) -> FaqPage:
        """Entries whose texts hold what is sought, or removed ones; oldest first, or newest edits first."""
        total, entries = self._faq.page(
            course_id, sought=sought, removed=removed, newest_first=newest_first, offset=offset, limit=limit
        )
        return FaqPage(total=total, entries=entries)

    def entries(self, course_id: CourseId) -> tuple[FaqEntry, ...]:
        """All entries that are not removed, oldest first."""
        return self._faq.entries(course_id)

    def entry(self, course_id: CourseId, faq_id: FaqId) -> FaqEntry:
        """The newest version of an entry, also of a removed one."""
        return self._faq.history(course_id, faq_id)[-1]

    def history(self, course_id: CourseId, faq_id: FaqId) -> tuple[FaqEntry, ...]:
        """All versions of an entry, oldest first."""
        return self._faq.history(course_id, faq_id)

    def add(self, course_id: CourseId, draft: FaqDraft, *, editor: str) -> FaqEntry:
        """A new entry."""
        (entry,) = self._faq.add(course_id, [draft], editor=editor)
        sync_index(self._knowledge)
        return entry

    def edit(
        self, course_id: CourseId, faq_id: FaqId, draft: FaqDraft, *, editor: str, expected: int
    ) -> FaqEntry:
        """The next version of an entry, which also brings a removed one back."""
        entry = self._faq.edit(course_id, faq_id, draft, editor=editor, expected=expected)
        sync_index(self._knowledge)
        return entry

    def remove(self, course_id: CourseId, faq_id: FaqId, *, editor: str, expected: int) -> FaqEntry:
        """Take an entry out of all answers; its history stays, and `restore` brings it back."""
        entry = self._faq.remove(course_id, faq_id, editor=editor, expected=expected)
        sync_index(self._knowledge)
        return entry

    def restore(self, course_id: CourseId, faq_id: FaqId, *, editor: str, expected: int) -> FaqEntry:
        """Bring a removed entry back with the texts it had. `InvalidInput` for one that is not removed."""
        newest = self.entry(course_id, faq_id)
        if not newest.removed:
            raise InvalidInput(Fault("faq_entry.not_removed"))
        return self.edit(course_id, faq_id, newest.draft, editor=editor, expected=expected)

    def roll_back(
        self, course_id: CourseId, faq_id: FaqId, version: int, *, editor: str, expected: int
    ) -> FaqEntry:
        """A new version with the texts of an old one. `InvalidInput` for a version that there is not."""
        versions = self._faq.history(course_id, faq_id)
        if not 1 <= version <= len(versions):
            raise InvalidInput(Fault("faq_entry.versions", count=len(versions)), field="version")
        return self.edit(course_id, faq_id, versions[version - 1].draft, editor=editor, expected=expected)

    def plan(self, course_id: CourseId, table: FaqTable) -> ImportPlan:
        """What importing a table would do; nothing is written."""
        return plan_import(self._faq.entries(course_id), table)

    def apply(self, course_id: CourseId, plan: ImportPlan, *, editor: str) -> None:
        """Carry a plan out, all of it or nothing. `Conflict` where entries were changed since it was made."""
        if plan.new or plan.changed:
            self._faq.add(course_id, plan.new, changed=plan.changed, editor=editor)
            sync_index(self._knowledge)

    def export(self, course_id: CourseId) -> str:
        """The entries as a CSV table that can be imported again."""
        return write_table(self._faq.entries(course_id))
