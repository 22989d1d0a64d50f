"""By what a sentence is chosen: the question beside its candidates, the signs of a piece, their weights."""

from __future__ import annotations

from collections.abc import Sequence

import factories as make
import numpy as np
import pytest
from numpy.typing import NDArray

from vta.dialogue.teaching.asked import Asked
from vta.dialogue.teaching.excerpts import read_pieces
from vta.dialogue.teaching.sentences import (
    SentenceFeatures,
    add_similarity,
    read_signs,
    score,
    shipped_weights,
)
from vta.text import Analyser
from vta.types.concepts import Concept
from vta.types.courses import ConceptId
from vta.types.pairs import Candidate

HEAP = Concept(id=ConceptId("h"), name="heap", aliases=("priority tree",))


class Letters:
    """An embedder whose axes are letters: texts are as near as the letters that they share."""

    name = "letters"

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        rows = np.array([[text.lower().count(chr(97 + n)) + 0.1 for n in range(26)] for text in texts])
        return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), dtype=np.float32)


def candidate(title: str, text: str) -> Candidate:
    return make.candidate(make.pair(title, text, source=make.MATERIAL))


def signs_of(question: str, text: str, embedder: Letters | None = None) -> tuple[SentenceFeatures, ...]:
    given = candidate("Heaps", text)
    asked = Asked(question, [given], analyser=Analyser(), concepts=[HEAP])
    pieces = read_pieces(text)
    signs = read_signs(asked, pieces)
    return signs if embedder is None else add_similarity(signs, asked, given.pair, pieces, embedder)


def test_a_rarer_word_of_the_question_counts_for_more() -> None:
    candidates = [candidate("a", "heap"), candidate("b", "heap"), candidate("c", "heap rebuilt")]
    asked = Asked("rebuilt heap", candidates, analyser=Analyser())
    assert asked.share(asked.held("rebuilt")) > asked.share(asked.held("heap")) > 0
    assert asked.share(asked.held("a heap is rebuilt")) == 1


def test_another_name_of_a_concept_counts_as_its_name() -> None:
    asked = Asked("heap", [candidate("a", "x")], analyser=Analyser(), concepts=[HEAP])
    assert asked.share(asked.held("a priority tree")) == 1


def test_function_words_count_little_even_beside_a_single_candidate() -> None:
    asked = Asked("the heap", [candidate("a", "x")], analyser=Analyser())
    assert asked.share(asked.held("the queue")) < 0.5 < asked.share(asked.held("heap"))


def test_signs_tell_what_defines_gives_asks_announces_and_stands_beside() -> None:
    text = "A heap is a tree. What is it? We will see. Fast because of order.\n\n```python\nx = 1\n```"
    defines, asks, announces, gives, code = signs_of("what is a heap and why", text)
    assert all((defines.defines, asks.asks, announces.announces, gives.kind, code.beside))
    assert not any((defines.asks, gives.announces, asks.beside))


def test_meaning_counts_only_with_an_encoder() -> None:
    near, far = signs_of("abba", "Abba, baab. Xyz, zyx.", Letters())
    assert near.similarity > far.similarity > 0
    assert all(signs.similarity == 0 for signs in signs_of("abba", "Abba, baab. Xyz, zyx."))


@pytest.mark.parametrize("encoder", [False, True])
def test_the_shipped_weights_speak_for_words_and_against_what_nobody_asked_for(encoder: bool) -> None:
    weights = shipped_weights(encoder=encoder)
    assert ("similarity" in weights) is encoder
    nothing = dict.fromkeys(("share", "similarity", "kind", "defines", "beside", "asks", "announces"), 0.0)
    assert (
        score(SentenceFeatures(**{**nothing, "share": 1.0}), weights)
        > score(SentenceFeatures(**nothing), weights)
        == 0
    )
    assert score(SentenceFeatures(**{**nothing, "beside": 1.0}), weights) < 0
