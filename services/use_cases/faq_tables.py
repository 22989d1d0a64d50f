"""FAQ entries in bulk: what an import would do, and writing entries as a table."""

from __future__ import annotations

import csv
import hashlib
import io
from collections.abc import Sequence
from dataclasses import dataclass

from knowledge.sources.faq import COLUMNS, FaqTable, RejectedRow, guard_cell
from vta.faq import bare
from vta.types import FaqDraft, FaqEntry


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportPlan:
    """What an import would do: `new` entries, `changed` ones with their new texts, and how many stay.

    `rejected` rows are left out, `unlisted` more of them too; `mark` differs wherever an entry was added,
    changed or removed.
    """

    new: tuple[FaqDraft, ...]
    changed: tuple[tuple[FaqEntry, FaqDraft], ...]
    unchanged: int
    rejected: tuple[RejectedRow, ...]
    unlisted: int
    mark: str


def plan_import(present: Sequence[FaqEntry], table: FaqTable) -> ImportPlan:
    """Compare rows with the entries that ask the same question; entries without a row stay as they are."""
    known = {bare(entry.draft.question): entry for entry in present}
    new: list[FaqDraft] = []
    changed: list[tuple[FaqEntry, FaqDraft]] = []
    for row in table.rows:
        entry = known.get(bare(row.draft.question))
        if entry is None:
            new.append(row.draft)
        elif entry.draft != row.draft:
            changed.append((entry, row.draft))
    return ImportPlan(
        new=tuple(new),
        changed=tuple(changed),
        unchanged=len(table.rows) - len(new) - len(changed),
        rejected=table.rejected,
        unlisted=table.unlisted,
        mark=_mark(present),
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
        writer.writerow([guard_cell(cell) for cell in (draft.question, draft.answer, *variants)])
    return out.getvalue()


def _mark(entries: Sequence[FaqEntry]) -> str:
    state = "\n".join(f"{entry.id} {entry.version}" for entry in entries)
    return hashlib.sha256(state.encode()).hexdigest()[:32]
