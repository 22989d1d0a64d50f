"""A course taken whole out of a store and put into one, on each database."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from course_contents import DS, SMALL, Content, read, written
from plain_faults import plain

from services.courses.copies import copy_content
from services.stores import Stores
from vta.errors import Conflict, InvalidInput, NotFound
from vta.types.courses import CourseId, Role
from vta.types.documents import CourseDocument


def held(stores: Stores, course_id: CourseId) -> Content:
    """What a store holds of a course."""
    with stores.transfer.reading(course_id) as content:
        return Content.of(content)


class Breaking:
    """A content that breaks off in one of its lists, after what is there."""

    def __init__(self, where: str) -> None:
        self.course, self.settings, self._where = SMALL.course, SMALL.settings, where
        self.facts, self.tests, self.weeks = SMALL.facts, SMALL.tests, SMALL.weeks

    def __getattr__(self, name: str) -> object:
        def each() -> Iterator[object]:
            yield from getattr(SMALL, name)()
            if name == self._where:
                raise InvalidInput(plain("broken"))

        return each


def test_a_course_comes_out_as_it_was_put_in(databases):
    """Settings, documents, entries with the time they were made, edits under their numbers."""
    databases.transfer.add(SMALL, editor="import")
    assert held(databases, DS) == SMALL
    assert databases.courses.course(DS) == SMALL.course
    assert databases.settings.settings(DS) == SMALL.settings
    (entry,) = databases.faq.entries(DS)
    assert (entry.version, entry.editor, entry.draft) == (1, "import", SMALL.held_entries[0].draft)
    assert {pair.id for pair in databases.documents.pairs()} == {
        "0123456789abcdef0123", "0123456789abcdef0124", "faq-" + "f" * 32,
    }  # fmt: skip
    assert databases.edits.edits(DS) == SMALL.held_edits


def test_an_imported_course_can_be_edited(databases):
    """Its entries take a next version, its graph a next edit."""
    databases.transfer.add(SMALL, editor="import")
    (entry,) = databases.faq.entries(DS)
    draft = replace(entry.draft, answer="周六。")
    assert databases.faq.edit(DS, entry.id, draft, editor="ann", expected=1).version == 2
    assert databases.edits.record(DS, SMALL.held_edits[0].edit).number == 8


def test_only_the_present_goes_along(databases):
    """Removed entries, old versions, undone edits and keys stay behind."""
    databases.transfer.add(SMALL, editor="import")
    (entry,) = databases.faq.entries(DS)
    databases.faq.edit(DS, entry.id, replace(entry.draft, answer="旧的。"), editor="ann", expected=1)
    databases.faq.edit(DS, entry.id, entry.draft, editor="ann", expected=2)
    (new,) = databases.faq.add(DS, [replace(entry.draft, question="考试呢？")], editor="ann")
    databases.faq.remove(DS, new.id, editor="ann", expected=1)
    databases.edits.record(DS, SMALL.held_edits[0].edit)
    databases.edits.undo(DS)
    text, _ = databases.keys.make(DS, Role.INSTRUCTOR)
    assert held(databases, DS) == SMALL
    data = written(held(databases, DS))
    assert text.encode() not in data
    assert b"ann" not in data


@pytest.mark.parametrize("where", ["documents", "entries", "edits"])
def test_what_breaks_off_leaves_nothing(databases, where):
    """Wherever the content fails, the store is as it was, its revision too."""
    before = databases.documents.revision()
    with pytest.raises(InvalidInput, match="broken"):
        databases.transfer.add(Breaking(where), editor="import")
    assert databases.courses.courses() == ()
    assert list(databases.documents.pairs()) == []
    assert databases.documents.revision() == before
    databases.transfer.add(SMALL, editor="import")


def test_a_course_that_is_there_is_refused(databases):
    """Its id is taken; an unknown course cannot be read."""
    databases.transfer.add(SMALL, editor="import")
    with pytest.raises(Conflict, match="'ds'"):
        databases.transfer.add(SMALL, editor="import")
    with pytest.raises(NotFound), databases.transfer.reading(CourseId("none")):
        pass


def test_the_ids_of_other_courses_cannot_be_taken(databases):
    """Neither that of a pair, which the index knows by it alone, nor that of an entry."""
    databases.transfer.add(SMALL, editor="import")
    other = replace(SMALL.course, id=CourseId("other"))
    document = SMALL.held_documents[1]
    stolen = tuple(replace(pair, course_id=other.id) for pair in document.pairs)
    with pytest.raises(Conflict, match="0123456789abcdef012"):
        databases.transfer.add(
            Content(course=other, held_documents=(replace(document, pairs=stolen),)), editor="import"
        )
    with pytest.raises(Conflict, match=r"f{32}"):
        databases.transfer.add(Content(course=other, held_entries=SMALL.held_entries), editor="import")
    twice = CourseDocument(path="a", sha256="", pairs=(stolen[0], stolen[0]))
    with pytest.raises(Conflict, match="0123456789abcdef012"):
        databases.transfer.add(Content(course=other, held_documents=(twice,)), editor="import")
    assert [course.id for course in databases.courses.courses()] == [DS]


def test_a_course_stands_beside_its_copy(databases):
    """Under another id a course comes into the store that it is read from, with ids of its own."""
    databases.transfer.add(SMALL, editor="import")
    with databases.transfer.reading(DS) as content:
        databases.transfer.add(copy_content(content, as_id=CourseId("copy")), editor="import")
    pairs = list(databases.documents.pairs())
    assert len({pair.id for pair in pairs}) == len(pairs) == 6
    assert held(databases, DS) == SMALL
    assert [each.draft for each in databases.faq.entries(CourseId("copy"))] == [SMALL.held_entries[0].draft]


def test_a_passage_that_is_off_stays_off_in_a_course_file(databases):
    """It goes along, and answers nobody in the new store either."""
    document = SMALL.held_documents[1]
    off = (document.pairs[0].id,)
    given = Content(
        course=SMALL.course, settings=SMALL.settings, held_documents=(replace(document, off=off),)
    )
    databases.transfer.add(read(written(given)), editor="import")
    assert held(databases, DS) == given
    assert [pair.id for pair in databases.documents.pairs()] == [pair.id for pair in document.pairs[1:]]
