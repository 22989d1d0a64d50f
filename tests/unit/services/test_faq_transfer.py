"""FAQ tables out and in again."""

from __future__ import annotations

import csv
import io
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge.sources.readers import read_faq_table
from services.faq.service import plan_import, write_table
from vta.faq import clean_draft
from vta.languages import Language
from vta.text import normalise
from vta.types.courses import Course, CourseId, FaqId
from vta.types.faq import FaqDraft, FaqEntry

COURSE = Course(id=CourseId("ds"), name="DS", domains=("x",), language=Language.ZH)


def entry(draft: FaqDraft, n: int = 1) -> FaqEntry:
    moment = datetime(2026, 1, 1, tzinfo=UTC)
    return FaqEntry(
        id=FaqId(f"e{n}"), course_id=COURSE.id, version=1, draft=draft, editor="ann", edited_at=moment
    )


def read_back(table: str) -> list[FaqDraft]:
    rows = read_faq_table(io.BytesIO(table.encode()), path="faq.csv").rows
    return [row.draft for row in rows]


cells = st.text(alphabet=st.sampled_from("=+-@'\"ab周五,;x "), min_size=1, max_size=12).filter(
    lambda text: normalise(text) != ""
)


@pytest.mark.fault(case="T37")
@given(cells, cells, st.lists(cells, max_size=3), st.lists(cells, max_size=2))
def test_a_table_comes_back_as_it_went_out(question, answer, similar, negative):
    """Formula signs, quotes and commas included; no cell begins as a formula does (T37)."""
    draft = clean_draft(
        FaqDraft(
            question=question,
            answer=answer,
            similar_questions=tuple(similar),
            negative_questions=tuple(negative),
        )
    )
    table = write_table([entry(draft)])
    assert read_back(table) == [draft]
    for row in csv.reader(io.StringIO(table, newline="")):
        assert not any(cell.startswith(("=", "+", "-", "@")) for cell in row)


def test_an_import_says_what_is_new_changed_and_the_same():
    """Rows are known by their question as the store compares it."""
    kept, old = FaqDraft(question="A?", answer="1"), FaqDraft(question="B?", answer="2")
    table = read_faq_table(io.BytesIO(b"question,answer\nA?,1\nb,3\nC?,4\nc,5\n,6\n"), path="faq.csv")
    plan = plan_import([entry(kept, 1), entry(old, 2)], table)
    assert plan.new == (FaqDraft(question="C?", answer="4"),)
    assert plan.changed == ((entry(old, 2), FaqDraft(question="b", answer="3")),)
    assert plan.unchanged == 1
    assert [row.row for row in plan.table.rejected] == [5, 6]
    assert plan.mark != plan_import([entry(kept, 1)], table).mark
