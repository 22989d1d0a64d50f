"""The contract of `SqlFaq`, on each database."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from services.stores import Stores
from vta.errors import Conflict, InvalidInput, NotFound, QuestionTaken
from vta.types.courses import CourseId
from vta.types.faq import FaqDraft

DS, ML = CourseId("ds"), CourseId("ml")
DRAFT = FaqDraft(question="什么时候交作业？", answer="周五之前。", similar_questions=("作业截止时间",))


def questions(stores: Stores) -> list[str]:
    return [pair.question for pair in stores.documents.pairs()]


def test_an_entry_is_a_pair_from_the_moment_it_is_acknowledged(stores):
    """The pair has the course, the texts and the variants of the entry, and the outbox tells of it."""
    before = stores.documents.revision()
    (entry,) = stores.faq.add(DS, [DRAFT], editor="ann")
    (pair,) = stores.documents.pairs()
    assert (pair.course_id, pair.question, pair.answer) == (DS, DRAFT.question, DRAFT.answer)
    assert pair.similar_questions == DRAFT.similar_questions
    changes = stores.documents.changes(before)
    assert changes.put == (pair,)
    assert not changes.concepts
    assert stores.faq.entries(DS) == (entry,)
    assert entry.version == 1


def test_texts_are_cleaned_and_blank_ones_refused_by_field(stores):
    """White space around goes, blank and repeated variants too; an empty answer is named."""
    draft = FaqDraft(question=" a ", answer="b\n", similar_questions=("", "c", "C"))
    (entry,) = stores.faq.add(DS, [draft], editor="ann")
    assert entry.draft == FaqDraft(question="a", answer="b", similar_questions=("C",))
    with pytest.raises(InvalidInput) as refused:
        stores.faq.add(DS, [FaqDraft(question="q", answer=" ")], editor="ann")
    assert refused.value.field == "answer"


def test_an_edit_is_a_new_version_and_keeps_the_old_one(stores):
    """The pair follows the newest version; the history has all of them, and who wrote them."""
    (first,) = stores.faq.add(DS, [DRAFT], editor="ann")
    second = stores.faq.edit(
        DS, first.id, FaqDraft(question="何时交？", answer="周六。"), editor="bo", expected=1
    )
    assert (second.version, second.editor) == (2, "bo")
    assert stores.faq.history(DS, first.id) == (first, second)
    assert questions(stores) == ["何时交？"]
    assert stores.faq.entries(DS) == (second,)


def test_the_second_of_two_editors_is_told(stores):
    """An edit or removal of a version that is not the newest changes nothing, and names who was quicker."""
    (first,) = stores.faq.add(DS, [DRAFT], editor="ann")
    stores.faq.edit(DS, first.id, FaqDraft(question="a", answer="b"), editor="bo", expected=1)
    with pytest.raises(Conflict, match="at version 2, not 1: bo changed it"):
        stores.faq.edit(DS, first.id, FaqDraft(question="c", answer="d"), editor="ann", expected=1)
    with pytest.raises(Conflict):
        stores.faq.remove(DS, first.id, editor="ann", expected=1)
    assert questions(stores) == ["a"]


@pytest.mark.fault(case="T52")
def test_of_many_editors_at_once_one_succeeds(stores):
    """Fifty edits of one version give one version more, and the history has no gap (T52)."""
    (first,) = stores.faq.add(DS, [DRAFT], editor="ann")

    def edit(n: int) -> bool:
        try:
            draft = FaqDraft(question=f"q{n}", answer="a")
            stores.faq.edit(DS, first.id, draft, editor=f"e{n}", expected=1)
        except Conflict:
            return False
        return True

    with ThreadPoolExecutor(5) as editors:
        assert sum(editors.map(edit, range(50))) == 1
    assert [entry.version for entry in stores.faq.history(DS, first.id)] == [1, 2]


def test_a_removed_entry_is_no_pair_any_more_and_can_come_back(stores):
    """Removal is a version; its question is free again; an edit of it brings the entry back."""
    (first,) = stores.faq.add(DS, [DRAFT], editor="ann")
    gone = stores.faq.remove(DS, first.id, editor="ann", expected=1)
    assert gone.removed
    assert gone.version == 2
    assert questions(stores) == []
    assert stores.faq.entries(DS) == ()
    back = stores.faq.edit(DS, first.id, DRAFT, editor="ann", expected=2)
    assert (back.version, back.removed) == (3, False)
    assert questions(stores) == [DRAFT.question]


def test_a_question_is_asked_by_one_entry_of_a_course(stores):
    """Two entries cannot give two answers to one question; other courses have their own."""
    (entry,) = stores.faq.add(DS, [DRAFT], editor="ann")
    with pytest.raises(QuestionTaken, match="asks the same question already") as refused:
        stores.faq.add(DS, [FaqDraft(question="x", answer="y"), DRAFT], editor="bo")
    assert refused.value.entry == entry.id
    assert questions(stores) == [DRAFT.question]
    stores.faq.add(ML, [DRAFT], editor="bo")
    assert len(stores.faq.entries(ML)) == 1


def test_an_entry_of_another_course_is_not_there(stores):
    """Reading, editing and removing by way of another course are `NotFound`."""
    (entry,) = stores.faq.add(DS, [DRAFT], editor="ann")
    with pytest.raises(NotFound):
        stores.faq.history(ML, entry.id)
    with pytest.raises(NotFound):
        stores.faq.edit(ML, entry.id, DRAFT, editor="bo", expected=1)
    with pytest.raises(NotFound):
        stores.faq.remove(ML, entry.id, editor="bo", expected=1)
    with pytest.raises(NotFound):
        stores.faq.entries(CourseId("none"))


def test_a_removed_course_takes_its_entries_along(stores):
    """Nothing of its FAQ is left."""
    (entry,) = stores.faq.add(DS, [DRAFT], editor="ann")
    stores.courses.remove(DS)
    with pytest.raises(NotFound):
        stores.faq.history(DS, entry.id)
