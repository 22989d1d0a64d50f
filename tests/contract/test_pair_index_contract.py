"""What every `PairIndex` holds: the embedded one, Elasticsearch, and one that scores every pair in Python."""

from __future__ import annotations

import multiprocessing
import os
import threading
from pathlib import Path

import factories as make
import pytest
from full_disk import files_of_at_most

from knowledge.bm25 import perfect_bm25
from knowledge.index import STALE_SHARE, embedded_documents
from knowledge.index.embedded import EmbeddedIndex
from vta.errors import Conflict, LimitExceeded, NotReady
from vta.text import Analyser, stem
from vta.types.courses import CourseId, PairId
from vta.types.pairs import QAPair, SearchQuery, Source, SourceWeight

ANALYSER = Analyser(["栈"])
DS, ML = CourseId("ds"), CourseId("ml")


def pair(id: str, question: str, answer: str = "-", course: CourseId = DS, **more) -> QAPair:
    return make.pair(question, answer, id=id, course=course, **more)


def weight(course: CourseId = DS, weight: float = 1.0, question: float = 1.0, answer: float = 0.0):
    return SourceWeight(source=Source.FAQ, course_id=course, weight=weight, question=question, answer=answer)


def words(*terms: str) -> SearchQuery:
    return SearchQuery(words=tuple((stem(term), 1.0) for term in terms), grams=())


def ids(found) -> list[str]:
    return [candidate.pair.id for candidate in found]


@pytest.fixture(params=["embedded", "elasticsearch", "brute force"])
def index(request, tmp_path, brute_force_index):
    if request.param == "embedded":
        return EmbeddedIndex(tmp_path / "index")
    if request.param == "elasticsearch":
        return request.getfixturevalue("elasticsearch_index")
    return brute_force_index()


def test_an_index_without_a_generation_is_not_ready(index):
    """Before the first `replace` there is no stamp, and searching says so instead of finding nothing."""
    assert index.stamp() is None
    with pytest.raises(NotReady):
        index.search(words("stack"), [weight()], 3)
    with pytest.raises(NotReady):
        index.statistics(words("stack"), DS)


def test_a_generation_of_nothing_is_ready(index):
    """An index over no pairs finds nothing, which is the truth."""
    assert index.replace([], analyser=ANALYSER, stamp="0") == 0
    assert index.stamp() == "0"
    assert index.search(words("stack"), [weight()], 3) == ()
    told = index.statistics(words("stack"), DS)
    assert {told.documents, *told.average_lengths.values(), *told.frequencies.values()} == {0}


def test_replace_counts_its_pairs_and_keeps_its_stamp(index):
    """The stamp given is the stamp told, whatever characters it has."""
    assert index.replace([pair("a", "stack"), pair("b", "queue")], analyser=ANALYSER, stamp="7/é“栈”") == 2
    assert index.stamp() == "7/é“栈”"


def test_a_pair_comes_back_with_every_field(index):
    """What is found is the pair as it was put."""
    full = pair(
        "a",
        "什么是 Stack？",
        answer="后进先出 \u2028 𝔘",
        domains=("计算机", "maths"),
        document="n/栈.md",
        url="https://example.org/?a=1&b=2",
        similar_questions=("LIFO?",),
    )
    index.replace([full], analyser=ANALYSER, stamp="1")
    assert index.search(words("lifo"), [weight()], 3)[0].pair == full


def test_some_pairs_are_scored_as_the_search_over_all_scores_them(index):
    """The pairs named that are selected, with the S that `search` gives them, 0 without a term."""
    texts = {"a": "stack", "b": "stack queue", "c": "queue", "d": "stack stack tree", "e": "stack"}
    pairs = [pair(id, text, text, course=ML if id == "e" else DS) for id, text in texts.items()]
    index.replace(pairs, analyser=ANALYSER, stamp="1")
    asked = words("stack", "tree"), [weight(answer=0.4)]
    found = {each.pair.id: each.score for each in index.search(*asked, 10)}
    scored = index.score(*asked, [PairId(id) for id in ("b", "c", "d", "e", "gone")])
    assert ids(scored) == ["d", "b", "c"]
    assert [each.score for each in scored] == pytest.approx([found["d"], found["b"], 0.0], rel=1e-4)
    assert index.score(*asked, []) == ()
    no_term = words(), [weight(answer=0.4)]
    assert [each.score for each in index.score(*no_term, [PairId("b")])] == [0.0]


def test_a_new_generation_takes_the_place_of_the_old(index):
    """Nothing of the old pairs is found after a `replace`."""
    index.replace([pair("a", "stack")], analyser=ANALYSER, stamp="1")
    index.replace([pair("b", "queue")], analyser=ANALYSER, stamp="2")
    assert index.search(words("stack"), [weight()], 3) == ()
    assert ids(index.search(words("queue"), [weight()], 3)) == ["b"]
    assert index.stamp() == "2"


def test_a_replace_that_fails_leaves_the_live_generation(index):
    """Pairs that break off half way change neither stamp nor answers."""

    def broken():
        yield pair("b", "queue")
        raise RuntimeError("the store went away")

    index.replace([pair("a", "stack")], analyser=ANALYSER, stamp="1")
    with pytest.raises(RuntimeError, match="the store went away"):
        index.replace(broken(), analyser=ANALYSER, stamp="2")
    assert index.stamp() == "1"
    assert ids(index.search(words("stack"), [weight()], 3)) == ["a"]
    assert index.search(words("queue"), [weight()], 3) == ()


def test_only_pairs_with_a_term_of_the_query_are_found(index):
    """Pairs without any term are left out; a query without terms, or for no pair, finds nothing."""
    index.replace([pair("a", "stack"), pair("b", "queue")], analyser=ANALYSER, stamp="1")
    assert ids(index.search(words("stack", "heap"), [weight()], 3)) == ["a"]
    assert index.search(words(), [weight()], 3) == index.search(words("stack"), [weight()], 0) == ()


def test_only_selected_pairs_are_found(index):
    """Neither pairs of another course nor those with weight 0 appear."""
    index.replace([pair("a", "stack"), pair("b", "stack", course=ML)], analyser=ANALYSER, stamp="1")
    assert ids(index.search(words("stack"), [weight(ML)], 3)) == ["b"]
    assert ids(index.search(words("stack"), [weight(DS), weight(ML, 0.0)], 3)) == ["a"]
    assert index.search(words("stack"), [], 3) == ()


def test_courses_with_ids_that_look_alike_are_kept_apart(index):
    """The separator inside an index never lets one course be read as another."""
    odd = CourseId("ds faq:ds")
    index.replace([pair("a", "stack", course=odd)], analyser=ANALYSER, stamp="1")
    assert index.search(words("stack"), [weight(DS)], 3) == ()
    assert ids(index.search(words("stack"), [weight(odd)], 3)) == ["a"]


def test_ties_are_broken_by_id_however_many_there_are(index):
    """Of two hundred equal pairs, put in no order, those with the smallest ids are best."""
    order = sorted(range(200), key=lambda n: n * 7919 % 200)
    index.replace([pair(f"{n:03}", "stack") for n in order], analyser=ANALYSER, stamp="1")
    assert ids(index.search(words("stack"), [weight()], 3)) == ["000", "001", "002"]


def test_a_question_of_average_length_with_all_terms_reaches_perfect_bm25(index):
    """Where all questions are equally long, the one that holds each term once scores exactly that."""
    index.replace([pair("a", "stack queue"), pair("b", "heap tree")], analyser=ANALYSER, stamp="1")
    query = words("stack", "queue")
    assert index.search(query, [weight()], 1)[0].bm25 == pytest.approx(
        perfect_bm25(query, index.statistics(query, DS)), rel=1e-5
    )


def test_two_threads_that_replace_at_once_leave_one_whole_generation(index):
    """Whichever comes last, stamp and pairs are of the same generation."""

    def rebuild(name: str) -> None:
        pairs = [pair(f"{name}{n}", "stack") for n in range(20)]
        index.replace(pairs, analyser=ANALYSER, stamp=name)

    threads = [threading.Thread(target=rebuild, args=(name,)) for name in "abcd"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    found = ids(index.search(words("stack"), [weight()], 100))
    assert sorted(found) == sorted(f"{index.stamp()}{n}" for n in range(20))


def update(index, put=(), remove=(), since="1", stamp="2") -> None:
    """Change the pairs of an index; those to remove are given by their ids."""
    gone = {PairId(id): DS for id in remove}
    index.update(put=put, remove=gone, analyser=ANALYSER, since=since, stamp=stamp)


def many(count: int = 200) -> list[QAPair]:
    """Enough pairs that a few may be changed without building the index anew."""
    return [pair(f"{n:03}", f"heap number{n}") for n in range(count)]


def test_an_update_shows_in_the_next_search(index):
    """What was put is found, what was replaced only as it is now, what was removed not at all."""
    index.replace([*many(), pair("a", "stack"), pair("b", "queue")], analyser=ANALYSER, stamp="1")
    update(index, put=[pair("c", "tree"), pair("a", "graph", answer="new")], remove=["b"])
    assert index.stamp() == "2"
    assert ids(index.search(words("tree"), [weight()], 3)) == ["c"]
    assert index.search(words("graph"), [weight()], 3)[0].pair == pair("a", "graph", answer="new")
    assert index.search(words("stack", "queue"), [weight()], 3) == ()
    assert len(index.search(words("heap"), [weight()], 300)) == 200


def test_an_update_made_again_changes_nothing(index):
    """As after a crash between the pairs and the stamp: no pair is there twice."""
    index.replace([*many(), pair("b", "queue")], analyser=ANALYSER, stamp="1")
    for stamp in ("2", "3"):
        since = str(index.stamp())
        update(index, put=[pair("a", "stack")], remove=["b", "never"], since=since, stamp=stamp)
    assert ids(index.search(words("stack", "queue"), [weight()], 3)) == ["a"]


def test_an_update_of_nothing_moves_the_stamp(index):
    """A course without documents is a change of the store too."""
    index.replace(many(), analyser=ANALYSER, stamp="1")
    update(index)
    assert index.stamp() == "2"
    assert len(index.search(words("heap"), [weight()], 300)) == 200


def test_an_update_needs_the_generation_that_it_follows(index):
    """Without one it is not ready; on another than it was made for it is refused and changes nothing."""
    with pytest.raises(NotReady):
        update(index, put=[pair("a", "stack")])
    index.replace(many(), analyser=ANALYSER, stamp="1")
    with pytest.raises(Conflict):
        update(index, put=[pair("a", "stack")], since="0")
    assert index.stamp() == "1"
    assert index.search(words("stack"), [weight()], 3) == ()


def test_a_pair_that_cannot_be_put_leaves_all_as_it_was(index):
    """One pair that is none fails the update before anything is changed."""
    index.replace([*many(), pair("b", "queue")], analyser=ANALYSER, stamp="1")
    broken = QAPair(id=PairId("x"), course_id=DS, source=Source.FAQ, question=None, answer="-")
    with pytest.raises((TypeError, AttributeError)):
        update(index, put=[pair("a", "stack"), broken], remove=["b"])
    assert index.stamp() == "1"
    assert ids(index.search(words("stack", "queue"), [weight()], 3)) == ["b"]


@pytest.mark.parametrize("engine", ["embedded", "elasticsearch"])
def test_too_many_removed_pairs_ask_for_a_new_generation(engine, tmp_path, request, monkeypatch):
    """The share of pairs that only count in the statistics stays under its bound, and nothing was changed.

    The embedded index asks for it where a course is too large to be written anew by itself.
    """
    monkeypatch.setattr(embedded_documents, "_REWRITTEN", 0)
    if engine == "embedded":
        index = EmbeddedIndex(tmp_path / "index")
    else:
        index = request.getfixturevalue("elasticsearch_index")
    index.replace(many(100), analyser=ANALYSER, stamp="1")
    allowed = int(100 * STALE_SHARE)
    update(index, remove=[f"{n:03}" for n in range(allowed - 1)])
    with pytest.raises(LimitExceeded):
        update(index, remove=["050", "051", "052"], since="2", stamp="3")
    assert index.stamp() == "2"
    assert len(index.search(words("heap"), [weight()], 200)) == 101 - allowed


def test_an_update_looks_at_the_courses_that_it_names_alone(tmp_path):
    """Where a thousand courses have a folder each, an edit of one does not wait for the others."""
    index = EmbeddedIndex(tmp_path / "index")
    index.replace([*many(20), pair("m", "heap", course=ML)], analyser=ANALYSER, stamp="1")
    for meta in index.folder_of(index.live()).glob(f"{embedded_documents.part_name(DS)}/meta.json"):
        meta.write_text("damaged")
    gone = {PairId("m"): ML}
    index.update(put=[pair("n", "stack", course=ML)], remove=gone, analyser=ANALYSER, since="1", stamp="2")
    assert ids(index.search(words("heap", "stack"), [weight(ML)], 9)) == ["n"]


def test_courses_have_their_fields_before_their_pairs_come(elasticsearch_index):
    """A course more costs no change of the mapping; one that nobody named has its fields when it comes."""
    index = elasticsearch_index
    index._courses = lambda: [DS, CourseId("empty")]
    index.replace([pair("a", "stack"), pair("m", "stack", course=ML)], analyser=ANALYSER, stamp="1")
    for course in (DS, ML):
        assert len(index.search(words("stack"), [weight(course)], 9)) == 1
        assert index.statistics(words("stack"), course).documents == 1
    assert index.statistics(words("stack"), CourseId("empty")).documents == 0


def test_a_pair_that_moves_to_another_course_is_found_there_alone(index):
    """It is put there and removed from where it was, in one update."""
    index.replace([*many(), pair("a", "stack")], analyser=ANALYSER, stamp="1")
    moved = pair("a", "stack", course=ML)
    index.update(put=[moved], remove={PairId("a"): DS}, analyser=ANALYSER, since="1", stamp="2")
    assert ids(index.search(words("stack"), [weight()], 9)) == []
    assert ids(index.search(words("stack"), [weight(ML)], 9)) == ["a"]


def test_a_small_course_is_written_anew_instead(tmp_path):
    """Nothing stale is left in its statistics, and another course stays as it is."""
    index = EmbeddedIndex(tmp_path / "index")
    index.replace([*many(20), pair("m", "heap", course=ML)], analyser=ANALYSER, stamp="1")
    update(index, put=[pair("000", "queue")], remove=["001", "002"])
    assert index.statistics(words("heap"), DS).documents == 18
    assert index.statistics(words("heap"), DS).frequencies["question_words", "heap"] == 17
    assert len(index.search(words("heap", "queue"), [weight(), weight(ML)], 50)) == 19


def test_statistics_are_those_of_the_course(index):
    """Pairs of another course move neither them nor a score; a course without pairs has none."""
    own = [pair("a", "stack"), pair("b", "stack queue")]
    index.replace(own, analyser=ANALYSER, stamp="1")
    alone = index.statistics(words("stack"), DS), index.search(words("stack"), [weight()], 9)
    others = [pair(f"m{n}", "stack " * (n + 2), "stack", course=ML) for n in range(9)]
    index.replace([*own, *others], analyser=ANALYSER, stamp="2")
    assert (index.statistics(words("stack"), DS), index.search(words("stack"), [weight()], 9)) == alone
    assert index.statistics(words("stack"), ML).documents == 9
    assert index.statistics(words("stack"), CourseId("none")).documents == 0


# What follows needs a folder, so it holds for the embedded index alone.


def rebuild_in_folder(folder: Path, name: str, rounds: int) -> None:
    for _ in range(rounds):
        pairs = [pair(f"{name}{n}", "stack") for n in range(5)]
        EmbeddedIndex(folder).replace(pairs, analyser=ANALYSER, stamp=name)


def test_only_the_live_generation_stays_on_disk(tmp_path):
    """Old and half-built generations are removed."""
    index = EmbeddedIndex(tmp_path / "i")
    for n in range(3):
        index.replace([pair("a", "stack")], analyser=ANALYSER, stamp=str(n))
    with pytest.raises(AttributeError):
        index.replace([pair("a", "stack"), None], analyser=ANALYSER, stamp="broken")
    assert len(list((tmp_path / "i").glob("generation-*"))) == 1


@pytest.mark.parametrize("damage", ["no folder", "half a name"])
def test_a_damaged_index_has_no_stamp_and_is_not_ready(tmp_path, damage):
    """An index whose files are gone is told from a live one, so that it is rebuilt."""
    EmbeddedIndex(tmp_path).replace([pair("a", "stack")], analyser=ANALYSER, stamp="1")
    folder = next(tmp_path.glob("generation-*"))
    if damage == "no folder":
        folder.rename(tmp_path / "gone")
    else:
        (tmp_path / "live.json").write_text('{"gener')
    index = EmbeddedIndex(tmp_path)
    assert index.stamp() is None
    with pytest.raises(NotReady):
        index.search(words("stack"), [weight()], 3)
    index.replace([pair("b", "stack")], analyser=ANALYSER, stamp="2")
    assert ids(index.search(words("stack"), [weight()], 3)) == ["b"]


@pytest.mark.parametrize("kind", ["idx", "term", "fast", "fieldnorm", "store", "meta.json"])
@pytest.mark.parametrize("damage", ["cut", "emptied", "gone"])
def test_a_file_that_cannot_be_read_takes_the_stamp_with_it(tmp_path, kind, damage):
    """The search is refused in words, and the owner sees by the stamp that the index must be built anew."""
    EmbeddedIndex(tmp_path).replace(
        [pair(f"p{n}", f"stack w{n}") for n in range(9)], analyser=ANALYSER, stamp="1"
    )
    (file,) = tmp_path.glob(f"generation-*/*/*{kind}")
    if damage == "gone":
        file.unlink()
    else:
        os.truncate(file, file.stat().st_size // 2 if damage == "cut" else 0)
    index = EmbeddedIndex(tmp_path)
    with pytest.raises(NotReady):
        index.search(words("stack"), [weight()], 3)
    assert index.stamp() is None
    with pytest.raises(NotReady):
        update(index, put=[pair("a", "stack")], since="1")
    index.replace([pair("b", "stack")], analyser=ANALYSER, stamp="2")
    assert ids(index.search(words("stack"), [weight()], 3)) == ["b"]
    assert index.stamp() == "2"


def test_a_folder_that_cannot_be_written_is_said_in_words(tmp_path):
    """Neither a rebuild nor an update raises what the system raised."""
    index = EmbeddedIndex(tmp_path / "i")
    index.replace([*many(), pair("b", "queue")], analyser=ANALYSER, stamp="1")
    with files_of_at_most(100):
        with pytest.raises(NotReady, match="cannot be written"):
            index.replace([pair("a", "stack")], analyser=ANALYSER, stamp="2")
        with pytest.raises(NotReady, match="cannot be written"):
            update(index, put=[pair("a", "stack")])
        assert ids(index.search(words("queue"), [weight()], 3)) == ["b"]
    update(index, put=[pair("a", "stack")])
    assert ids(index.search(words("stack"), [weight()], 3)) == ["a"]


def test_readers_never_fail_while_another_process_rebuilds(tmp_path):
    """Each search during rebuilds, also of an old reader, sees one whole generation, and so does the last."""
    old = EmbeddedIndex(tmp_path)
    old.replace([pair("x0", "stack")], analyser=ANALYSER, stamp="x")
    assert ids(old.search(words("stack"), [weight()], 10)) == ["x0"]
    context = multiprocessing.get_context("spawn")
    writers = [context.Process(target=rebuild_in_folder, args=(tmp_path, name, 8)) for name in "ab"]
    for writer in writers:
        writer.start()
    searches = 0
    while any(writer.is_alive() for writer in writers):
        for reader in (old, EmbeddedIndex(tmp_path)):
            found = ids(reader.search(words("stack"), [weight()], 10))
            assert len({id[0] for id in found}) == 1
            assert len(found) == (1 if found[0][0] == "x" else 5)
        searches += 1
    for writer in writers:
        writer.join()
        assert writer.exitcode == 0
    assert searches
    for reader in (old, EmbeddedIndex(tmp_path)):
        found = ids(reader.search(words("stack"), [weight()], 10))
        assert sorted(found) == [f"{reader.stamp()}{n}" for n in range(5)]


def update_in_folder(folder: Path, rounds: int) -> None:
    for n in range(rounds):
        put = [pair("edited", f"stack edit{n}"), pair(f"new{n}", "stack")]
        update(EmbeddedIndex(folder), put=put, since=str(n), stamp=str(n + 1))


def test_readers_never_fail_while_another_process_updates(tmp_path):
    """Each search finds the edited pair once, and nothing that was found goes again."""
    EmbeddedIndex(tmp_path).replace(many(300), analyser=ANALYSER, stamp="0")
    old = EmbeddedIndex(tmp_path)
    writer = multiprocessing.get_context("spawn").Process(target=update_in_folder, args=(tmp_path, 20))
    writer.start()
    seen = 0
    while writer.is_alive():
        for reader in (old, EmbeddedIndex(tmp_path)):  # a new one may see a commit before its stamp
            found = ids(reader.search(words("stack"), [weight()], 100))
            assert len(found) >= seen
            assert len(found) == len(set(found))
            assert found.count("edited") == (1 if found else 0)
            seen = len(found) if reader is old else seen
    writer.join()
    assert writer.exitcode == 0
    assert len(old.search(words("stack"), [weight()], 100)) == 21
    assert old.stamp() == "20"


def test_writers_that_follow_the_same_generation_take_turns(tmp_path):
    """Of threads that make the same step, one makes it and the others are told that they came too late."""
    EmbeddedIndex(tmp_path).replace(many(), analyser=ANALYSER, stamp="1")
    outcomes = []

    def step(n: int) -> None:
        try:
            update(EmbeddedIndex(tmp_path), put=[pair(f"new{n}", "stack")])
            outcomes.append("made")
        except Conflict:
            outcomes.append("late")

    threads = [threading.Thread(target=step, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) == ["late", "late", "late", "made"]
    assert len(EmbeddedIndex(tmp_path).search(words("stack"), [weight()], 9)) == 1
