"""The choice of a sentence: the question beside its candidates, the features of a piece, their weights."""

from __future__ import annotations

import factories as make
import pytest

from vta.dialogue.teaching.asked import Asked
from vta.dialogue.teaching.excerpts import read_pieces
from vta.dialogue.teaching.sentences import extract_features, score
from vta.text import Analyser
from vta.types.concepts import Concept
from vta.types.courses import ConceptId
from vta.types.pairs import Candidate

HEAP = Concept(id=ConceptId("h"), name="heap", aliases=("priority tree",))


def candidate(title: str, text: str) -> Candidate:
    return make.candidate(make.pair(title, text, source=make.MATERIAL))


def features_of(question: str, text: str) -> tuple[dict[str, float], ...]:
    asked = Asked(question, [candidate("Heaps", text)], analyser=Analyser(), concepts=[HEAP])
    return extract_features(asked, read_pieces(text))


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


def test_features_tell_what_defines_gives_asks_announces_and_stands_beside() -> None:
    prose = "A heap is a tree in which parents come first. What is it? We will see. Fast because of order."
    text = f"{prose}\n\n```python\nx = 1\n```"
    defines, asks, announces, gives, code = features_of("what is a heap and why", text)
    assert all((defines["defines"], asks["asks"], announces["announces"], gives["kind"], code["beside"]))
    assert not any((defines["asks"], gives["announces"], asks["beside"]))


@pytest.mark.parametrize(
    ("text", "is_definition"),
    [
        ("**Heap**, or the **priority tree**, is a tree in which parents come first.", True),
        ("堆，又称优先树，是一种特殊的树。", True),
        ("A tree in which all parents come first is called a heap.", True),
        ("A heap is just like a pile.", False),
        ("The top of a heap is fast.", False),
    ],
)
def test_a_definition_is_what_the_graph_takes_for_one(text: str, is_definition: bool) -> None:
    """A sentence with a second name between commas and one that ends with the name are definitions too."""
    concept = make.concept("heap", "priority tree", "堆")
    asked = Asked("what is a heap", [], analyser=Analyser(), concepts=[concept])
    assert extract_features(asked, read_pieces(text))[0]["defines"] == is_definition


def test_the_shipped_weights_speak_for_words_and_against_what_nobody_asked_for() -> None:
    assert score({"share": 1.0}) > score({}) == 0
    assert score({"beside": 1.0}) < 0


def test_a_short_name_is_in_no_longer_word() -> None:
    """ "AI" stands in "AI" and "AIs", and not in "main"; in Chinese no space is around a name."""
    concepts = (make.concept("AI", "artificial intelligence"), make.concept("栈", "stack"))
    asked = Asked("What is AI and what is 栈?", [], analyser=Analyser(), concepts=concepts)
    assert asked.held("The main road is long.") == frozenset()
    assert asked.held("Artificial intelligence learns.") == asked.held("AI learns.") != frozenset()
    assert asked.held("有两个stack的路。") != frozenset()
