"""Both engines give a question the same pairs in the same order, with the same S, cosine and relevance."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import factories as make
import numpy as np
import pytest

from knowledge.index.elasticsearch import ElasticsearchIndex
from knowledge.index.elasticsearch_client import open_client
from knowledge.index.embedded import EmbeddedIndex
from knowledge.learned_ranking import LearnedRanker, VectorSide
from knowledge.ranking import ConceptAwareRanker
from knowledge.vectors.elasticsearch import ElasticsearchVectors, VectorField
from knowledge.vectors.embedded import EmbeddedVectors, VectorFile
from vta.languages import Language
from vta.text import Analyser
from vta.types.courses import Course, CourseId
from vta.types.pairs import Candidate, QAPair, Source

ANALYSER = Analyser()
COURSE = Course(id=CourseId("ds"), name="DS", domains=("cs",), language=Language.EN)
WORDS = "stack queue list tree heap graph sort search hash table node edge path root 栈 队列 树 图".split()
QUESTIONS = (
    "stack queue list",
    "tree root path",
    "what is a heap",
    "队列 和 栈",
    "hash table key node",
    "nothing",
)


def pairs() -> list[QAPair]:
    """Passages of eight documents, FAQ entries and explanations, of random words."""
    random = np.random.default_rng(11)
    kinds = (Source.MATERIAL, Source.MATERIAL, Source.FAQ, Source.CONCEPT)
    return [
        make.pair(
            " ".join(random.choice(WORDS, 3)),
            " ".join(random.choice(WORDS, 8 + n % 5)),
            id=f"p{n:03}",
            course=COURSE.id,
            source=kinds[n % 4],
            document=f"d{n % 8}" if n % 4 < 2 else None,
        )
        for n in range(160)
    ]


@contextmanager
def on_embedded(folder: Path, model: object) -> Iterator[LearnedRanker]:
    """The ranker over an index of this process."""
    index = EmbeddedIndex(folder, beside=VectorFile(model))
    index.replace(pairs(), analyser=ANALYSER, stamp="1")
    words = ConceptAwareRanker(index=index, analyser=ANALYSER, courses=[COURSE])
    vectors = EmbeddedVectors(index, model=model.name)
    yield LearnedRanker(words, VectorSide(questions=model, passages=model, index=vectors))


@contextmanager
def on_elasticsearch(url: str, model: object) -> Iterator[LearnedRanker]:
    """The ranker over an index of a server, removed afterwards."""
    alias = f"vta-test-{uuid.uuid4().hex[:12]}"
    with open_client([url], api_key=None, timeout_s=30.0) as client:
        index = ElasticsearchIndex(client, alias=alias, beside=VectorField(client, model))
        index.replace(pairs(), analyser=ANALYSER, stamp="1")
        words = ConceptAwareRanker(index=index, analyser=ANALYSER, courses=[COURSE])
        vectors = ElasticsearchVectors(client, alias=alias, model=model.name)
        yield LearnedRanker(words, VectorSide(questions=model, passages=model, index=vectors))
        for name in client.indices.get(index=f"{alias}.*"):
            client.indices.delete(index=name)


def judged(ranker: LearnedRanker) -> dict[str, dict[str, Candidate]]:
    """All that each question's pool holds, by the id of the pair."""
    asked = {"course": COURSE, "mentions": (), "chit_chat": 0.1, "top": 1_000}
    return {
        text: {each.pair.id: each for each in ranker.rank(text, **asked).candidates} for text in QUESTIONS
    }


def test_both_engines_judge_a_pair_alike(
    tmp_path: Path, word_vectors: Callable[[], object], elasticsearch_url: str
) -> None:
    """S to four digits, cosine, relevance and chance of an answer to four places, of every pair."""
    model = word_vectors()
    with on_embedded(tmp_path / "index", model) as ranker:
        here = judged(ranker)
    with on_elasticsearch(elasticsearch_url, model) as ranker:
        there = judged(ranker)
    for text in QUESTIONS:
        assert here[text].keys() == there[text].keys()
        for id, one in here[text].items():
            other = there[text][id]
            assert other.score == pytest.approx(one.score, rel=1e-4)
            assert other.similarity == pytest.approx(one.similarity, abs=1e-4)
            assert other.relevance == pytest.approx(one.relevance, abs=1e-4)
