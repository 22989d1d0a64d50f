"""The knowledge base: the index follows the store, whatever happened in between."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import factories as make
import pytest
from filelock import FileLock
from knowledge_place import Place, settle

from knowledge.index import embedded_documents
from knowledge.index.embedded import EmbeddedIndex
from services.indexing.index_sync import IndexSync
from vta.changes import KEPT_REVISIONS
from vta.text import Analyser
from vta.types.concepts import AddConcept, LinkConcepts, RejectConcept, UnlinkConcepts
from vta.types.courses import CourseId
from vta.types.documents import CourseDocument

LENDS = {"shares_concepts": True, "takes_concepts": True}
DS, ML = make.course("ds", "cs", **LENDS), make.course("ml", "cs", "maths", **LENDS)


class CountingIndex(EmbeddedIndex):
    """An embedded index that counts its rebuilds and the pairs of its updates."""

    rebuilds = 0

    def __init__(self, folder):
        super().__init__(folder)
        self.updates = []

    def update(self, *, put, remove, analyser, since, stamp):
        super().update(put=put, remove=remove, analyser=analyser, since=since, stamp=stamp)
        self.updates.append((sorted(pair.id for pair in put), sorted(remove)))

    def replace(self, pairs, *, analyser, stamp):
        self.rebuilds += 1
        return super().replace(pairs, analyser=analyser, stamp=stamp)


def index_many(place: Place) -> None:
    """Enough pairs that a few may change without a rebuild."""
    place.put(DS, "many", *(f"tree {n}" for n in range(50)))
    place.knowledge.current()
    place.index.rebuilds, place.index.updates = 0, []


@pytest.fixture
def place(tmp_path):
    place = Place(
        tmp_path,
        DS,
        ML,
        index=CountingIndex,
        alone=lambda: FileLock(tmp_path / "index.lock"),
        patience_s=60.0,
    )
    place.put(DS, "ds/a", "stack frame")
    yield place
    place.close()


def test_a_change_is_found_by_the_next_question(place):
    """An addition, an edit and a removal each show at once, each written alone; nothing is rebuilt."""
    index_many(place)
    assert place.ask(DS, "stack") == ["ds/a"]
    place.put(DS, "ds/b", "queue")
    assert place.ask(DS, "queue") == ["ds/b"]
    place.put(DS, "ds/b", "heap")
    assert (place.ask(DS, "queue"), place.ask(DS, "heap")) == ([], ["ds/b"])
    place.documents.apply(DS.id, put=[], remove=["ds/b"])
    assert place.ask(DS, "heap") == []
    assert place.index.rebuilds == 0
    assert place.index.updates == [(["ds/b"], []), (["ds/b"], []), ([], ["ds/b"])]


def test_an_edit_of_a_large_document_writes_only_what_changed(place):
    """Of fifty pairs in a document, the one that is other than before."""
    index_many(place)
    document = place.documents.document(DS.id, "many")
    edited = replace(document.pairs[7], answer="edited")
    pairs = (*document.pairs[:7], edited, *document.pairs[8:])
    place.documents.apply(DS.id, put=[replace(document, pairs=pairs)])
    assert place.ask(DS, "tree 7")[0] == "many7"
    assert place.index.updates == [(["many7"], [])]


def test_many_changes_are_made_at_once(place):
    """A process that was away makes what they come to, in one update."""
    index_many(place)
    place.put(DS, "ds/b", "queue")
    place.put(DS, "ds/c", "heap")
    place.documents.apply(DS.id, put=[], remove=["ds/b", "ds/a"])
    place.start()
    assert place.ask(DS, "queue stack heap") == ["ds/c"]
    assert place.index.rebuilds == 0
    assert place.index.updates == [(["ds/c"], ["ds/a", "ds/b"])]


def test_a_new_course_costs_no_rebuild(place):
    """It is there for the ranker at once."""
    index_many(place)
    place.courses.add(replace(ML, id=CourseId("new")))
    place.knowledge.current()
    assert (place.index.rebuilds, place.index.updates) == (0, [([], [])])
    place.put(replace(ML, id=CourseId("new")), "new/n", "gradient")
    assert place.ask(replace(ML, id=CourseId("new")), "gradient") == ["new/n"]


def test_too_many_removed_pairs_are_cleared_by_a_rebuild(place, monkeypatch):
    """Where the index asks for it, the whole generation is made anew."""
    monkeypatch.setattr(embedded_documents, "_REWRITTEN", 0)
    index_many(place)
    place.documents.apply(DS.id, put=[], remove=["many"])
    assert place.ask(DS, "tree stack") == ["ds/a"]
    assert place.index.rebuilds == 1


def test_a_change_of_concepts_rebuilds(place):
    """The dictionary and the concepts' own pairs are other than before."""
    index_many(place)
    place.put(ML, "ml/m", "gradient descent", names="gradient")
    assert set(place.ask(ML, "gradient")) == {"ml/m", "ml:gradient@ml"}
    assert (place.index.rebuilds, place.index.updates) == (1, [])


def test_an_edit_of_the_graph_is_followed_and_so_is_its_undoing(place):
    """A concept that a person added is linked, found and taken back, in a process that was away too."""
    index_many(place)
    place.edits.record(DS.id, AddConcept(name="heap", definition="A heap is a tree.", domains=DS.domains))
    assert place.ask(DS, "heap") == ["ds:heap@ds"]
    place.start()
    assert [each.name for each in place.knowledge.current().graph.concepts(DS.id)] == ["heap"]
    place.edits.undo(DS.id)
    assert place.ask(DS, "heap") == []
    assert place.knowledge.current().graph.concepts(DS.id) == ()


def test_a_prerequisite_that_is_accepted_or_rejected_costs_no_rebuild(place):
    """The graph has it or has it no more at once; the index, which holds no edges, is not written anew."""
    place.put(DS, "ds/b", "heap", names="heap")
    place.put(DS, "ds/c", "tree", names="tree")
    place.knowledge.current()
    rebuilds = place.index.rebuilds
    place.edits.record(DS.id, LinkConcepts(prerequisite="tree", concept="heap"))
    assert len(place.knowledge.current().graph.edges(DS.id)) == 1
    place.edits.record(DS.id, UnlinkConcepts(prerequisite="tree", concept="heap"))
    assert place.knowledge.current().graph.edges(DS.id) == ()
    assert place.index.rebuilds == rebuilds
    assert set(place.ask(DS, "heap")) == {"ds/b", "ds:heap@ds"}
    place.edits.record(DS.id, RejectConcept(concept="heap"))
    assert place.ask(DS, "heap") == ["ds/b"]


def test_a_concept_that_is_confirmed_costs_no_rebuild(place):
    """It is what it was, but that a person says so; with another explanation it is indexed again."""
    more = {"definition": "A heap is a tree.", "domains": DS.domains, "score": 0.6, "first_seen": "a.md"}
    heap = make.concept("heap", "Heap", "pile", course="ds", built=True, document="a.md", **more)
    passage = make.passage(f"{heap.definition} It is no pile.", course="ds")
    file = CourseDocument(path="a.md", sha256="0", pairs=(passage,))
    built = CourseDocument(path="/graph/built", sha256="0", concepts=(heap,))
    place.documents.apply(DS.id, put=[file, built])
    assert place.knowledge.current().graph.concepts(DS.id) == (heap,)
    rebuilds = place.index.rebuilds
    as_it_is = AddConcept(name="heap", definition=heap.definition, domains=heap.domains)
    place.edits.record(DS.id, as_it_is)
    (confirmed,) = place.knowledge.current().graph.concepts(DS.id)
    assert confirmed == replace(heap, score=1.0, curated=True)
    assert place.index.rebuilds == rebuilds
    place.edits.record(DS.id, replace(as_it_is, definition="Another kind of tree."))
    assert "ds:heap@ds" in place.ask(DS, "heap")
    assert place.index.rebuilds == rebuilds + 1


def test_changes_that_are_told_no_longer_are_caught_up_by_a_rebuild(place):
    """An index that is too far behind is made anew."""
    index_many(place)
    place.put(DS, "ds/b", "queue")
    with place.stores.engine.begin() as connection:
        connection.exec_driver_sql(f"UPDATE store_state SET revision = revision + {KEPT_REVISIONS}")
    assert place.ask(DS, "queue") == ["ds/b"]
    assert place.index.rebuilds == 1


def test_a_crash_between_pairs_and_stamp_is_caught_up(place):
    """An update that was made but not named in live.json is made again, to the same effect."""
    index_many(place)
    before = (place.folder / "live.json").read_bytes()
    place.put(DS, "ds/b", "queue")
    place.ask(DS, "queue")
    (place.folder / "live.json").write_bytes(before)
    place.start()
    assert place.ask(DS, "queue") == ["ds/b"]
    assert (place.index.rebuilds, len(place.index.updates)) == (0, 1)
    assert len(place.ask(DS, "tree")) == 9


def test_two_processes_over_one_folder_both_follow(place):
    """One makes the update, the other takes it up; each answers from the store's revision."""
    index_many(place)
    first, one = place.index, place.knowledge
    place.start()
    place.knowledge.current()
    place.put(DS, "ds/b", "queue")
    one.current()
    assert place.ask(DS, "queue") == ["ds/b"]
    place.put(DS, "ds/b", "heap")
    assert place.ask(DS, "heap queue") == ["ds/b"]
    place.knowledge = one
    assert place.ask(DS, "queue") == []
    assert (len(first.updates), len(place.index.updates)) == (1, 1)


def test_of_two_processes_one_rebuilds_and_the_other_takes_it_up(place):
    """Both see at once that a concept is new; who waits for the writer finds the work done."""
    index_many(place)
    one, first = place.knowledge, place.index
    place.start()
    place.knowledge.current()
    place.put(DS, "ds/b", "red-black tree", names="red-black tree")
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda knowledge: knowledge.sync(), (one, place.knowledge)))
    assert first.rebuilds + place.index.rebuilds == 1
    assert place.ask(DS, "red-black tree")[:2] == ["ds:red-black tree@ds", "ds/b"]


def test_a_process_that_was_overtaken_reads_the_newer_concepts_first(place, monkeypatch):
    """It read its concepts, and before it came to the index another one had brought that further."""
    index_many(place)
    other = place.knowledge
    place.start()
    place.knowledge.current()
    follow = IndexSync.follow
    overtaking = ["once"]

    def follow_late(self, concepts, changes, *, since):
        if overtaking:
            overtaking.pop()
            place.put(DS, "ds/c", "B-tree", names="B-tree")
            other.sync()
        return follow(self, concepts, changes, since=since)

    monkeypatch.setattr(IndexSync, "follow", follow_late)
    place.put(DS, "ds/b", "red-black tree", names="red-black tree")
    assert place.ask(DS, "B-tree")[:2] == ["ds:b-tree@ds", "ds/c"]
    assert place.index.rebuilds == 0


def test_an_index_that_is_up_to_date_is_used_as_it_is(place):
    """A new process over an index of the same revision and analyser rebuilds nothing."""
    place.ask(DS, "stack")
    place.start()
    assert place.ask(DS, "stack") == ["ds/a"]
    assert place.index.rebuilds == 0


@pytest.mark.parametrize("stamp", ["0/other", "1/1-0000000000000000", "999/1-0000000000000000", ""])
def test_an_index_with_another_stamp_is_rebuilt(place, stamp):
    """One of another revision or analyser never answers, nor one of a newer store than this backup."""
    place.index.replace([], analyser=Analyser(), stamp=stamp)
    place.start()
    assert place.ask(DS, "stack") == ["ds/a"]
    assert place.index.rebuilds == 1


def test_a_lost_index_is_rebuilt(place):
    """An index whose files were deleted is made again from the store by the next process."""
    place.ask(DS, "stack")
    for generation in place.folder.glob("generation-*"):
        generation.rename(place.folder / "gone")
    place.start()
    assert place.ask(DS, "stack") == ["ds/a"]


def test_removing_a_course_removes_its_hits(place):
    """Neither its pairs nor its concepts are found in any course afterwards."""
    place.put(ML, "ml/m", "gradient descent", names="gradient")
    assert place.ask(DS, "gradient") == ["ml:gradient@ml"]
    assert set(place.ask(ML, "gradient")) == {"ml/m", "ml:gradient@ml"}
    place.courses.remove(ML.id)
    assert place.ask(DS, "gradient") == []
    assert place.ask(ML, "gradient") == []
    assert place.knowledge.current().graph.concepts(ML.id) == ()


def test_concepts_are_words_of_the_analyser(place):
    """A concept that the dictionary would cut apart is one word in questions and passages."""
    place.put(DS, "ds/b", "平衡的倒排链接表", names="倒排链接表")
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
    place.put(DS, "ds/b", "queue")
    answers = []
    threads = [threading.Thread(target=lambda: answers.append(place.ask(DS, "queue"))) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == [["ds/b"]] * 6
    assert place.index.rebuilds == 1


class GatedIndex(CountingIndex):
    """An embedded index whose changes wait at a gate."""

    def __init__(self, folder):
        super().__init__(folder)
        self.gate, self.waiting = threading.Event(), threading.Event()
        self.gate.set()

    def update(self, **change):
        self.waiting.set()
        assert self.gate.wait(30)
        super().update(**change)

    def replace(self, pairs, **stamped):
        self.waiting.set()
        assert self.gate.wait(30)
        return super().replace(pairs, **stamped)


CALM, LENT = make.course("calm", "cs"), make.course("lent", "cs", takes_concepts=True)


@pytest.fixture
def busy(tmp_path):
    """A place whose index run can be held up; who waits for it, waits for a minute."""
    place = Place(tmp_path, DS, CALM, LENT, index=GatedIndex, patience_s=60.0)
    place.put(CALM, "calm/a", "stack frame")
    place.put(LENT, "lent/a", "queue")
    index_many(place)
    yield place
    place.index.gate.set()
    place.close()


@pytest.mark.parametrize("names", ["", "red-black tree"])
def test_a_question_never_waits_for_the_index_run_of_another_course(busy, names):
    """It is answered whole meanwhile, and keeps its version, whether pairs or concepts have changed."""
    version = busy.knowledge.current(CALM).version_of(CALM)
    busy.index.gate.clear()
    busy.put(DS, "ds/b", "red-black tree", names=names)
    busy.knowledge.begin_sync()
    assert busy.index.waiting.wait(30)
    with ThreadPoolExecutor(1) as pool:
        known = pool.submit(busy.knowledge.current, CALM).result(10)
        found = known.ranker.rank("stack", course=CALM, mentions=(), chit_chat=0.0, top=9)
    assert ([each.pair.id for each in found.candidates], found.degraded) == (["calm/a"], None)
    assert known.version_of(CALM) == version
    assert known.version_of(DS) != version


def test_a_change_of_a_lender_is_waited_for(busy):
    """A course that takes concepts waits for those of the course that lends them, and finds them at once."""
    busy.index.gate.clear()
    busy.put(DS, "ds/b", "red-black tree", names="red-black tree")
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(busy.ask, LENT, "red-black tree")
        assert busy.index.waiting.wait(30)
        assert not asked.done()
        busy.index.gate.set()
        assert asked.result(30) == ["ds:red-black tree@ds"]


def test_a_question_begins_the_run_that_another_course_needs(busy):
    """A process in which only one course is asked follows the others, too, though no question waits."""
    busy.put(DS, "ds/b", "queue")
    busy.ask(CALM, "stack")
    settle(busy.knowledge)
    assert busy.index.updates == [(["ds/b"], [])]


def test_a_change_of_concepts_drops_no_other_graph(busy):
    """The graph of a course is the same object until the course itself changes."""
    busy.put(CALM, "calm/b", "heap", names="heap")
    before = busy.knowledge.current(CALM).graph._of(CALM.id)
    busy.put(DS, "ds/b", "red-black tree", names="red-black tree")
    busy.knowledge.sync()
    assert busy.knowledge.current(CALM).graph._of(CALM.id) is before
    busy.put(CALM, "calm/c", "trie", names="trie")
    assert {each.name for each in busy.knowledge.current(CALM).graph.concepts(CALM.id)} == {"heap", "trie"}
