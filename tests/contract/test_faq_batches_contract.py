"""The contract of `SqlFaqBatches`, on each database."""

from __future__ import annotations

import pytest

from services.stores import Stores
from vta.errors import Conflict, InvalidInput, NotFound, QuestionTaken
from vta.types.courses import CourseId, FaqId
from vta.types.faq import FaqBatchKind, FaqChange, FaqDraft, FaqQuery, FaqState

DS, ML = CourseId("ds"), CourseId("ml")
EXAM = FaqDraft(question="When is the exam?", answer="On Monday.")
BOOK = FaqDraft(question="Is there a book?", answer="No.", category="reading")
QUIZ = FaqDraft(question="When is the quiz?", answer="On Friday.")


def live(stores: Stores) -> dict[str, str]:
    """What students are answered."""
    return {pair.question: pair.answer for pair in stores.documents.pairs()}


def drafts(stores: Stores) -> list[FaqDraft]:
    return [entry.draft for entry in stores.faq.entries(DS)]


def test_an_import_is_undone_as_a_whole(stores):
    """What it added goes, what it changed is as before, and students get the answers of before."""
    (exam,) = stores.faq.add(DS, [EXAM], editor="ann")
    friday = FaqDraft(question=EXAM.question, answer="On Friday.")
    batch = stores.faq_batches.import_rows(DS, [BOOK, QUIZ], [(exam, friday)], editor="bo", file="faq.csv")
    assert (batch.kind, batch.detail, batch.editor) == (FaqBatchKind.IMPORT, "faq.csv", "bo")
    assert (batch.added, batch.changed, batch.undone_at) == (2, 1, None)
    assert stores.faq_batches.batches(DS) == (batch,)
    written = stores.faq_batches.written(DS, batch.id)
    assert [(each.draft.answer, each.version) for each in written] == [
        ("No.", 1),
        ("On Friday.", 2),
        ("On Friday.", 1),
    ]
    assert len(live(stores)) == 3
    undone = stores.faq_batches.undo(DS, batch.id, editor="ann")
    assert (undone.undone, undone.kept) == (3, ())
    assert drafts(stores) == [EXAM]
    assert live(stores) == {EXAM.question: EXAM.answer}
    assert stores.faq_batches.batch(DS, batch.id).undone_at is not None
    with pytest.raises(Conflict, match="undone already"):
        stores.faq_batches.undo(DS, batch.id, editor="ann")
    assert [each.editor for each in stores.faq.history(DS, exam.id)] == ["ann", "bo", "ann"]


def test_what_was_edited_after_an_import_is_kept_and_listed(stores):
    """Whether the import added or changed it; also what was removed since."""
    (exam,) = stores.faq.add(DS, [EXAM], editor="ann")
    friday = FaqDraft(question=EXAM.question, answer="On Friday.")
    batch = stores.faq_batches.import_rows(DS, [BOOK, QUIZ], [(exam, friday)], editor="bo", file="faq.csv")
    book, quiz = (next(e for e in stores.faq.entries(DS) if e.draft == each) for each in (BOOK, QUIZ))
    sunday = FaqDraft(question=EXAM.question, answer="On Sunday.")
    stores.faq.edit(DS, exam.id, sunday, editor="ann", expected=2)
    stores.faq.remove(DS, quiz.id, editor="ann", expected=1)
    undone = stores.faq_batches.undo(DS, batch.id, editor="ann")
    assert undone.undone == 1
    assert {entry.id for entry in undone.kept} == {exam.id, quiz.id}
    assert stores.faq.history(DS, book.id)[-1].removed
    assert drafts(stores) == [sunday]


def test_a_draft_answers_nobody_and_keeps_its_question(stores):
    """It is no pair, and no second entry asks the same; made live it answers."""
    draft = FaqDraft(question=EXAM.question, answer="?", state=FaqState.DRAFT)
    (entry,) = stores.faq.add(DS, [draft], editor="ann")
    assert live(stores) == {}
    with pytest.raises(QuestionTaken):
        stores.faq.add(DS, [EXAM], editor="ann")
    stores.faq.edit(DS, entry.id, EXAM, editor="ann", expected=1)
    assert live(stores) == {EXAM.question: EXAM.answer}
    stores.faq.edit(DS, entry.id, draft, editor="ann", expected=2)
    assert live(stores) == {}


@pytest.mark.parametrize(
    ("change", "kind", "answered"),
    [
        (FaqChange(category="  exams "), FaqBatchKind.CATEGORY, 2),
        (FaqChange(state=FaqState.DRAFT), FaqBatchKind.DRAFT, 0),
        (FaqChange(removed=True), FaqBatchKind.REMOVE, 0),
    ],
    ids=["category", "draft", "removed"],
)
def test_several_entries_are_changed_at_once_and_undone_at_once(stores, change, kind, answered):
    """Texts stay; the entries that are so already count for nothing."""
    entries = stores.faq.add(DS, [EXAM, BOOK], editor="ann")
    ids = [entry.id for entry in entries]
    batch = stores.faq_batches.change(DS, [*ids, ids[0]], change, editor="bo")
    assert (batch.kind, batch.changed, batch.added) == (kind, 2, 0)
    assert batch.detail == ("exams" if kind is FaqBatchKind.CATEGORY else "")
    assert len(live(stores)) == answered
    assert stores.faq_batches.change(DS, ids, change, editor="bo") is None
    assert stores.faq_batches.undo(DS, batch.id, editor="ann").undone == 2
    assert drafts(stores) == [EXAM, BOOK]
    assert len(live(stores)) == 2


def test_a_removal_is_not_undone_where_another_entry_asks_the_same_now(stores):
    """The newer one stays, and the removed one is named."""
    (exam,) = stores.faq.add(DS, [EXAM], editor="ann")
    batch = stores.faq_batches.change(DS, [exam.id], FaqChange(removed=True), editor="ann")
    stores.faq.add(DS, [EXAM], editor="bo")
    with pytest.raises(QuestionTaken):
        stores.faq_batches.change(DS, [exam.id], FaqChange(removed=False), editor="ann")
    undone = stores.faq_batches.undo(DS, batch.id, editor="ann")
    assert (undone.undone, [each.id for each in undone.kept]) == (0, [exam.id])


def test_nothing_is_changed_or_undone_in_another_course(stores):
    """Batches and entries of another course are not there; nothing of a refused change is kept."""
    (exam,) = stores.faq.add(DS, [EXAM], editor="ann")
    (other,) = stores.faq.add(ML, [EXAM], editor="ann")
    change = FaqChange(removed=True)
    with pytest.raises(NotFound):
        stores.faq_batches.change(DS, [exam.id, other.id], change, editor="ann")
    batch = stores.faq_batches.change(ML, [other.id], change, editor="ann")
    for read in (stores.faq_batches.batch, stores.faq_batches.written):
        with pytest.raises(NotFound):
            read(DS, batch.id)
    with pytest.raises(NotFound):
        stores.faq_batches.undo(DS, batch.id, editor="ann")
    assert stores.faq_batches.batches(DS) == ()
    assert drafts(stores) == [EXAM]
    with pytest.raises(InvalidInput, match="category is longer"):
        stores.faq_batches.change(DS, [exam.id], FaqChange(category="x" * 81), editor="ann")
    with pytest.raises(NotFound):
        stores.faq_batches.change(DS, [FaqId("nothing")], change, editor="ann")


def test_entries_are_found_by_category_and_state(stores):
    """An empty category means none; the categories in use are counted."""
    quiz = FaqDraft(question="When is the quiz?", answer="?", category="exams", state=FaqState.DRAFT)
    stores.faq.add(DS, [EXAM, BOOK, quiz], editor="ann")

    def found(query: FaqQuery) -> list[str]:
        total, entries = stores.faq.page(DS, query)
        assert total == len(entries)
        return [entry.draft.question for entry in entries]

    assert found(FaqQuery(category="reading")) == [BOOK.question]
    assert found(FaqQuery(category="")) == [EXAM.question]
    assert found(FaqQuery(state=FaqState.DRAFT)) == [quiz.question]
    assert found(FaqQuery(state=FaqState.LIVE, sought="IS", category="reading")) == [BOOK.question]
    assert dict(stores.faq.categories(DS)) == {"exams": 1, "reading": 1}
    assert stores.faq.categories(ML) == {}
