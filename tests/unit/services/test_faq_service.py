"""FAQ entries: written once, searchable when it returns, and listed by page."""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from sql_stores import new_stores

from knowledge.index.embedded import EmbeddedIndex
from knowledge.sources.readers import FaqReader, read_faq_table
from services.faq.service import FaqService
from services.indexing.stored_knowledge import StoredKnowledge
from services.stores import Stores
from vta.errors import Conflict, InvalidInput
from vta.faq import with_negatives
from vta.languages import Language
from vta.types.concepts import Concept
from vta.types.courses import ConceptId, Course, CourseId
from vta.types.documents import CourseDocument
from vta.types.faq import FaqDraft, FaqOrder, FaqQuery

COURSE = Course(id=CourseId("c"), name="C", domains=("d",), language=Language.EN)
ID = COURSE.id
EXAM = FaqDraft(question="When is the exam?", answer="On Monday.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """The service over a new store and index."""

    stores: Stores
    knowledge: StoredKnowledge
    faq: FaqService

    def best(self, question: str) -> str | None:
        """The answer that comes first."""
        found = self.knowledge.current().ranker.rank(
            question, course=COURSE, mentions=(), chit_chat=0.0, top=1
        )
        return found.candidates[0].pair.answer if found.candidates else None


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    stores = new_stores(tmp_path, COURSE)
    knowledge = StoredKnowledge(
        courses=stores.courses,
        documents=stores.documents,
        edits=stores.edits,
        index=EmbeddedIndex(tmp_path / "index"),
    )
    yield Place(
        stores=stores,
        knowledge=knowledge,
        faq=FaqService(stores, knowledge),
    )
    stores.close()


def test_what_is_written_is_found_and_what_is_removed_is_not(place: Place) -> None:
    """Added, edited, removed, restored, rolled back: search follows each time."""
    entry = place.faq.add(ID, EXAM, editor="ann")
    assert place.best("exam") == "On Monday."
    friday = FaqDraft(question=EXAM.question, answer="On Friday.")
    place.faq.edit(ID, entry.id, friday, editor="ann", expected=1)
    assert place.best("exam") == "On Friday."
    place.faq.remove(ID, entry.id, editor="bo", expected=2)
    assert place.best("exam") is None
    restored = place.faq.restore(ID, entry.id, editor="ann", expected=3)
    assert (restored.version, restored.removed, place.best("exam")) == (4, False, "On Friday.")
    place.faq.roll_back(ID, entry.id, 1, editor="ann", expected=4)
    assert place.best("exam") == "On Monday."
    assert [version.version for version in place.stores.faq.history(ID, entry.id)] == [1, 2, 3, 4, 5]


@pytest.mark.parametrize("version", [99, 2, 0, -3])
def test_nothing_is_rolled_back_to_a_version_that_there_is_not(place: Place, version: int) -> None:
    """The field is named and nothing is written."""
    entry = place.faq.add(ID, EXAM, editor="ann")
    with pytest.raises(InvalidInput, match="has only 1 versions") as refused:
        place.faq.roll_back(ID, entry.id, version, editor="ann", expected=1)
    assert refused.value.field == "version"
    assert len(place.stores.faq.history(ID, entry.id)) == 1


def test_only_a_removed_entry_is_restored(place: Place) -> None:
    """One that is there is refused, and one that somebody else changed meanwhile, too."""
    entry = place.faq.add(ID, EXAM, editor="ann")
    with pytest.raises(InvalidInput, match="not removed"):
        place.faq.restore(ID, entry.id, editor="ann", expected=1)
    place.faq.remove(ID, entry.id, editor="ann", expected=1)
    with pytest.raises(Conflict):
        place.faq.restore(ID, entry.id, editor="ann", expected=1)


def test_what_an_import_plans_it_can_do(place: Place) -> None:
    """Of rows that differ by case, marks and the guard of a formula alone, the first is kept and written."""
    content = b"question,answer\nWhen is the exam?,a\nwhen is the exam,b\n'=1,c\n=1,d\nWhy?,e\n"
    table = read_faq_table(io.BytesIO(content), path="faq.csv")
    plan = place.faq.plan(ID, table)
    assert [draft.answer for draft in plan.new] == ["a", "c", "e"]
    assert [(row.row, row.kept.row if row.kept else None) for row in plan.table.rejected] == [(3, 2), (5, 4)]
    place.faq.apply(ID, plan, editor="ann", file="faq.csv")
    assert len(place.stores.faq.entries(ID)) == 3
    again = place.faq.plan(ID, table)
    assert (again.new, again.changed, again.unchanged) == ((), (), 3)
    assert place.best("exam") == "a"


@pytest.fixture
def stores(place: Place) -> Stores:
    return place.stores


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
