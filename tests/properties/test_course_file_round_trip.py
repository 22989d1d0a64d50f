"""A course file gives back what was written into it, whatever a course holds."""

from __future__ import annotations

from course_contents import contents, read, written
from examples import examples
from hypothesis import given, settings


@settings(max_examples=examples(20), deadline=None)
@given(content=contents())
def test_a_file_is_read_as_it_was_written_and_written_again_it_is_the_same(content):
    """Every field of course, settings, documents, entries and edits."""
    data = written(content)
    assert read(data) == content
    assert written(read(data)) == data


@settings(max_examples=examples(20), deadline=None)
@given(content=contents())
def test_under_another_id_only_the_ids_are_others(content):
    """No pair or entry keeps its id, no concept or pair its course; all else is the same."""
    other = read(written(content), as_id="other-course")
    assert other.course.id == "other-course"
    before = {pair.id for document in content.documents() for pair in document.pairs}
    after = [pair for document in other.documents() for pair in document.pairs]
    assert before.isdisjoint(pair.id for pair in after)
    assert len({pair.id for pair in after}) == len(before)
    assert {pair.course_id for pair in after} <= {"other-course"}
    assert [pair.answer for pair in after] == [p.answer for d in content.documents() for p in d.pairs]
    concepts = [concept for document in other.documents() for concept in document.concepts]
    assert all(concept.id.startswith("other-course:") for concept in concepts)
    assert {concept.courses for concept in concepts} <= {("other-course",)}
    assert {entry.id for entry in content.entries()}.isdisjoint(entry.id for entry in other.entries())
    assert [each.edit for each in other.edits()] == [each.edit for each in content.edits()]
