"""What every face does with FAQ entries: written once, and searchable when it returns."""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from sql_stores import new_stores

from knowledge.index.embedded import EmbeddedIndex
from knowledge.sources.readers import read_faq_table
from services.faq.service import FaqService
from services.indexing.stored_knowledge import StoredKnowledge
from services.stores import Stores
from vta.errors import Conflict, InvalidInput
from vta.languages import Language
from vta.types.courses import Course, CourseId
from vta.types.faq import FaqDraft

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
    assert [(row.row, row.kept.row if row.kept else None) for row in plan.rejected] == [(3, 2), (5, 4)]
    place.faq.apply(ID, plan, editor="ann", file="faq.csv")
    assert len(place.stores.faq.entries(ID)) == 3
    again = place.faq.plan(ID, table)
    assert (again.new, again.changed, again.unchanged) == ((), (), 3)
    assert place.best("exam") == "a"
