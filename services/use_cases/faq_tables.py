"""FAQ entries in bulk: what an import would do, and writing entries as a table."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from vta.faq import bare
from vta.types import FaqDraft, FaqEntry, QAPair

COLUMNS = ("question", "answer", "similar_questions", "negative_questions")
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "'")


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportPlan:
    """What an import would do: `new` entries, `changed` ones with their new texts, and how many stay."""

    new: tuple[FaqDraft, ...]
    changed: tuple[tuple[FaqEntry, FaqDraft], ...]
    unchanged: int


def plan_import(present: Iterable[FaqEntry], drafts: Iterable[FaqDraft]) -> ImportPlan:
    """Compare rows with the entries that ask the same question; entries without a row stay as they are."""
    known = {bare(entry.draft.question): entry for entry in present}
    new: list[FaqDraft] = []
    changed: list[tuple[FaqEntry, FaqDraft]] = []
    unchanged = 0
    for draft in drafts:
        entry = known.get(bare(draft.question))
        if entry is None:
            new.append(draft)
        elif entry.draft != draft:
            changed.append((entry, draft))
        else:
            unchanged += 1
    return ImportPlan(new=tuple(new), changed=tuple(changed), unchanged=unchanged)


def write_table(entries: Sequence[FaqEntry]) -> str:
    """The entries as CSV that a spreadsheet opens without running any cell as a formula.

    Variants stand on lines of their own in their cell. `read_cell` takes the guard off again.
    """
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    for draft in (entry.draft for entry in entries):
        variants = ("\n".join(draft.similar_questions), "\n".join(draft.negative_questions))
        writer.writerow([_guarded(cell) for cell in (draft.question, draft.answer, *variants)])
    return out.getvalue()


def draft_of_row(pair: QAPair) -> FaqDraft:
    """The draft in a row of a table, without the guards of `write_table`."""
    return without_guards(
        FaqDraft(
            question=pair.question,
            answer=pair.answer,
            similar_questions=pair.similar_questions,
            negative_questions=pair.negative_questions,
        )
    )


def without_guards(draft: FaqDraft) -> FaqDraft:
    """A draft read from a table of `write_table`."""
    similar, negative = list(draft.similar_questions), list(draft.negative_questions)
    for variants in (similar, negative):
        if variants:
            variants[0] = _unguarded(variants[0])
    return replace(
        draft,
        question=_unguarded(draft.question),
        answer=_unguarded(draft.answer),
        similar_questions=tuple(similar),
        negative_questions=tuple(negative),
    )


def _guarded(cell: str) -> str:
    return f"'{cell}" if cell.startswith(_FORMULA) else cell


def _unguarded(cell: str) -> str:
    return cell[1:] if cell.startswith("'") and cell[1:].startswith(_FORMULA) else cell
