"""Whether the concepts of one course answer in another."""

from __future__ import annotations

from pathlib import Path

import pytest

from services.settings import Settings
from services.wiring import build_platform
from vta.ingest.pipeline import ingest
from vta.types import Course, CourseId, Language, Question, Route

NOTES = {
    "lender": "# Trees\n\nA **treap** is a search tree that keeps random priorities in heap order.\n",
    "asked": "# Lists\n\nA **list** is a row of nodes, each of which points to the next.\n",
}


@pytest.mark.parametrize("lends", [False, True])
async def test_a_course_is_answered_from_the_concepts_of_another_only_where_they_are_lent(
    lends: bool, tmp_path: Path
) -> None:
    """Neither the text nor the cards of an answer name them otherwise."""
    platform = build_platform(Settings(home=tmp_path / "home", lend_concepts=lends))
    try:
        for name, notes in NOTES.items():
            course = Course(id=CourseId(name), name=name, domains=("structures",), language=Language.EN)
            platform.stores.courses.add(course)
            folder = tmp_path / name
            folder.mkdir()
            (folder / "notes.md").write_text(notes, encoding="utf-8")
            (folder / "concepts.json").write_text(CONCEPTS[name], encoding="utf-8")
            ingest([folder], course=course, readers=platform.readers, documents=platform.stores.documents)
        question = Question(course_id=CourseId("asked"), text="What is a treap?")
        answer = await platform.previewer.answer(question)
        assert ("random priorities" in answer.text, bool(answer.concepts)) == (lends, lends)
        assert answer.route is not Route.DIRECT
    finally:
        platform.close()


CONCEPTS = {
    "lender": '{"concepts": [{"name": "treap", "definition": "A treap has random priorities."}]}',
    "asked": '{"concepts": [{"name": "list", "definition": "A list is a row of nodes."}]}',
}
