"""What the console's tables are read from."""

from __future__ import annotations

import io
from pathlib import Path

import factories as make
import pytest
from sql_stores import new_stores

from knowledge.sources.readers import FaqReader
from services.stores import Stores
from vta.errors import InvalidInput
from vta.faq import with_negatives
from vta.types.concepts import Concept
from vta.types.courses import ConceptId
from vta.types.documents import CourseDocument
from vta.types.faq import FaqDraft, FaqOrder, FaqQuery

COURSE = make.course()


@pytest.fixture
def stores(tmp_path: Path):
    opened = new_stores(tmp_path, COURSE)
    yield opened
    opened.close()


def test_a_page_of_entries_counts_all_that_match(stores: Stores) -> None:
    """Searched in question, answer and wordings, newest edits first, removed ones left out."""
    drafts = [FaqDraft(question=f"q{n}", answer="Ａpple" if n % 2 else "pear") for n in range(6)]
    entries = stores.faq.add(COURSE.id, drafts, editor="Ann")
    edited = FaqDraft(question="q0", answer="plum", similar_questions=("apple tart",))
    stores.faq.edit(COURSE.id, entries[0].id, edited, editor="Ann", expected=1)
    stores.faq.remove(COURSE.id, entries[1].id, editor="Ann", expected=1)
    total, first = stores.faq.page(COURSE.id, FaqQuery(order=FaqOrder.NEWEST), limit=2)
    assert (total, len(first), first[0].draft.question) == (5, 2, "q0")
    total, found = stores.faq.page(
        COURSE.id, FaqQuery(sought="APPLE", order=FaqOrder.NEWEST), offset=1, limit=5
    )
    assert (total, len(found)) == (3, 2)
    assert stores.faq.page(COURSE.id, FaqQuery(sought="nothing")) == (0, ())
    assert [e.draft.question for e in stores.faq.page(COURSE.id, FaqQuery(), limit=2)[1]] == ["q0", "q2"]


def test_removed_entries_are_a_page_of_their_own(stores: Stores) -> None:
    """They are counted and searched like the others, so that one can be found and restored."""
    drafts = [FaqDraft(question=f"q{n}", answer="pear") for n in range(3)]
    entries = stores.faq.add(COURSE.id, drafts, editor="Ann")
    for entry in entries[:2]:
        stores.faq.remove(COURSE.id, entry.id, editor="Ann", expected=1)
    total, removed = stores.faq.page(COURSE.id, FaqQuery(removed=True))
    assert (total, [each.draft.question for each in removed]) == (2, ["q0", "q1"])
    assert all(each.removed for each in removed)
    assert stores.faq.page(COURSE.id, FaqQuery(removed=True, sought="Q1"))[0] == 1


def test_summaries_count_what_a_document_became(stores: Stores) -> None:
    """Entries and built graphs, which are no files, are left out."""
    stores.faq.add(COURSE.id, [FaqDraft(question="q", answer="a")], editor="Ann")
    concept = Concept(id=ConceptId("k"), name="k")
    document = CourseDocument(path="notes/a.md", sha256="0", folder="notes", concepts=(concept,))
    stores.documents.apply(COURSE.id, put=[document])
    (found,) = stores.documents.summaries(COURSE.id)
    assert (found.path, found.folder, found.pairs, found.concepts) == ("notes/a.md", "notes", 0, 1)


def test_negative_questions_leave_the_wordings() -> None:
    """A question becomes one only once; the entry's own question cannot."""
    draft = FaqDraft(question="q", answer="a", similar_questions=("b?", "c"), negative_questions=("d",))
    changed = with_negatives(draft, ["B", "D?", "e"])
    assert changed.similar_questions == ("c",)
    assert changed.negative_questions == ("d", "B", "e")
    with pytest.raises(InvalidInput, match="own question"):
        with_negatives(draft, ["Q?"])


@pytest.mark.parametrize(
    ("name", "table", "rows"),
    [
        ("faq.csv", "question,answer\nq,a\n,b\nq,c\nr,d\n", [3, 4]),
        ("faq.jsonl", '{"question":"q","answer":"a"}\n{\n[]\n{"question":"r","answer":"d"}\n', [2, 3]),
    ],
)
def test_rows_after_a_faulty_one_are_read(name: str, table: str, rows: list[int]) -> None:
    """Whatever kind of table it is; the faulty ones are listed by their number."""
    document = FaqReader().read(io.BytesIO(table.encode()), path=name, course=COURSE)
    assert [pair.question for pair in document.pairs] == ["q", "r"]
    assert [fault.line for fault in document.rejected] == rows
