"""The words of all concepts, kept between two starts."""

from __future__ import annotations

import factories as make
import pytest
from knowledge_place import Place

from services.documents.store import SqlDocuments
from services.store import outbox

DS, ML = make.course("ds"), make.course("ml")


class CountingDocuments(SqlDocuments):
    """Counts how often the concepts of all courses are read."""

    whole = 0

    def graphs(self, course_id=None):
        self.whole += course_id is None
        return super().graphs(course_id)


class Start:
    """A place whose words are kept in a file, where processes start one after another."""

    def __init__(self, folder):
        self.file = folder / "dictionary.json"
        self.place = Place(folder, DS, ML, documents=CountingDocuments, dictionary=self.file, patience_s=60.0)
        self.put, self.documents = self.place.put, self.place.documents
        self.put(DS, "a", "什么是栈？", names="优先队列")

    def start(self):
        """What a new process knows, which has not read anything."""
        self.documents.whole = 0
        self.place.start()
        return self.place.knowledge

    def names(self, knowledge, course, text):
        return [each.concept.name for each in knowledge.current().linker.link(text, course=course)]


@pytest.fixture
def place(tmp_path):
    start = Start(tmp_path)
    start.start().current()
    yield start
    start.place.close()


def test_a_start_reads_the_concepts_of_no_course(place):
    """A question reads those of its own; the index stays as it is."""
    knowledge = place.start()
    assert place.names(knowledge, DS, "优先队列是什么") == ["优先队列"]
    assert place.names(knowledge, ML, "优先队列是什么") == []
    assert place.documents.whole == 0


def test_a_start_after_edits_of_pairs_reads_none_either(place, monkeypatch):
    """However many there were, since the file follows them now and then."""
    monkeypatch.setattr(outbox, "KEPT_REVISIONS", 150)
    knowledge = place.start()
    for number in range(160):
        place.put(DS, "a", f"第{number}题", names="优先队列")
        if number % 50 == 0:
            knowledge.sync()
    knowledge = place.start()
    assert place.names(knowledge, DS, "优先队列是什么") == ["优先队列"]
    assert place.documents.whole == 0


def test_another_concept_is_read_and_kept(place):
    """Those of all courses are read once more, by a process that runs and by one that starts later."""
    place.put(ML, "b", "什么是网络？", names="神经网络")
    knowledge = place.start()
    assert place.names(knowledge, ML, "神经网络是什么") == ["神经网络"]
    assert place.documents.whole > 0
    place.put(ML, "b", "什么是网络？", names="循环网络")
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
