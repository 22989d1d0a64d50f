"""The words of all concepts, kept between two starts."""

from __future__ import annotations

import pytest
from memory_stores import Memory, MemoryCourses, MemoryDocuments, MemoryGraphEdits

from knowledge.index.embedded import EmbeddedIndex
from services.clock import SystemClock
from services.indexing.stored_knowledge import StoredKnowledge
from vta.changes import KEPT_REVISIONS
from vta.types import (
    Concept,
    ConceptId,
    Course,
    CourseDocument,
    CourseId,
    Language,
    PairId,
    QAPair,
    Source,
)

DS, ML = (Course(id=CourseId(id), name=id, domains=("计算机",), language=Language.ZH) for id in ("ds", "ml"))


class CountingDocuments(MemoryDocuments):
    """Counts how often the concepts of all courses are read."""

    whole = 0

    def concepts(self, course_id=None):
        self.whole += course_id is None
        return super().concepts(course_id)


class Place:
    """Stores, and processes that start on them."""

    def __init__(self, folder):
        memory = Memory()
        self.folder, self.file = folder / "index", folder / "dictionary.json"
        self.courses, self.documents = MemoryCourses(memory), CountingDocuments(memory)
        self.edits = MemoryGraphEdits(memory, SystemClock())
        for course in (DS, ML):
            self.courses.add(course)
        self.put(DS, "a", "优先队列")

    def put(self, course: Course, path: str, name: str, question: str = "什么是栈？") -> None:
        pair = QAPair(
            id=PairId(f"{course.id}/{path}"), course_id=course.id, source=Source.FAQ, question=question,
            answer="-",
        )  # fmt: skip
        concept = Concept(
            id=ConceptId(f"{course.id}:{name}"), name=name, domains=course.domains, courses=(course.id,)
        )
        document = CourseDocument(path=path, sha256="0", pairs=(pair,), concepts=(concept,))
        self.documents.apply(course.id, put=[document])

    def start(self) -> StoredKnowledge:
        self.documents.whole = 0
        return StoredKnowledge(
            courses=self.courses,
            documents=self.documents,
            edits=self.edits,
            index=EmbeddedIndex(self.folder),
            dictionary=self.file,
            patience_s=60.0,
        )

    def names(self, knowledge: StoredKnowledge, course: Course, text: str) -> list[str]:
        return [each.concept.name for each in knowledge.current().linker.link(text, course=course)]


@pytest.fixture
def place(tmp_path) -> Place:
    place = Place(tmp_path)
    place.start().current()
    return place


def test_a_start_reads_the_concepts_of_no_course(place):
    """A question reads those of its own; the index stays as it is."""
    knowledge = place.start()
    assert place.names(knowledge, DS, "优先队列是什么") == ["优先队列"]
    assert place.names(knowledge, ML, "优先队列是什么") == []
    assert place.documents.whole == 0


def test_a_start_after_edits_of_pairs_reads_none_either(place):
    """However many there were, since the file follows them now and then."""
    knowledge = place.start()
    for number in range(KEPT_REVISIONS + 10):
        place.put(DS, "a", "优先队列", question=f"第{number}题")
        if number % 50 == 0:
            knowledge.sync()
    knowledge = place.start()
    assert place.names(knowledge, DS, "优先队列是什么") == ["优先队列"]
    assert place.documents.whole == 0


def test_another_concept_is_read_and_kept(place):
    """Those of all courses are read once more, by a process that runs and by one that starts later."""
    place.put(ML, "b", "神经网络")
    knowledge = place.start()
    assert place.names(knowledge, ML, "神经网络是什么") == ["神经网络"]
    assert place.documents.whole > 0
    place.put(ML, "b", "循环网络")
    assert place.names(knowledge, ML, "循环网络是什么") == ["循环网络"]
    knowledge = place.start()
    assert place.names(knowledge, ML, "循环网络是什么") == ["循环网络"]
    assert place.documents.whole == 0


@pytest.mark.parametrize("content", ["", "[]", '{"revision": 1}', '{"version": 0, "words": []}'])
def test_a_file_that_says_nothing_is_made_anew(place, content):
    """Damaged, of another version, or deleted."""
    place.file.write_text(content, encoding="utf-8")
    assert place.names(place.start(), DS, "优先队列是什么") == ["优先队列"]
    assert place.documents.whole > 0
    place.start().current()
    assert place.documents.whole == 0


def test_a_file_that_cannot_be_written_costs_only_time(place):
    """As on a disk that can only be read."""
    place.file.unlink()
    place.file.mkdir()
    assert place.names(place.start(), DS, "优先队列是什么") == ["优先队列"]
