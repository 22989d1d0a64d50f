"""The knowledge base while its index fails: nothing that the store holds is lost, and nobody waits long."""

from __future__ import annotations

import threading
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from typing import Any

import factories as make
import pytest
from clocks import Seconds
from full_disk import files_of_at_most
from knowledge_place import Place, settle
from plain_faults import plain

from knowledge.index.embedded import EmbeddedIndex
from services.indexing.stored_knowledge import BEHIND, sync_index
from vta.errors import NotReady, UpstreamFailed
from vta.text import Analyser
from vta.types.concepts import AddConcept
from vta.types.courses import PairId
from vta.types.pairs import Degradation, QAPair, Ranking

DS = make.course("ds")
SECONDS = 10.0
"""More than anything here takes; what hangs fails by it."""


class FaultyIndex(EmbeddedIndex):
    """An embedded index that fails as it is asked to, and waits at a gate before it changes."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.update_fails: Exception | None = None
        self.replace_fails: Exception | None = None
        self.away: UpstreamFailed | None = None
        self.gate = threading.Event()
        self.gate.set()
        self.waiting = threading.Event()

    def stamp(self) -> str | None:
        if self.away:
            raise self.away
        return super().stamp()

    def update(
        self,
        *,
        put: Collection[QAPair],
        remove: Collection[PairId],
        analyser: Analyser,
        since: str,
        stamp: str,
    ) -> None:
        self.waiting.set()
        assert self.gate.wait(SECONDS)
        if self.update_fails:
            raise self.update_fails
        super().update(put=put, remove=remove, analyser=analyser, since=since, stamp=stamp)

    def replace(self, pairs: Iterable[QAPair], *, analyser: Analyser, stamp: str) -> int:
        if self.away or self.replace_fails:
            raise self.away or self.replace_fails  # type: ignore[misc]
        return super().replace(pairs, analyser=analyser, stamp=stamp)


class Faulty(Place):
    """A place with an index that can fail, and a knowledge base with a clock that the test turns."""

    def __init__(self, folder: Path) -> None:
        self.now = Seconds(100.0)
        super().__init__(folder, DS, index=FaultyIndex, patience_s=0.1, now=self.now)

    def rank(self, question: str) -> Ranking:
        ranker = self.knowledge.current().ranker
        return ranker.rank(question, course=DS, mentions=(), chit_chat=0.0, top=9)

    def find(self, question: str) -> list[str]:
        return [candidate.pair.id for candidate in self.rank(question).candidates]


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Faulty]:
    """Fifty pairs, indexed, so that a few more are an update."""
    place = Faulty(tmp_path)
    place.put(DS, "many", *(f"tree {n}" for n in range(50)))
    assert len(place.find("tree")) == 9
    yield place
    place.index.gate.set()
    place.close()


@pytest.mark.parametrize(
    "failure", [ValueError("exists"), OSError(28, "full"), RuntimeError("?"), NotReady(plain("?"))]
)
def test_an_update_that_fails_in_any_way_ends_in_a_rebuild(place: Faulty, failure: Exception) -> None:
    """The change is found, and nothing is degraded."""
    place.index.update_fails = failure
    place.put(DS, "new", "queue")
    assert sync_index(place.knowledge)
    assert place.find("queue") == ["new"]
    assert place.rank("queue").degraded is None


@pytest.mark.parametrize(
    "failure", [ValueError("?"), OSError(28, "full"), RuntimeError("?"), NotReady(plain("?"))]
)
def test_where_the_index_cannot_follow_the_old_one_answers_and_says_so(
    place: Faulty, failure: Exception
) -> None:
    """The graph follows the store, the writer is told the truth, and the index catches up by itself."""
    place.index.update_fails = place.index.replace_fails = failure
    place.put(DS, "new", "queue")
    place.edits.record(DS.id, AddConcept(name="heap", definition="A heap is a tree.", domains=DS.domains))
    assert not sync_index(place.knowledge)
    assert place.find("queue") == []
    degraded = place.rank("tree").degraded
    assert isinstance(degraded, Degradation)
    assert degraded.stage == "search"
    assert len(place.find("tree")) == 9
    assert [each.name for each in place.knowledge.current().graph.concepts(DS.id)] == ["heap"]

    place.index.update_fails = place.index.replace_fails = None
    assert place.find("queue") == []  # it is left alone for a while
    place.now.seconds += 1000
    assert sync_index(place.knowledge)
    assert place.find("queue heap") == ["ds:heap@ds", "new"]
    assert place.rank("queue").degraded is None


def test_a_full_folder_is_followed_by_itself_once_there_is_room(place: Faulty) -> None:
    """While no file can grow questions are answered from the old index; afterwards nothing is missing."""
    place.put(DS, "new", "queue")
    with files_of_at_most(100):
        assert not sync_index(place.knowledge)
        assert len(place.find("tree")) == 9
        assert place.rank("tree").degraded is not None
    place.now.seconds += 1000
    assert sync_index(place.knowledge)
    assert place.find("queue") == ["new"]


def test_questions_make_it_catch_up(place: Faulty) -> None:
    """No writer and no restart is needed."""
    place.index.update_fails = place.index.replace_fails = OSError(28, "full")
    place.put(DS, "new", "queue")
    assert place.find("queue") == []
    settle(place.knowledge)
    place.index.update_fails = place.index.replace_fails = None
    place.now.seconds += 1000
    place.knowledge.current()
    settle(place.knowledge)
    assert place.find("queue") == ["new"]


def test_without_any_index_the_ranker_says_why(tmp_path: Path) -> None:
    """Graph and linker come from the store, whatever becomes of the index."""
    place = Faulty(tmp_path)
    place.edits.record(DS.id, AddConcept(name="heap", definition="A heap is a tree.", domains=DS.domains))
    place.index.replace_fails = OSError(28, "full")
    known = place.knowledge.current()
    assert [each.name for each in known.graph.concepts(DS.id)] == ["heap"]
    assert [each.surface for each in known.linker.link("a heap", course=DS)] == ["heap"]
    with pytest.raises(NotReady):
        place.rank("heap")
    place.close()


def test_an_index_of_other_concepts_never_answers(place: Faulty) -> None:
    """A new process that cannot rebuild it refuses to rank, since its words are cut in another way."""
    place.edits.record(DS.id, AddConcept(name="倒排链接表", definition="一种表。", domains=DS.domains))
    place.start()
    place.index.replace_fails = OSError(28, "full")
    with pytest.raises(NotReady):
        place.rank("tree")


def test_a_new_process_answers_from_an_index_that_is_only_behind(place: Faulty) -> None:
    """It was made with the same concepts, so its scores mean the same."""
    place.put(DS, "new", "queue")
    place.start()
    place.index.update_fails = place.index.replace_fails = OSError(28, "full")
    assert len(place.find("tree")) == 9
    assert place.rank("tree").degraded is not None


def test_a_search_engine_that_is_away_fails_the_ranking_alone(tmp_path: Path) -> None:
    """Also in a process that has just started; when it is back the index is made by itself."""
    place = Faulty(tmp_path)
    place.put(DS, "a", "queue")
    place.index.away = UpstreamFailed(plain("search is away"))
    assert place.knowledge.current().graph.concepts(DS.id) == ()
    with pytest.raises(UpstreamFailed, match="search is away"):
        place.rank("queue")
    with pytest.raises(UpstreamFailed, match="search is away"):
        place.knowledge.sync()
    place.index.away = None
    place.now.seconds += 1000
    place.knowledge.current()
    settle(place.knowledge)
    assert place.find("queue") == ["a"]
    place.close()


def test_nobody_waits_for_long_while_one_thread_changes_the_index(place: Faulty) -> None:
    """Questions go on with the knowledge there is, and say so; the writer returns once its own is found."""
    place.index.gate.clear()
    place.put(DS, "new", "queue")
    synced = []
    writer = threading.Thread(target=lambda: synced.append(sync_index(place.knowledge)))
    writer.start()
    assert place.index.waiting.wait(SECONDS)
    answers = []
    threads = [threading.Thread(target=lambda: answers.append(place.rank("tree"))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(SECONDS / 2)
    assert [len(answer.candidates) for answer in answers] == [9] * 8
    assert {answer.degraded for answer in answers} == {BEHIND}
    assert not synced
    place.index.gate.set()
    writer.join(SECONDS)
    assert synced == [True]
    assert place.find("queue") == ["new"]
    assert place.rank("queue").degraded is None


def test_a_writer_waits_for_its_own_change_and_not_for_one_before_it(place: Faulty) -> None:
    """A change that was under way when it wrote does not count."""
    place.index.gate.clear()
    place.put(DS, "one", "queue")
    first = threading.Thread(target=sync_index, args=[place.knowledge])
    first.start()
    assert place.index.waiting.wait(SECONDS)
    place.put(DS, "two", "deque")
    second = threading.Thread(target=sync_index, args=[place.knowledge])
    second.start()
    place.index.gate.set()
    first.join(SECONDS)
    second.join(SECONDS)
    assert place.find("deque") == ["two"]


def test_a_file_that_is_lost_while_it_serves_is_made_again(place: Faulty) -> None:
    """One question is refused in words; the index is then built anew without being asked to."""
    for file in place.folder.glob("generation-*/*/*.store"):
        file.write_bytes(b"")
    place.start()
    with pytest.raises(NotReady):
        place.rank("tree")
    place.knowledge.current()
    settle(place.knowledge)
    assert len(place.find("tree")) == 9


@pytest.mark.fault(case="T140")
def test_a_store_that_was_away_while_nothing_changed_answers_at_once(place: Faulty) -> None:
    """A worker went on with 503 until somebody wrote or asked its /readyz."""
    revision = place.documents.revision
    place.ask(DS, "栈是什么")
    place.documents.revision = lambda: _raise(UpstreamFailed(plain("the store is away")))  # type: ignore[method-assign]
    with pytest.raises(UpstreamFailed, match="store is away"):
        place.knowledge.sync()
    place.documents.revision = revision  # type: ignore[method-assign]
    assert place.knowledge.current().graph is not None


def test_a_store_that_cannot_be_read_is_no_fault_of_the_index(place: Faulty) -> None:
    """Then there is no truth to answer from, and the failure is told."""
    place.documents.revisions = lambda _: _raise(UpstreamFailed(plain("the store is away")))  # type: ignore[method-assign]
    with pytest.raises(UpstreamFailed, match="store is away"):
        place.knowledge.current()


def _raise(failure: Exception) -> Any:
    raise failure
