"""What the vectors of both engines hold: the nearest pairs of the live generation, as by brute force."""

from __future__ import annotations

import uuid

import factories as make
import numpy as np
import pytest

from knowledge.index.elasticsearch import ElasticsearchIndex
from knowledge.index.elasticsearch_client import open_client
from knowledge.index.embedded import EmbeddedIndex
from knowledge.vectors.elasticsearch import ElasticsearchVectors, VectorField
from knowledge.vectors.embedded import FILE, EmbeddedVectors, VectorFile
from knowledge.vectors.rows import embedded_text
from vta.errors import NotReady
from vta.text import Analyser
from vta.types.courses import CourseId, PairId
from vta.types.pairs import QAPair, Source, SourceWeight

ANALYSER = Analyser()
WORDS = "stack queue list tree heap graph sort search hash table node edge path root leaf key".split()


def pair(id: str, question: str, course: str = "ds", **more) -> QAPair:
    return make.pair(question, id=id, course=course, **more)


def weight(course: str = "ds", value: float = 1.0) -> SourceWeight:
    return SourceWeight(source=Source.FAQ, course_id=CourseId(course), weight=value, question=1.0, answer=0.0)


@pytest.fixture(params=["embedded", "elasticsearch"])
def engine(request, tmp_path):
    """Makes an index with vectors, and the vectors as a process with that embedder sees them."""
    if request.param == "embedded":

        def embedded(embedder):
            index = EmbeddedIndex(tmp_path / "index", beside=VectorFile(embedder) if embedder else None)
            return index, lambda asking: EmbeddedVectors(index, model=asking.name)

        yield embedded
        return
    alias = f"vta-test-{uuid.uuid4().hex[:12]}"
    with open_client([request.getfixturevalue("elasticsearch_url")], api_key=None, timeout_s=30.0) as client:

        def on_server(embedder):
            beside = VectorField(client, embedder) if embedder else None
            index = ElasticsearchIndex(client, alias=alias, beside=beside)
            return index, lambda asking: ElasticsearchVectors(client, alias=alias, model=asking.name)

        yield on_server
        for name in client.indices.get(index=f"{alias}.*"):
            client.indices.delete(index=name)


def ids(found) -> list[str]:
    return list(found)


def change(index, since: str, stamp: str, put, remove) -> None:
    index.update(put=put, remove=remove, analyser=ANALYSER, since=since, stamp=stamp)


def test_the_nearest_are_those_of_brute_force(engine, word_vectors):
    """Pairs and cosines (within 1e-5) over random texts in three courses, for one course or two."""
    model, random = word_vectors(), np.random.default_rng(7)
    pairs = [pair(f"p{n:03}", " ".join(random.choice(WORDS, 5)), course=f"c{n % 3}") for n in range(300)]
    index, vectors = engine(model)
    assert index.replace(pairs, analyser=ANALYSER, stamp="1") == 300
    rows = model.embed([embedded_text(each) for each in pairs])
    for question, courses in (("stack queue", ["c0"]), ("tree root path", ["c1", "c2"]), ("key", ["c0"])):
        asked = model.embed([question])[0]
        expected = sorted(
            (-float(row @ asked), each.id)
            for each, row in zip(pairs, rows, strict=True)
            if each.course_id in courses
        )[:5]
        found = vectors(model).nearest(asked, [weight(course) for course in courses], 5)
        assert list(found.values()) == pytest.approx([-c for c, _ in expected], abs=1e-5)
        exact = {id for cosine, id in expected if cosine < expected[-1][0] - 1e-5}
        assert exact <= set(ids(found))


def test_only_chosen_pairs_are_near(engine, word_vectors):
    """Weight 0, another course and no weight at all find nothing."""
    model = word_vectors()
    index, vectors = engine(model)
    index.replace([pair("a", "stack 栈"), pair("b", "stack", course="ml")], analyser=ANALYSER, stamp="1")
    asked = model.embed(["stack"])[0]
    assert ids(vectors(model).nearest(asked, [weight(), weight("ml", 0.0)], 9)) == ["a"]
    assert vectors(model).nearest(asked, [], 9) == {}
    assert vectors(model).nearest(asked, [weight()], 0) == {}


def test_equally_near_pairs_come_by_id(engine, word_vectors):
    """The same text twice: the cut does not hang on the order they were put in."""
    model = word_vectors()
    index, vectors = engine(model)
    index.replace([pair(id, "stack") for id in "dbca"], analyser=ANALYSER, stamp="1")
    assert ids(vectors(model).nearest(model.embed(["stack"])[0], [weight()], 2)) == ["a", "b"]


def test_vectors_are_swapped_with_their_generation(engine, word_vectors):
    """Nothing of the old generation is near any more, and a generation of nothing is ready."""
    model = word_vectors()
    index, vectors = engine(model)
    asked = model.embed(["stack"])[0]
    index.replace([pair("a", "stack")], analyser=ANALYSER, stamp="1")
    index.replace([pair("b", "queue")], analyser=ANALYSER, stamp="2")
    assert ids(vectors(model).nearest(asked, [weight()], 9)) == ["b"]
    index.replace([], analyser=ANALYSER, stamp="3")
    assert vectors(model).nearest(asked, [weight()], 9) == {}


def test_a_replace_that_fails_leaves_the_live_vectors(engine, word_vectors):
    """Pairs that break off half way change nothing."""

    def broken():
        yield pair("b", "queue")
        raise RuntimeError("the store went away")

    model = word_vectors()
    index, vectors = engine(model)
    index.replace([pair("a", "stack")], analyser=ANALYSER, stamp="1")
    with pytest.raises(RuntimeError, match="went away"):
        index.replace(broken(), analyser=ANALYSER, stamp="2")
    assert ids(vectors(model).nearest(model.embed(["queue"])[0], [weight()], 9)) == ["a"]


def test_vectors_of_another_model_are_refused(engine, word_vectors):
    """By name, and where the name is the same by dimension; the message says what to do."""
    model = word_vectors()
    index, vectors = engine(model)
    index.replace([pair("a", "stack")], analyser=ANALYSER, stamp="1")
    other, shorter = word_vectors("other"), word_vectors(dimensions=4)
    with pytest.raises(NotReady, match="of words, not of other; vta reindex"):
        vectors(other).nearest(other.embed(["stack"])[0], [weight()], 9)
    with pytest.raises(NotReady, match="32 dimensions, the question's 4"):
        vectors(shorter).nearest(shorter.embed(["stack"])[0], [weight()], 9)


def test_an_index_without_vectors_says_so(engine, word_vectors):
    """One made while vectors were off is not ready for them, nor is none at all."""
    model = word_vectors()
    index, _ = engine(None)
    asked = model.embed(["stack"])[0]
    _, vectors = engine(model)
    with pytest.raises(NotReady, match="the search index is empty"):
        vectors(model).nearest(asked, [weight()], 9)
    index.replace([pair("a", "stack")], analyser=ANALYSER, stamp="1")
    with pytest.raises(NotReady, match="no vectors; vta reindex"):
        vectors(model).nearest(asked, [weight()], 9)


def test_an_index_is_built_though_its_embedder_fails(engine, word_vectors):
    """The words are searchable at once, and the vectors say why they are missing."""
    model = word_vectors()
    index, vectors = engine(model)
    asked = model.embed(["stack"])[0]
    model.down = True
    assert index.replace([pair("a", "stack")], analyser=ANALYSER, stamp="1") == 1
    assert index.stamp() == "1"
    with pytest.raises(NotReady, match="since the embeddings server cannot be reached; vta reindex"):
        vectors(model).nearest(asked, [weight()], 9)


def test_embedded_vectors_follow_an_update(tmp_path, word_vectors):
    """Put, changed and removed pairs are near, or not, at once; one that cannot be embedded has no vector."""
    model = word_vectors()
    index = EmbeddedIndex(tmp_path, beside=VectorFile(model))
    vectors = EmbeddedVectors(index, model=model.name)
    index.replace([pair("a", "stack"), pair("b", "queue")], analyser=ANALYSER, stamp="1")
    asked = model.embed(["heap"])[0]
    assert len(vectors.nearest(asked, [weight()], 9)) == 2
    change(index, "1", "2", [pair("c", "heap"), pair("b", "heap root")], {PairId("a"): CourseId("ds")})
    assert ids(vectors.nearest(asked, [weight()], 9)) == ["c", "b"]
    model.down = True
    change(index, "2", "3", [pair("c", "heap again")], {})
    assert ids(vectors.nearest(asked, [weight()], 9)) == ["b"]


def test_embedded_vectors_find_the_same_where_memory_is_short(tmp_path, word_vectors):
    """With room for no group but the one that is asked for, each course has its own nearest, also updated."""
    model = word_vectors()
    index = EmbeddedIndex(tmp_path, beside=VectorFile(model))
    vectors = EmbeddedVectors(index, model=model.name, most_bytes=1)
    index.replace([pair("a", "stack"), pair("b", "stack", course="ml")], analyser=ANALYSER, stamp="1")
    asked = model.embed(["stack"])[0]
    for _ in range(2):
        assert ids(vectors.nearest(asked, [weight()], 9)) == ["a"]
        assert ids(vectors.nearest(asked, [weight("ml")], 9)) == ["b"]
    change(index, "1", "2", [pair("c", "stack", course="ml")], {PairId("b"): CourseId("ml")})
    assert ids(vectors.nearest(asked, [weight("ml")], 9)) == ["c"]
    assert ids(vectors.nearest(asked, [weight(), weight("ml")], 9)) == ["a", "c"]


def test_embedded_vectors_live_and_go_with_their_generation(tmp_path, word_vectors):
    """They are a file of the generation's folder; a damaged one is told."""
    model = word_vectors()
    index = EmbeddedIndex(tmp_path, beside=VectorFile(model))
    for stamp in ("1", "2"):
        index.replace([pair("a", "stack")], analyser=ANALYSER, stamp=stamp)
    assert list(tmp_path.rglob(FILE)) == [index.folder_of(index.live()) / FILE]
    (index.folder_of(index.live()) / FILE).write_bytes(b"no database, but long enough to be read as one" * 9)
    with pytest.raises(NotReady, match="cannot be read"):
        EmbeddedVectors(index, model=model.name).nearest(model.embed(["stack"])[0], [weight()], 9)
