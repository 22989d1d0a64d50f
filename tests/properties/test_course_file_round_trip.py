"""A course file gives back what was written into it, whatever a course holds."""

from __future__ import annotations

import tempfile
from pathlib import Path

from course_contents import Content, contents, members, written
from hypothesis import given

from services.courses.course_file import open_course
from vta.types.courses import CourseId


def read(data: bytes, as_id: str | None = None) -> Content:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "course.zip")
        file.write_bytes(data)
        with open_course(file, as_id=None if as_id is None else CourseId(as_id)) as found:
            return Content.of(found)


@given(content=contents())
def test_what_was_written_is_read(content):
    """Every field of course, settings, documents, entries and edits comes back equal."""
    assert read(written(content)) == content


@given(content=contents())
def test_writing_what_was_read_gives_the_same_bytes(content):
    """The file is a function of the course alone."""
    data = written(content)
    assert written(read(data)) == data


@given(content=contents())
def test_under_another_id_only_the_ids_are_others(content):
    """No pair or entry keeps its id, no concept or pair its course; all else in the lines is the same."""
    other = read(written(content), as_id="other-course")
    assert other.course.id == "other-course"
    before = {pair.id for document in content.documents() for pair in document.pairs}
    after = [pair for document in other.documents() for pair in document.pairs]
    assert before.isdisjoint(pair.id for pair in after)
    assert len({pair.id for pair in after}) == len(before)
    assert {pair.course_id for pair in after} <= {"other-course"}
    concepts = [concept for document in other.documents() for concept in document.concepts]
    assert all(concept.id.startswith("other-course:") for concept in concepts)
    assert {concept.courses for concept in concepts} <= {("other-course",)}
    assert {entry.id for entry in content.entries()}.isdisjoint(entry.id for entry in other.entries())
    one, again = members(written(content)), members(written(other))
    assert len(one["documents.jsonl"].splitlines()) == len(again["documents.jsonl"].splitlines())
    assert one["graph_edits.jsonl"] == again["graph_edits.jsonl"]
