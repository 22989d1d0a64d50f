"""The embedded index after updates: which files they leave, and that what it finds is exact."""

from __future__ import annotations

import contextlib
import json
import random
import shutil
from pathlib import Path

import factories as make
from killed import Killed, killed_at

from knowledge.index.embedded import EmbeddedIndex
from knowledge.index.embedded_documents import META, id_number, part_name
from knowledge.ranking import build_query, source_weights
from vta.languages import Language
from vta.text import Analyser
from vta.types.courses import Course, CourseId, PairId
from vta.types.pairs import QAPair, Source, SourceWeight

ANALYSER = Analyser()
COURSE = Course(id=CourseId("c"), name="C", domains=("maths",), language=Language.EN)
WEIGHTS = [SourceWeight(source=Source.FAQ, course_id=COURSE.id, weight=1.0, question=1.0, answer=0.4)]
WORDS = [f"word{n}x" for n in range(14)]
SHARES = [1 / (n + 1) for n in range(14)]


def drawn_pairs(seed: int, first: int, count: int) -> list[QAPair]:
    """Pairs over few words, so that the lists of each word are long and many pairs tie."""
    draw = random.Random(seed)

    def text() -> str:
        return " ".join(draw.choices(WORDS, SHARES, k=draw.randint(1, 6)))

    return [
        make.pair(
            text(),
            text(),
            id=f"{n:012}",
            course=COURSE.id,
            source=draw.choice([Source.FAQ, Source.MATERIAL, Source.CONCEPT]),
        )
        for n in range(first, first + count)
    ]


def put(index: EmbeddedIndex, pairs: list[QAPair]) -> None:
    since = str(index.stamp())
    index.update(put=pairs, remove={}, analyser=ANALYSER, since=since, stamp=f"{since}+")


def test_pairs_that_tie_are_those_of_the_first_ids(tmp_path):
    """However many more there are than are wanted, and in whatever order and update they came."""
    index = EmbeddedIndex(tmp_path)
    same = [pair for n in range(0, 600, 3) for pair in _same(n)]
    random.Random(3).shuffle(same)
    index.replace(same[:500], analyser=ANALYSER, stamp="0")
    put(index, same[500:])
    found = index.search(build_query("word0x", [], ANALYSER), WEIGHTS, 7)
    assert [c.pair.id for c in found] == [f"{n:012}" for n in range(7)]


def _same(first: int) -> list[QAPair]:
    return [make.pair("word0x", "word1x", id=f"{n:012}", course=COURSE.id) for n in range(first, first + 3)]


def test_ids_are_numbered_in_their_order():
    """No id comes before another whose number is smaller."""
    ids = [PairId(id) for id in ("", "0", "00", "1", "a", "ab", "abcdefgh", "abcdefghi", "é", "栈", "𠀀")]
    numbers = list(map(id_number, ids))
    assert numbers == sorted(numbers)


def part_folder(index: EmbeddedIndex) -> Path:
    """Where the pairs of the course are."""
    return index.folder_of(index.live()) / part_name(COURSE.id)


def named(folder: Path) -> set[str]:
    """The files that tantivy says are there."""
    return set(json.loads((folder / ".managed.json").read_text()))


def there(folder: Path) -> set[str]:
    return {file.name for file in folder.iterdir() if not file.name.startswith(".")}


def test_an_update_leaves_the_files_of_its_commit_and_no_others(tmp_path):
    """Those of earlier commits and of merged segments are gone."""
    index = EmbeddedIndex(tmp_path)
    index.replace(drawn_pairs(1, 0, 300), analyser=ANALYSER, stamp="0")
    for n in range(12):
        put(index, drawn_pairs(n, 1_000 + n, 1))
    folder = part_folder(index)
    assert there(folder) == named(folder)
    segments = json.loads((folder / META).read_text())["segments"]
    begins = {segment["segment_id"].replace("-", "") for segment in segments}
    assert {name.partition(".")[0] for name in there(folder)} == {*begins, "meta"}
    assert (
        len(
            {
                c.pair.id
                for c in EmbeddedIndex(tmp_path).search(build_query("word0x", [], ANALYSER), WEIGHTS, 999)
            }
        )
        > 50
    )


OLD, NEW = drawn_pairs(1, 0, 80), drawn_pairs(9, 7, 2)
"""Two of the old pairs get other texts, so that an update deletes and adds."""


def edit(index: EmbeddedIndex, stamp: str) -> None:
    index.update(put=NEW, remove={}, analyser=ANALYSER, since=str(index.stamp()), stamp=stamp)


def found(folder: Path) -> set[QAPair]:
    """Every pair, as another process finds it."""
    query = build_query(" ".join(WORDS), [], ANALYSER)
    weights = source_weights(COURSE, [COURSE], 0.3)
    return {candidate.pair for candidate in EmbeddedIndex(folder).search(query, weights, 999)}


EXPECTED = {*OLD[:7], *NEW, *OLD[9:]}


def test_an_update_that_is_killed_before_its_commit_counts_is_made_again(tmp_path):
    """All its files are there beside the old ones, and meta.json is the old one: they do not stand in the way
    of the next commit, which takes their names."""
    index = EmbeddedIndex(tmp_path)
    index.replace(OLD, analyser=ANALYSER, stamp="0")
    folder = part_folder(index)
    for round in range(3):
        before, live = tmp_path / f"before{round}", (tmp_path / "live.json").read_bytes()
        shutil.copytree(folder, before)
        edit(index, "lost")
        assert there(folder) - there(before)
        managed = sorted(named(folder) | named(before))
        shutil.copytree(before, folder, dirs_exist_ok=True)
        (folder / ".managed.json").write_text(json.dumps(managed))
        (tmp_path / "live.json").write_bytes(live)
        assert found(tmp_path) == ({*OLD} if round == 0 else EXPECTED)
        index = EmbeddedIndex(tmp_path)
        edit(index, f"{round + 1}")
        assert found(tmp_path) == EXPECTED
        assert there(folder) == named(folder)


def test_an_update_that_is_killed_at_any_moment_is_made_again(tmp_path):
    """Whatever it left behind: the next process opens the index, makes the update and finds every pair."""
    built = tmp_path / "built"
    EmbeddedIndex(built).replace(OLD, analyser=ANALYSER, stamp="0")
    moment, finished = 0, False
    while not finished:
        moment += 1
        folder = tmp_path / str(moment)
        shutil.copytree(built, folder)
        with contextlib.suppress(Killed), killed_at(moment, folder):
            edit(EmbeddedIndex(folder), "1")
            finished = True
        after = EmbeddedIndex(folder)
        assert found(folder) in ({*OLD}, EXPECTED)
        if after.stamp() == "0":
            edit(after, "1")
        assert found(folder) == EXPECTED
        edit(after, "2")
        assert found(folder) == EXPECTED
        assert there(part_folder(after)) == named(part_folder(after))
    assert moment > 5
