"""The knowledge base: the index follows the store, whatever happened in between."""

from __future__ import annotations

import threading

import pytest

from knowledge.index.embedded import EmbeddedIndex
from services.knowledge_base import StoredKnowledge
from vta.memory import Memory, MemoryCourses, MemoryDocuments
from vta.text import Analyser
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

DS = Course(id=CourseId("ds"), name="DS", domains=("cs",), language=Language.EN)
ML = Course(id=CourseId("ml"), name="ML", domains=("cs", "maths"), language=Language.EN)


class CountingIndex(EmbeddedIndex):
    """An embedded index that counts its rebuilds and can be made to fail."""

    rebuilds = 0
    failing = False

    def replace(self, pairs, *, analyser, stamp):
        if self.failing:
            raise OSError("no space left")
        self.rebuilds += 1
        return super().replace(pairs, analyser=analyser, stamp=stamp)


class Place:
    """Stores, an index and a knowledge base over them."""

    def __init__(self, folder):
        memory = Memory()
        self.folder = folder
        self.courses, self.documents = MemoryCourses(memory), MemoryDocuments(memory)
        self.courses.add(DS)
        self.courses.add(ML)
        self.start()

    def start(self) -> None:
        """A new process over the same stores and folder."""
        self.index = CountingIndex(self.folder)
        self.knowledge = StoredKnowledge(courses=self.courses, documents=self.documents, index=self.index)

    def put(self, course: Course, path: str, question: str, concept: str | None = None) -> None:
        pair = QAPair(
            id=PairId(f"{course.id}/{path}"), course_id=course.id, source=Source.FAQ, question=question,
            answer="-",
        )  # fmt: skip
        concepts = ()
        if concept:
            concepts = (
                Concept(
                    id=ConceptId(f"{course.id}:{concept}"), name=concept, definition=f"{concept} is known.",
                    domains=course.domains, courses=(course.id,), curated=True,
                ),
            )  # fmt: skip
        document = CourseDocument(path=path, sha256="0", pairs=(pair,), concepts=concepts)
        self.documents.apply(course.id, put=[document])

    def ask(self, course: Course, question: str) -> list[str]:
        known = self.knowledge.current()
        mentions = known.linker.link(question, course=course)
        found = known.ranker.rank(question, course=course, mentions=mentions, chit_chat=0.0, top=9)
        return [candidate.pair.id for candidate in found.candidates]


@pytest.fixture
def place(tmp_path) -> Place:
    place = Place(tmp_path)
    place.put(DS, "a", "stack frame")
    return place


def test_a_change_is_found_by_the_next_question(place):
    """An addition, an edit and a removal each show at once, and nothing is rebuilt without a change."""
    assert place.ask(DS, "stack") == ["ds/a"]
    place.put(DS, "b", "queue")
    assert place.ask(DS, "queue") == ["ds/b"]
    place.put(DS, "b", "heap")
    assert (place.ask(DS, "queue"), place.ask(DS, "heap")) == ([], ["ds/b"])
    place.documents.apply(DS.id, put=[], remove=["b"])
    assert place.ask(DS, "heap") == []
    assert place.index.rebuilds == 4


def test_an_index_that_is_up_to_date_is_used_as_it_is(place):
    """A new process over an index of the same revision and analyser rebuilds nothing."""
    place.ask(DS, "stack")
    place.start()
    assert place.ask(DS, "stack") == ["ds/a"]
    assert place.index.rebuilds == 0


@pytest.mark.parametrize("stamp", ["0/other", "1/1-0000000000000000", ""])
def test_an_index_with_another_stamp_is_rebuilt(place, stamp):
    """One of another revision or analyser never answers."""
    place.index.replace([], analyser=Analyser(), stamp=stamp)
    place.start()
    assert place.ask(DS, "stack") == ["ds/a"]
    assert place.index.rebuilds == 1


def test_a_crash_between_store_and_index_is_caught_up(place):
    """What the store took before the process died is found by the next process."""
    place.ask(DS, "stack")
    place.put(DS, "b", "queue")
    place.start()
    assert place.ask(DS, "queue") == ["ds/b"]


def test_a_rebuild_that_fails_is_tried_again(place):
    """The question is told the failure; the next one, after the fault is gone, is answered."""
    place.ask(DS, "stack")
    place.put(DS, "b", "queue")
    place.index.failing = True
    with pytest.raises(OSError, match="no space left"):
        place.ask(DS, "queue")
    place.index.failing = False
    assert place.ask(DS, "queue") == ["ds/b"]


def test_a_lost_index_is_rebuilt(place):
    """An index whose files were deleted is made again from the store by the next process."""
    place.ask(DS, "stack")
    for generation in place.folder.glob("generation-*"):
        generation.rename(place.folder / "gone")
    place.start()
    assert place.ask(DS, "stack") == ["ds/a"]


def test_removing_a_course_removes_its_hits(place):
    """Neither its pairs nor its concepts are found in any course afterwards."""
    place.put(ML, "m", "gradient descent", concept="gradient")
    assert place.ask(DS, "gradient") == ["ml:gradient@ml"]
    assert set(place.ask(ML, "gradient")) == {"ml/m", "ml:gradient@ml"}
    place.courses.remove(ML.id)
    assert place.ask(DS, "gradient") == []
    assert place.ask(ML, "gradient") == []
    assert place.knowledge.current().graph.concepts() == ()


def test_concepts_are_words_of_the_analyser(place):
    """A concept that the dictionary would cut apart is one word in questions and passages."""
    place.put(DS, "b", "平衡的倒排链接表", concept="倒排链接表")
    known = place.knowledge.current()
    found = known.ranker.rank("倒排链接表", course=DS, mentions=(), chit_chat=0, top=3)
    assert "倒排链接表" in found.terms


def test_reindex_rebuilds_whatever_the_stamp_says(place):
    """It is the cure for an index that is wrong without knowing it."""
    place.ask(DS, "stack")
    stamp = place.index.stamp()
    place.index.replace([], analyser=Analyser(), stamp=stamp)
    assert place.ask(DS, "stack") == []
    place.knowledge.reindex()
    assert place.ask(DS, "stack") == ["ds/a"]
    assert place.index.stamp() == stamp


def test_questions_that_come_at_once_share_one_rebuild(place):
    """Each thread gets an answer of the present revision, from one index."""
    place.put(DS, "b", "queue")
    answers = []
    threads = [threading.Thread(target=lambda: answers.append(place.ask(DS, "queue"))) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == [["ds/b"]] * 6
    assert place.index.rebuilds == 1
