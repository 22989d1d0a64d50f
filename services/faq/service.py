"""The FAQ entries of a course, as API, console and command line work on them."""

from __future__ import annotations

import csv
import hashlib
import io
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from knowledge.sources.faq import COLUMNS, FaqTable, guard_cell
from services.faq.near_duplicates import ALIKE, content_terms
from services.indexing.stored_knowledge import StoredKnowledge, sync_index
from services.stores import Stores
from vta.errors import InvalidInput
from vta.faq import comparison_key
from vta.faults import Fault
from vta.text import Analyser, jaccard
from vta.types.courses import CourseId, FaqId
from vta.types.faq import FaqBatch, FaqChange, FaqDraft, FaqEntry, FaqUndone


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportPlan:
    """The effect of an import: `new` entries, `changed` ones with their new texts, and how many stay.

    `mark` differs wherever an entry was added, changed or removed.
    """

    table: FaqTable
    new: tuple[FaqDraft, ...]
    changed: tuple[tuple[FaqEntry, FaqDraft], ...]
    unchanged: int
    mark: str


def plan_import(present: Sequence[FaqEntry], table: FaqTable) -> ImportPlan:
    """Compare rows with the entries that ask the same question.

    Entries without a row stay as they are, and so do fields without a column.
    """
    known = {comparison_key(entry.draft.question): entry for entry in present}
    state = "\n".join(f"{entry.id} {entry.version}" for entry in present)
    new: list[FaqDraft] = []
    changed: list[tuple[FaqEntry, FaqDraft]] = []
    for row in table.rows:
        entry = known.get(comparison_key(row.draft.question))
        if entry is None:
            new.append(row.draft)
            continue
        missing = {name: getattr(entry.draft, name) for name in COLUMNS if name not in row.columns}
        draft = replace(row.draft, **missing)
        if draft != entry.draft:
            changed.append((entry, draft))
    return ImportPlan(
        table=table,
        new=tuple(new),
        changed=tuple(changed),
        unchanged=len(table.rows) - len(new) - len(changed),
        mark=hashlib.sha256(state.encode()).hexdigest()[:32],
    )


def write_table(entries: Sequence[FaqEntry]) -> str:
    """The entries as CSV that a spreadsheet opens without running any cell as a formula.

    Variants stand on lines of their own in their cell. An import takes the guards off again.
    """
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    for draft in (entry.draft for entry in entries):
        variants = ("\n".join(draft.similar_questions), "\n".join(draft.negative_questions))
        filed = (draft.category, draft.state.value)
        writer.writerow([guard_cell(cell) for cell in (draft.question, draft.answer, *variants, *filed)])
    return out.getvalue()


MOST_NEAR = 3
"""Near-duplicates that are named."""
_REMEMBERED_TEXTS = 20_000


class FaqService:
    """The FAQ entries of all courses. A written entry is searchable when a method returns.

    It is stored even where the index cannot follow; the next question then brings the index up to date.
    Every method raises as `SqlFaq` and `SqlFaqBatches` do.
    """

    def __init__(self, stores: Stores, knowledge: StoredKnowledge) -> None:
        self._faq, self._batches = stores.faq, stores.faq_batches
        self._knowledge = knowledge
        analyser = Analyser()
        self._terms = lru_cache(maxsize=_REMEMBERED_TEXTS)(lambda text: content_terms(analyser, text))

    def entry(self, course_id: CourseId, faq_id: FaqId) -> FaqEntry:
        """The newest version of an entry, also of a removed one."""
        return self._faq.history(course_id, faq_id)[-1]

    def near(self, entry: FaqEntry) -> tuple[FaqEntry, ...]:
        """Other entries of which a question is nearly one of this entry's, the nearest first."""
        own = [self._terms(text) for text in _questions(entry)]

        def likeness(other: FaqEntry) -> float:
            return max(jaccard(terms, self._terms(text)) for terms in own for text in _questions(other))

        others = [other for other in self._faq.entries(entry.course_id) if other.id != entry.id]
        ranked = sorted(((likeness(other), other) for other in others), key=lambda each: -each[0])
        return tuple(other for alike, other in ranked[:MOST_NEAR] if alike >= ALIKE)

    def add(self, course_id: CourseId, draft: FaqDraft, *, editor: str) -> FaqEntry:
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
        """Remove an entry from all answers; its history stays, and `restore` brings it back."""
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
        """A new version with the texts of an old one. `InvalidInput` for an unknown version."""
        versions = self._faq.history(course_id, faq_id)
        if not 1 <= version <= len(versions):
            raise InvalidInput(Fault("faq_entry.versions", count=len(versions)), field="version")
        return self.edit(course_id, faq_id, versions[version - 1].draft, editor=editor, expected=expected)

    def plan(self, course_id: CourseId, table: FaqTable) -> ImportPlan:
        """The plan for importing a table; nothing is written."""
        return plan_import(self._faq.entries(course_id), table)

    def apply(self, course_id: CourseId, plan: ImportPlan, *, editor: str, file: str) -> FaqBatch | None:
        """Carry a plan out as a whole; None where there is nothing to do.

        `Conflict` where entries were changed since it was made.
        """
        if not plan.new and not plan.changed:
            return None
        batch = self._batches.import_rows(course_id, plan.new, plan.changed, editor=editor, file=file)
        sync_index(self._knowledge)
        return batch

    def change(
        self, course_id: CourseId, faq_ids: Sequence[FaqId], change: FaqChange, *, editor: str
    ) -> FaqBatch | None:
        """Change several entries at once; None where it changes none."""
        batch = self._batches.change(course_id, faq_ids, change, editor=editor)
        if batch is not None:
            sync_index(self._knowledge)
        return batch

    def undo(self, course_id: CourseId, batch_id: str, *, editor: str) -> FaqUndone:
        """Restore the entries of a batch, but for those edited since."""
        undone = self._batches.undo(course_id, batch_id, editor=editor)
        sync_index(self._knowledge)
        return undone

    def export(self, course_id: CourseId) -> str:
        """The entries as a CSV table that can be imported again."""
        return write_table(self._faq.entries(course_id))


def _questions(entry: FaqEntry) -> tuple[str, ...]:
    return (entry.draft.question, *entry.draft.similar_questions)
