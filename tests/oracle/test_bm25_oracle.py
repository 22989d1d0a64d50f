"""BM25 of the embedded index against an independent implementation, bm25s."""

from __future__ import annotations

import random

import bm25s
import pytest

from knowledge.index.embedded import EmbeddedIndex
from vta.text import Analyser
from vta.types.courses import CourseId, PairId
from vta.types.pairs import QAPair, SearchQuery, Source, SourceWeight

COURSE = CourseId("c")
WORDS = [
    "栈",
    "队列",
    "链表",
    "二叉树",
    "插入",
    "复杂度",
    "stack",
    "queue",
    "tree",
    "cost",
    "vector",
    "graph",
]


@pytest.mark.parametrize("seed", range(5))
def test_scores_are_those_of_bm25s(tmp_path, seed):
    """On one field of short texts each score agrees with bm25s (Lucene's variant, k1 1.2, b 0.75).

    bm25s leaves out the constant factor k1 + 1, as Lucene does since version 8; the index keeps it.
    """
    chance = random.Random(seed)
    analyser = Analyser(WORDS)
    texts = [" ".join(chance.choices(WORDS, k=chance.randint(1, 15))) for _ in range(60)]
    corpus = [analyser.words(text) for text in texts]
    assert max(map(len, corpus)) <= 40  # longer fields are kept with their length rounded
    query = list(dict.fromkeys(analyser.words(" ".join(chance.sample(WORDS, 4)))))

    oracle = bm25s.BM25(method="lucene", k1=1.2, b=0.75)
    oracle.index(corpus, show_progress=False)
    expected = oracle.get_scores(query)

    index = EmbeddedIndex(tmp_path)
    pairs = [
        QAPair(id=PairId(str(n)), course_id=COURSE, source=Source.FAQ, question=text, answer="-")
        for n, text in enumerate(texts)
    ]
    index.replace(pairs, analyser=analyser, stamp="1")
    weight = SourceWeight(source=Source.FAQ, course_id=COURSE, weight=1.0, question=1.0, answer=0.0)
    asked = SearchQuery(words=tuple((word, 1.0) for word in query), grams=())
    found = {int(c.pair.id): c.score for c in index.search(asked, [weight], len(texts))}

    assert len(found) > 10
    assert found == pytest.approx({n: s for n, s in enumerate(expected * (1.2 + 1)) if s > 0}, rel=1e-4)
