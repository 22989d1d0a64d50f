"""What every `DocumentStore` keeps."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import factories as make
import pytest

from services.documents.rows import BUILT_GRAPH, SECTIONS
from vta.changes import KEPT_REVISIONS, LARGEST_CHANGE
from vta.errors import InvalidInput, NotFound
from vta.types.concepts import Concept, ConceptEdge
from vta.types.courses import ConceptId, CourseId, PairId
from vta.types.documents import CourseDocument
from vta.types.pairs import Locator, QAPair, Source

DS = CourseId("ds")
ML = CourseId("ml")


def pair(id: str, course_id: CourseId = DS) -> QAPair:
    return make.pair(
        f"什么是 {id}？",
        "Ω \u0000 𝔘 \n",
        id=id,
        course=course_id,
        source=make.MATERIAL,
        domains=("计算机",),
        document="a.md",
        locator=Locator(video="v.srt", start_s=0.1, end_s=2.0),
        url="https://example.org",
        similar_questions=("同一个",),
    )


def hashes(stores, course_id):
    """The content hash of each document, by path."""
    return {path: state.sha256 for path, state in stores.documents.states(course_id).items()}


def document(path: str, *ids: str, course_id: CourseId = DS, sha256: str = "00") -> CourseDocument:
    return CourseDocument(path=path, sha256=sha256, pairs=tuple(pair(id, course_id) for id in ids))


def test_pairs_come_back_as_they_were_put(stores):
    """Every field of a pair is kept."""
    bare = QAPair(id=PairId("bare"), course_id=DS, source=Source.FAQ, question="q", answer="a")
    stores.documents.apply(DS, put=[CourseDocument(path="a.md", sha256="00", pairs=(pair("x"), bare))])
    assert list(stores.documents.pairs()) == [pair("x"), bare]


def test_pairs_come_by_course_then_path_then_order_in_the_document(stores):
    """The order is that of code points, and inside a document that in which the pairs were put."""
    stores.documents.apply(ML, put=[document("a", "m2", "m1", course_id=ML)])
    stores.documents.apply(DS, put=[document("é", "5"), document("a/b", "3", "2"), document("B", "9")])
    stores.documents.apply(DS, put=[document("a b", "4")])
    assert [each.id for each in stores.documents.pairs()] == ["9", "4", "3", "2", "5", "m2", "m1"]
    assert [each.id for each in stores.documents.pairs(DS)] == ["9", "4", "3", "2", "5"]
    assert [each.id for each in stores.documents.pairs(ML)] == ["m2", "m1"]
    assert list(stores.documents.pairs(CourseId("none"))) == []


def test_contents_come_back_as_they_were_put(stores):
    """Of each document that has some; they go and are restored with it, and wait with it for its release."""
    contents = (("a/b", "Stacks"), ("c", ""))
    toc = replace(document("_toc.yml"), contents=contents)
    waiting = replace(toc, path="w/_toc.yml", release_at=datetime(2999, 1, 1, tzinfo=UTC))
    stores.documents.apply(DS, put=[document("a.md", "1"), toc, waiting])
    assert stores.documents.contents(DS) == {"_toc.yml": contents}
    assert stores.documents.document(DS, "_toc.yml") == toc
    stores.documents.apply(DS, put=[], remove=["_toc.yml"])
    assert stores.documents.contents(DS) == {}
    stores.removed_documents.restore(DS, ["_toc.yml"])
    assert stores.documents.contents(DS) == {"_toc.yml": contents}


def test_concepts_and_edges_come_back_as_they_were_put(stores):
    """Concepts and edges of all courses are kept with every field, document by document."""
    stack = Concept(
        id=ConceptId("c1"),
        name="栈",
        aliases=("stack",),
        definition="后进先出",
        domains=("计算机",),
        courses=(DS,),
        score=0.75,
        curated=True,
        first_seen="a.md",
        locator=Locator(heading_path=("线性表",), page=3),
        document="concepts.json",
    )
    plain = Concept(id=ConceptId("c0"), name="list", curated=True)
    edge = ConceptEdge(
        prerequisite=plain.id, concept=stack.id, score=0.5, evidence=("学栈先学表",), curated=True
    )
    stores.documents.apply(ML, put=[CourseDocument(path="c", sha256="1", concepts=(plain,))])
    stores.documents.apply(DS, put=[CourseDocument(path="c", sha256="1", concepts=(stack,), edges=(edge,))])
    assert list(stores.documents.concepts()) == [((stack,), (edge,)), ((plain,), ())]
    assert list(stores.documents.concepts(ML)) == [((plain,), ())]
    assert list(stores.documents.concepts(CourseId("never"))) == []


def test_a_document_put_again_takes_the_place_of_the_old_one(stores):
    """The old pairs and the old hash are gone."""
    stores.documents.apply(DS, put=[document("a", "old1", "old2", sha256="1")])
    stores.documents.apply(DS, put=[document("a", "new", sha256="2")])
    assert [each.id for each in stores.documents.pairs()] == ["new"]
    assert hashes(stores, DS) == {"a": "2"}


def test_removed_documents_are_gone_and_unknown_paths_are_ignored(stores):
    """Removing brings the pairs down with the document."""
    stores.documents.apply(DS, put=[document("a", "1"), document("b", "2")])
    stores.documents.apply(DS, put=[document("c", "3")], remove=["a", "never", "a"])
    assert hashes(stores, DS) == {"b": "00", "c": "00"}
    assert [each.id for each in stores.documents.pairs()] == ["2", "3"]


def test_the_same_path_in_two_courses_is_two_documents(stores):
    """Removing or putting a path in one course leaves the other course's document alone."""
    stores.documents.apply(DS, put=[document("a", "1", sha256="ds")])
    stores.documents.apply(ML, put=[document("a", "2", course_id=ML, sha256="ml")])
    assert hashes(stores, DS) == {"a": "ds"}
    stores.documents.apply(DS, put=[], remove=["a"])
    assert hashes(stores, ML) == {"a": "ml"}
    assert [each.id for each in stores.documents.pairs()] == ["2"]


def test_the_revision_rises_by_one_with_every_change_and_only_then(stores):
    """One apply is one change however many documents it holds; one that changes nothing is none."""
    before = stores.documents.revision()
    assert stores.documents.apply(DS, put=[document("a"), document("b")]) == before + 1
    assert stores.documents.apply(DS, put=[], remove=["a", "b"]) == before + 2
    assert stores.documents.apply(DS, put=[], remove=["a"]) == before + 2
    assert stores.documents.revision() == before + 2


def test_pairs_of_another_course_are_refused_and_nothing_is_stored(stores):
    """One foreign pair fails the whole apply."""
    before = stores.documents.revision()
    with pytest.raises(InvalidInput, match="'x'") as caught:
        stores.documents.apply(DS, put=[document("a", "1"), document("b", "x", course_id=ML)])
    assert caught.value.path == "b"
    assert stores.documents.states(DS) == {}
    assert stores.documents.revision() == before


def test_a_path_given_twice_is_refused(stores):
    """Two documents of one path in one apply are a mistake of the caller."""
    with pytest.raises(InvalidInput, match="'a'"):
        stores.documents.apply(DS, put=[document("a", "1"), document("a", "2")])


def test_documents_of_an_unknown_course_are_not_found(stores):
    """Neither reading nor putting makes a course."""
    with pytest.raises(NotFound, match="'nope'"):
        stores.documents.states(CourseId("nope"))
    with pytest.raises(NotFound, match="'nope'"):
        stores.documents.apply(CourseId("nope"), put=[CourseDocument(path="a", sha256="0")])


def test_streamed_pairs_are_those_of_the_moment_the_stream_began(stores):
    """A change during the stream does not show in it, and the stream does not hold the change up."""
    documents = [document(f"{number:03}", f"p{number}") for number in range(60)]
    stores.documents.apply(DS, put=documents)
    stream = stores.documents.pairs()
    first = next(stream)
    stores.documents.apply(DS, put=[document("059", "changed")], remove=["058"])
    assert [first.id, *(each.id for each in stream)] == [f"p{number}" for number in range(60)]
    assert [each.id for each in stores.documents.pairs()][-2:] == ["p57", "changed"]


def told(stores, since):
    """Ids of the pairs put and removed since a revision, and whether what a graph rests on changed."""
    changes = stores.documents.changes(since)
    assert changes.revision == stores.documents.revision()
    return sorted(each.id for each in changes.put), sorted(changes.removed), changes.concepts


def test_the_changes_since_a_revision_are_those_of_the_pairs(stores):
    """An edit tells the pairs that are other than before, those that are new and those that are gone."""
    stores.documents.apply(DS, put=[document("a", "same", "edited", "gone"), document("b", "other")])
    since = stores.documents.revision()
    assert told(stores, since) == ([], [], False)
    edited = replace(pair("edited"), answer="now")
    stores.documents.apply(
        DS, put=[CourseDocument(path="a", sha256="1", pairs=(pair("same"), edited, pair("new")))]
    )
    assert told(stores, since) == (["edited", "new"], ["gone"], True)
    assert edited in stores.documents.changes(since).put


def test_many_changes_are_told_as_what_they_come_to(stores):
    """What was put and then removed is gone, what was removed and put again is there as it is now."""
    since = stores.documents.revision()
    stores.documents.apply(DS, put=[document("a", "1", "2"), document("b", "3")])
    stores.documents.apply(ML, put=[document("a", "4", course_id=ML)])
    stores.documents.apply(DS, put=[document("a", "2")], remove=["b"])
    assert told(stores, since) == (["2", "4"], ["1", "3"], True)
    stores.documents.apply(DS, put=[document("b", "3", "5")])
    assert told(stores, since) == (["2", "3", "4", "5"], ["1"], True)


def test_a_document_removed_and_put_at_once_is_an_edit(stores):
    """Pairs of the old version that the new one does not have are removed."""
    stores.documents.apply(DS, put=[document("a", "1", "2")])
    since = stores.documents.revision()
    stores.documents.apply(DS, put=[document("a", "2", "3")], remove=["a"])
    put, removed, _ = told(stores, since)
    assert {"3"} <= set(put) <= {"2", "3"}
    assert removed == ["1"]


def test_a_change_of_a_course_itself_is_told(stores, samples):
    """As a new one is; what is put into one changes only its documents."""
    before = stores.documents.revision()
    stores.documents.apply(DS, put=[document("a", "1")])
    assert not stores.documents.changes(before).courses
    before = stores.documents.revision()
    stores.courses.add(samples.course("new"))
    assert stores.documents.changes(before).courses


def test_a_change_of_concepts_or_edges_is_told(stores):
    """Also where it takes them away; one that leaves them as they are is none."""
    concept, edge = (
        Concept(id=ConceptId("c"), name="栈"),
        ConceptEdge(prerequisite=ConceptId("d"), concept=ConceptId("c")),
    )
    for change in ({"concepts": (concept,)}, {"concepts": (concept,), "edges": (edge,)}, {}):
        since = stores.documents.revision()
        stores.documents.apply(DS, put=[CourseDocument(path="a", sha256="0", **change)])
        assert told(stores, since) == ([], [], True)
        since = stores.documents.revision()
        stores.documents.apply(DS, put=[CourseDocument(path="a", sha256="1", **change)])
        assert told(stores, since) == ([], [], False)


def test_a_removed_course_is_not_told(stores):
    """What it owned goes with it, so everything is read anew; later changes are told again."""
    since = stores.documents.revision()
    stores.courses.remove(ML)
    assert stores.documents.changes(since) is None
    stores.documents.apply(DS, put=[document("a", "1")])
    assert stores.documents.changes(since) is None
    assert told(stores, since + 1) == (["1"], [], True)


def test_changes_of_too_many_pairs_are_not_told(stores):
    """Neither in one revision nor in several together."""
    since = stores.documents.revision()
    half = [f"{n}" for n in range(LARGEST_CHANGE // 2)]
    stores.documents.apply(DS, put=[document("a", *half)])
    assert len(told(stores, since)[0]) == len(half)
    stores.documents.apply(DS, put=[document("b", *(f"b{id}" for id in half), "more")])
    assert stores.documents.changes(since) is None
    since = stores.documents.revision()
    stores.documents.apply(DS, put=[], remove=["a", "b"])
    assert stores.documents.changes(since) is None


def test_changes_are_kept_for_so_many_revisions(stores, samples):
    """Older ones are forgotten, and so is what never was."""
    since = stores.documents.revision()
    for n in range(KEPT_REVISIONS):
        stores.courses.add(samples.course(f"c{n}"))
    assert told(stores, since) == ([], [], False)
    assert stores.documents.changes(since - 1) is None
    assert stores.documents.changes(stores.documents.revision() + 1) is None


def test_what_a_model_said_of_a_section_raises_no_revision(stores):
    """The graph that is built of it does."""
    before = stores.documents.revision()
    path = f"{SECTIONS}{'0' * 32}"
    assert stores.documents.apply(DS, put=[document(path)]) == before
    assert path in stores.documents.states(DS)
    assert stores.documents.apply(DS, put=[], remove=[path]) == before
    assert path not in stores.documents.states(DS)
    assert stores.documents.apply(DS, put=[document(BUILT_GRAPH)]) == before + 1
