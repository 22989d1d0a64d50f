"""FAQ entries in bulk: what an import would do, and writing entries as a table."""

from __future__ import annotations

import csv
import hashlib
import io
from collections.abc import Sequence
from dataclasses import dataclass, replace

from knowledge.sources.faq import COLUMNS, FaqRow, FaqTable, RejectedRow, guard_cell
from vta.faq import bare
from vta.types import FaqDraft, FaqEntry


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportPlan:
    """What an import would do: `new` entries, `changed` ones with their new texts, and how many stay.

    `rejected` rows are left out, `unlisted` more of them too; `mark` differs wherever an entry was added,
    changed or removed. Of a workbook, `sheet` is the one that was read, and `other_sheets` have a header too.
    """

    new: tuple[FaqDraft, ...]
    changed: tuple[tuple[FaqEntry, FaqDraft], ...]
    unchanged: int
    rejected: tuple[RejectedRow, ...]
    unlisted: int
    mark: str
    sheet: str = ""
    other_sheets: tuple[str, ...] = ()


def plan_import(present: Sequence[FaqEntry], table: FaqTable) -> ImportPlan:
    """Compare rows with the entries that ask the same question.

    Entries without a row stay as they are, and so does what the table has no column for.
    """
    known = {bare(entry.draft.question): entry for entry in present}
    new: list[FaqDraft] = []
    changed: list[tuple[FaqEntry, FaqDraft]] = []
    for row in table.rows:
        entry = known.get(bare(row.draft.question))
        if entry is None:
            new.append(row.draft)
            continue
        draft = _onto(entry.draft, row)
        if draft != entry.draft:
            changed.append((entry, draft))
    return ImportPlan(
        new=tuple(new),
        changed=tuple(changed),
        unchanged=len(table.rows) - len(new) - len(changed),
        sheet=table.sheet,
        other_sheets=table.other_sheets,
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
        filed = (draft.category, draft.state.value)
        writer.writerow([guard_cell(cell) for cell in (draft.question, draft.answer, *variants, *filed)])
    return out.getvalue()


def _onto(draft: FaqDraft, row: FaqRow) -> FaqDraft:
    """The draft of a row, with what its table has no column for taken from the entry's."""
    missing = {name: getattr(draft, name) for name in COLUMNS if name not in row.columns}
    return replace(row.draft, **missing)


def _mark(entries: Sequence[FaqEntry]) -> str:
    state = "\n".join(f"{entry.id} {entry.version}" for entry in entries)
    return hashlib.sha256(state.encode()).hexdigest()[:32]
