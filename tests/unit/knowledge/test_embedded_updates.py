"""Updates of the embedded index: where they are committed, and the search over the segments they leave."""

from __future__ import annotations

import contextlib
import json
import random
import shutil
from pathlib import Path

import pytest
from killed import Killed, killed_at

from knowledge.index import embedded_scratch, embedded_search
from knowledge.index.embedded import EmbeddedIndex
from knowledge.index.embedded_bounds import slack
from knowledge.index.embedded_parts import Part
from knowledge.index.embedded_scratch import left_over_files
from knowledge.index.embedded_statistics import Totals
from knowledge.index.embedded_writing import part_name
from knowledge.ranking import build_query, source_weights
from vta.text import Analyser
from vta.types import Course, CourseId, Language, PairId, QAPair, Source, SourceWeight

ANALYSER = Analyser()
COURSE = Course(id=CourseId("c"), name="C", domains=("maths",), language=Language.EN)
WEIGHTS = [SourceWeight(source=Source.FAQ, course_id=COURSE.id, weight=1.0, question=1.0, answer=0.4)]
WORDS = [f"word{n}x" for n in range(14)]
SHARES = [1 / (n + 1) for n in range(14)]


def drawn_pairs(seed: int, first: int, count: int, longest: int) -> list[QAPair]:
    """Pairs over few words, so that the lists of each word fill many blocks."""
    draw = random.Random(seed)

    def text() -> str:
        return " ".join(draw.choices(WORDS, SHARES, k=draw.randint(1, longest)))

    return [
        QAPair(
            id=PairId(f"{n:05}"),
            course_id=COURSE.id,
            source=draw.choice([Source.FAQ, Source.MATERIAL]),
            question=text(),
            answer=text(),
        )
        for n in range(first, first + count)
    ]


def put(index: EmbeddedIndex, pairs: list[QAPair]) -> None:
    since = str(index.stamp())
    index.update(put=pairs, remove={}, analyser=ANALYSER, since=since, stamp=f"{since}+")


@pytest.fixture(autouse=True, scope="module")
def few_are_many():
    """As if these few pairs were more than are simply looked through."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(embedded_search, "FEW", 0)
        yield


@pytest.fixture(scope="module")
def updated(tmp_path_factory):
    """3,000 short pairs; updates of their own put 400 and 3 much longer ones and replace 100."""
    index = EmbeddedIndex(tmp_path_factory.mktemp("updated"))
    index.replace(drawn_pairs(1, 0, 3_000, 6), analyser=ANALYSER, stamp="0")
    put(index, drawn_pairs(2, 3_000, 400, 60))
    put(index, drawn_pairs(3, 1_000, 100, 30))
    put(index, drawn_pairs(4, 4_000, 3, 60))
    return index


@pytest.mark.parametrize("top", [1, 5, 40])
def test_the_flat_search_over_several_segments_is_exact(updated, monkeypatch, top):
    """The same pairs in the same order as a search that looks at every pair, with many blocks and other
    average lengths in each segment."""
    draw = random.Random(top)
    assert part(updated).index.searcher().num_segments > 1
    for _ in range(15):
        query = build_query(" ".join(draw.choices(WORDS, k=draw.randint(1, 4))), [], ANALYSER)
        weights = source_weights(COURSE, [COURSE], 0.3)
        flat = updated.search(query, weights, top)
        with monkeypatch.context() as patched:
            patched.setattr(embedded_search, "_SMALLEST_SHARE", 2.0)
            within = updated.search(query, weights, top)
        assert [c.pair.id for c in flat] == [c.pair.id for c in within]
        assert [c.score for c in flat] == pytest.approx([c.score for c in within], rel=1e-5)


def test_several_segments_are_searched_by_their_bounds(updated, monkeypatch):
    """The search that looks at every pair is asked for those of updates only."""
    looked_through = []
    whole = embedded_search._best_within

    def note(searcher, chosen, terms, top):
        looked_through.append(len(chosen))
        return whole(searcher, chosen, terms, top)

    monkeypatch.setattr(embedded_search, "_best_within", note)
    found = updated.search(build_query("word0x word5x", [], ANALYSER), WEIGHTS, 5)
    assert len(found) == 5
    assert looked_through == [2]


def test_a_bound_is_off_by_no_more_than_the_average_lengths_are():
    """One segment has exact bounds, several are off by the ratio of averages, unknown ones tell nothing."""
    totals = Totals(documents=10, average_lengths={"f": 4.0}, asked={"f": "x"})
    assert slack({"a": {}}, totals) == {"f": 1.0}
    assert slack({"a": {"f": 5.0}, "b": {"f": 2.0}, "c": {}}, totals) == pytest.approx({"f": 2.0}, rel=1e-4)
    assert slack(None, totals) is None


def part(index: EmbeddedIndex) -> Part:
    found = index.open().part(COURSE.id)
    assert found is not None
    return found


def part_folder(index: EmbeddedIndex) -> Path:
    """Where the pairs of the course are."""
    return index.live_folder() / part_name(COURSE.id)


def segments(folder: Path) -> set[str]:
    return {name for name in _managed(folder) if name != "meta.json"}


def _managed(folder: Path) -> list[str]:
    return json.loads(next(folder.glob("generation-*/*/.managed.json")).read_text())


@pytest.mark.parametrize("memory", ["a folder in memory", "none"])
def test_an_update_leaves_the_files_of_its_commit_and_no_others(tmp_path, monkeypatch, memory):
    """Wherever it was committed: all files that the index names are there, none of them a link, and what a
    crash left goes with the next update."""
    if memory == "none":
        monkeypatch.setattr(embedded_scratch, "MEMORY", tmp_path / "missing")
    index = EmbeddedIndex(tmp_path / "i")
    index.replace(drawn_pairs(1, 0, 300, 6), analyser=ANALYSER, stamp="0")
    generation = part_folder(index)
    for n in range(12):
        put(index, drawn_pairs(n, 1_000 + n, 1, 6))
    left = generation / ("0" * 32 + ".idx")
    left.write_bytes(b"half")
    put(index, drawn_pairs(5, 2_000, 1, 6))
    there = {file.name for file in generation.iterdir() if file.name[0] != "."} - {"meta.json"}
    assert there == segments(tmp_path / "i")
    assert not any(file.is_symlink() for file in generation.iterdir())
    again = EmbeddedIndex(tmp_path / "i")
    assert len(again.search(build_query("word0x", [], ANALYSER), WEIGHTS, 999)) > 50
    assert part(again).index.searcher().num_docs == 313


def test_a_commit_that_fails_leaves_the_folder_as_it_was(tmp_path):
    """What was written beside it goes with the error."""
    index = EmbeddedIndex(tmp_path)
    index.replace(drawn_pairs(1, 0, 50, 6), analyser=ANALYSER, stamp="0")
    before = sorted(file.name for file in part_folder(index).iterdir())
    beside = embedded_scratch.written_beside(part_folder(index), room=0)
    with pytest.raises(ZeroDivisionError), beside as scratch:
        (scratch / ("1" * 32 + ".idx")).write_bytes(b"half"[: 1 // 0])
    assert sorted(file.name for file in part_folder(index).iterdir()) == before
    assert not scratch.exists()


OLD, NEW = drawn_pairs(1, 0, 80, 6), drawn_pairs(9, 7, 2, 6)
"""Two of the old pairs get other texts, so that an update deletes and adds."""


def edit(index: EmbeddedIndex, stamp: str) -> None:
    index.update(put=NEW, remove={}, analyser=ANALYSER, since=str(index.stamp()), stamp=stamp)


def found(folder: Path) -> set[QAPair]:
    """Every pair, as another process finds it."""
    query = build_query(" ".join(WORDS), [], ANALYSER)
    weights = source_weights(COURSE, [COURSE], 0.3)
    return {candidate.pair for candidate in EmbeddedIndex(folder).search(query, weights, 999)}


@pytest.mark.parametrize("memory", ["a folder in memory", "none"])
def test_an_update_that_is_killed_at_any_moment_is_made_again(tmp_path, monkeypatch, memory):
    """Whatever it left behind: the next process opens the index, makes the update and finds every pair."""
    if memory == "none":
        monkeypatch.setattr(embedded_scratch, "MEMORY", tmp_path / "missing")
    built = tmp_path / "built"
    EmbeddedIndex(built).replace(OLD, analyser=ANALYSER, stamp="0")
    expected = {*OLD[:7], *NEW, *OLD[9:]}
    moment, finished = 0, False
    while not finished:
        moment += 1
        folder = tmp_path / str(moment)
        shutil.copytree(built, folder)
        with contextlib.suppress(Killed), killed_at(moment, folder):
            edit(EmbeddedIndex(folder), "1")
            finished = True
        after = EmbeddedIndex(folder)
        assert found(folder) in ({*OLD}, expected)
        if after.stamp() == "0":
            edit(after, "1")
        assert found(folder) == expected
        edit(after, "2")
        assert found(folder) == expected
        assert not left_over_files(part_folder(after))
    assert moment > 5
