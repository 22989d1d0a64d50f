"""What every `GraphEdits` keeps."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from services.documents.graph_edits import insert_edits
from services.store.transactions import writing
from vta.errors import NotFound
from vta.types.concepts import (
    AddConcept,
    ExplainConcept,
    LinkConcepts,
    MergeConcepts,
    RecordedEdit,
    RejectConcept,
    RenameConcept,
    UnlinkConcepts,
)
from vta.types.courses import CourseId

DS, ML = CourseId("ds"), CourseId("ml")
EVERY_KIND = (
    AddConcept(name="栈", aliases=("stack", "𝔘"), definition="后进先出。\n", domains=("计算机",)),
    RejectConcept(concept="图书馆"),
    RenameConcept(concept="栈", name="堆栈"),
    MergeConcepts(concept="堆栈", other="Stack"),
    ExplainConcept(concept="堆栈", definition='A "list".'),
    LinkConcepts(prerequisite="线性表", concept="堆栈", evidence="02.srt, 00:10"),
    UnlinkConcepts(prerequisite="线性表", concept="堆栈"),
)


def test_edits_come_back_in_order_as_they_were_recorded(stores):
    """Every field of every kind is kept, with a number that counts from 1 and a time in UTC."""
    recorded = [stores.edits.record(DS, edit) for edit in EVERY_KIND]
    assert [each.edit for each in recorded] == list(EVERY_KIND)
    assert [each.number for each in recorded] == [1, 2, 3, 4, 5, 6, 7]
    assert all(each.created_at.utcoffset() == timedelta(0) for each in recorded)
    assert recorded[0].created_at.replace(microsecond=0) == datetime(2024, 3, 1, 8, 0, 1, tzinfo=UTC)
    assert stores.edits.edits(DS) == tuple(recorded)


def test_each_course_has_edits_of_its_own(stores):
    """Numbers count by course, and all edits come by course and number."""
    stores.edits.record(ML, RejectConcept(concept="m1"))
    stores.edits.record(DS, RejectConcept(concept="d1"))
    stores.edits.record(ML, RejectConcept(concept="m2"))
    assert [each.edit.concept for each in stores.edits.edits(ML)] == ["m1", "m2"]
    listed = [(each.course_id, each.number, each.edit.concept) for each in stores.edits.edits()]
    assert listed == [("ds", 1, "d1"), ("ml", 1, "m1"), ("ml", 2, "m2")]


def test_the_last_edit_is_undone_first_and_no_number_comes_twice(stores):
    """Undoing gives the edit back and takes it off the list; what is recorded next has a new number."""
    first, second = (stores.edits.record(DS, edit) for edit in EVERY_KIND[:2])
    assert stores.edits.undo(DS) == (second,)
    assert stores.edits.edits(DS) == (first,)
    assert stores.edits.record(DS, EVERY_KIND[2]).number == 3
    assert [each.number for _ in range(2) for each in stores.edits.undo(DS)] == [3, 1]
    assert stores.edits.edits(DS) == ()
    with pytest.raises(NotFound, match="no edit to undo"):
        stores.edits.undo(DS)


def test_edits_recorded_together_are_undone_together(stores):
    """As earlier versions recorded them: they have one time, and their undoing raises the revision by one."""
    before = stores.edits.record(DS, EVERY_KIND[0])
    now = before.created_at + timedelta(seconds=1)
    together = tuple(
        RecordedEdit(course_id=DS, number=number, edit=edit, created_at=now)
        for number, edit in enumerate(EVERY_KIND[1:4], 2)
    )
    revision = stores.documents.revision()
    with writing(stores.engine) as connection:
        insert_edits(connection, DS, together)
    assert stores.documents.revision() == revision + 1
    assert stores.edits.undo(DS) == together
    assert stores.documents.revision() == revision + 2
    assert stores.edits.edits(DS) == (before,)
    assert stores.edits.record(DS, EVERY_KIND[4]).number == 5


def test_every_change_raises_the_revision_and_tells_that_concepts_changed(stores):
    """Recording and undoing count by one each, no pair changes by them, and a refused one does not count."""
    before = stores.documents.revision()
    stores.edits.record(DS, EVERY_KIND[0])
    assert stores.documents.revision() == before + 1
    stores.edits.undo(DS)
    with pytest.raises(NotFound):
        stores.edits.undo(DS)
    assert stores.documents.revision() == before + 2
    changes = stores.documents.changes(before)
    assert changes is not None
    assert (changes.revision, changes.put, changes.removed) == (before + 2, (), {})
    assert changes.concepts


def test_an_unknown_course_is_not_found(stores):
    """Neither reading nor recording makes a course."""
    for asked in (stores.edits.edits, stores.edits.undo, lambda c: stores.edits.record(c, EVERY_KIND[0])):
        with pytest.raises(NotFound, match="'nope'"):
            asked(CourseId("nope"))


def test_a_removed_course_takes_its_edits(stores, samples):
    """A course added again under its id begins with none."""
    stores.edits.record(DS, EVERY_KIND[0])
    stores.edits.record(ML, EVERY_KIND[1])
    stores.courses.remove(DS)
    assert [each.course_id for each in stores.edits.edits()] == ["ml"]
    stores.courses.add(samples.course("ds"))
    assert stores.edits.edits(DS) == ()
    assert stores.edits.record(DS, EVERY_KIND[0]).number == 1
