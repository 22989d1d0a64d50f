"""The ranker's parts: g, weights, the query, where a concept is taught, and concepts as pairs."""

from __future__ import annotations

import math
from collections import defaultdict

import factories as make
import pytest

from knowledge.index.embedded import EmbeddedIndex
from knowledge.learned_ranking import LearnedRanker
from knowledge.ranking import CONCEPT_BOOST, ConceptAwareRanker, build_query, g, source_weights
from knowledge.relevance import rarities, share_held
from services.indexing.index_sync import concept_pairs
from vta.text import Analyser
from vta.types.concepts import Concept, Mention
from vta.types.courses import ConceptId, CourseId, PairId
from vta.types.pairs import CollectionStatistics, QAPair, SearchQuery, Source

ANALYSER = Analyser(["栈", "二叉搜索树"])


def passage(id: str, question: str, answer: str, course_id: str = "ds") -> QAPair:
    return make.pair(question, answer, id=id, course=course_id, source=make.MATERIAL)


def concept(name: str) -> Concept:
    return Concept(id=ConceptId(name), name=name)


@pytest.fixture(params=["embedded", "brute force"])
def ranker(request, tmp_path, brute_force_index):
    def over(*pairs: QAPair) -> ConceptAwareRanker:
        index = EmbeddedIndex(tmp_path) if request.param == "embedded" else brute_force_index()
        index.replace(pairs, analyser=ANALYSER, stamp="1")
        return ConceptAwareRanker(index=index, analyser=ANALYSER, courses=[make.course("ds", "cs")])

    return over


@pytest.mark.parametrize(
    ("one", "other", "share"),
    [
        (["cs", "maths"], ["maths", "physics"], 1 / 3),
        (["計算機"], ["计算机"], 1.0),
        (["Maths "], ["maths"], 1.0),
    ],
)
def test_g_is_the_share_of_common_domains(one, other, share):
    """|D & D'| / |D | D'|, whatever script or case the domains are written in."""
    assert g(one, other) == g(other, one) == share


def test_h_weighs_search_results_alone():
    """With h at 0 search results are not even looked for."""
    ds = make.course("ds", "cs")
    by_source = {w.source: w.weight for w in source_weights(ds, [ds], 0.3)}
    assert by_source == {Source.FAQ: 1.0, Source.MATERIAL: 1.0, Source.SEARCH: 0.3, Source.CONCEPT: 1.0}
    assert Source.SEARCH not in {w.source for w in source_weights(ds, [ds], 0.0)}


def test_words_of_concepts_count_double_even_function_words():
    """A concept that is a function word elsewhere ("mean") is looked up where NER found it."""
    mention = Mention(concept=concept("mean"), start=12, end=16, surface="mean")
    query = build_query("What is the mean of a sample?", [mention], ANALYSER)
    assert dict(query.words) == {"sampl": 1.0, "mean": CONCEPT_BOOST}


def test_a_perfect_pair_scores_about_one(ranker):
    """S is relative to a perfect pair, so that one beta serves all questions."""
    pairs = [
        QAPair(id=PairId(str(n)), course_id=CourseId("ds"), source=Source.FAQ, question=q, answer="-")
        for n, q in enumerate(["stack frame", "queue length", "heap order"])
    ]
    over = ranker(*pairs)
    asked = over.ask("stack frame", course=make.course("ds", "cs"), mentions=[], chit_chat=0)
    (found,) = over.find(asked, 3)
    assert (found.pair.id, asked.terms) == ("0", ("stack", "frame"))
    assert found.score == pytest.approx(1.0, rel=1e-5)


def test_a_heading_that_is_the_question_goes_before_what_speaks_more_of_its_words(ranker):
    """Phrases that only ask are no words of it; function words are."""
    logistic = passage("1", "Logistic regression", "The mean of a regression, regression to a line.")
    asked = passage("2", "Regression to the mean", "Extremes become less extreme.")
    other = passage("3", "The mean of a regression", "Mean and regression.")
    by_words = ranker(logistic, asked, other)
    found = LearnedRanker(by_words).rank(
        "What is regression to the mean?", course=make.course("ds", "cs"), mentions=[], chit_chat=0, top=3
    )
    assert found.candidates[0].pair == asked
    assert found.candidates[0].relevance < found.candidates[1].relevance


@pytest.mark.parametrize(("question", "place"), [("什么是栈？", 0), ("栈为什么快？", 1), ("栈的例子", 1)])
def test_the_explanation_of_a_name_that_is_the_question_goes_first(ranker, question, place):
    """Where it asks what that means, however much more a passage speaks of it."""
    explanation = make.pair(
        "栈", "后进先出的线性表。", id="1", course="ds", source=Source.CONCEPT, domains=("cs",)
    )
    lively = passage("2", "什么是栈？栈为什么快？栈的例子", "栈，栈为什么快，栈的例子，什么是栈，栈。")
    found = LearnedRanker(ranker(explanation, lively)).rank(
        question, course=make.course("ds", "cs"), mentions=[], chit_chat=0, top=2
    )
    assert found.candidates[place].pair == explanation
    assert found.candidates[place].relevance < found.candidates[1 - place].relevance


def test_a_question_without_words_ranks_nothing(ranker):
    """Punctuation alone finds no pair and is no error."""
    over = ranker(passage("1", "栈", "x"))
    assert over.find(over.ask("？！", course=make.course("ds"), mentions=[], chit_chat=1), 3) == ()


@pytest.mark.parametrize(
    ("name", "where"),
    [
        ("binary search tree", "bst"),
        ("Binary Search Trees", "bst"),
        ("二叉搜索树", "zh"),
        ("decision tree", None),
        ("？", None),
    ],
)
def test_a_concept_is_taught_where_it_is_named(ranker, name, where):
    """A passage that has only some of the concept's words does not teach it."""
    over = ranker(
        passage("tree", "Tree", "tree tree tree"),
        passage("bst", "Trees", "We now come to the binary search tree, step by step, with all its parts."),
        passage("zh", "树", "平衡二叉搜索树是一种树"),
        passage("other", "decision tree", "decision tree", course_id="ml"),
    )
    found = over.where_taught(concept(name), course=make.course("ds"))
    assert (found and found.pair.id) == where


def test_a_concept_with_an_explanation_is_a_pair_in_each_of_its_courses():
    """Its aliases ask for it too; without an explanation there is nothing to answer with."""
    known = Concept(
        id=ConceptId("c"), name="栈", aliases=("LIFO",), definition="后进先出", domains=("cs",),
        courses=(CourseId("a"), CourseId("b")), document="n.md",
    )  # fmt: skip
    pairs = list(concept_pairs([known, concept("队列")]))
    assert [(p.id, p.course_id) for p in pairs] == [("c@a", "a"), ("c@b", "b")]
    for pair in pairs:
        assert (pair.source, pair.question, pair.answer) == (Source.CONCEPT, "栈", "后进先出")
        assert (pair.similar_questions, pair.domains, pair.document) == (("LIFO",), ("cs",), "n.md")


def coverage(words: list[str], held: str, *, named: str = "", **frequencies: int) -> float:
    """Of a question with these words, by a passage with others, where the concept counts double."""
    query = SearchQuery(words=tuple((word, 2.0 if word == named else 1.0) for word in words), grams=())
    counts = defaultdict(int, {("answer_words", word): n for word, n in frequencies.items()})
    statistics = CollectionStatistics(documents=9, average_lengths={}, frequencies=counts)
    return share_held(f" {held} ", rarities(query, statistics))


COMMON, ABSENT = math.log(1 + 1.5 / 8.5), math.log(1 + 9.5 / 0.5)
"""idf among 9 pairs: of a word in 8 of them, and of one in none."""


@pytest.mark.parametrize(
    ("words", "held", "about", "share"),
    [
        (["heap", "top"], "the top of a heap is large", {}, 1.0),
        (["heap", "zebra"], "a heap", {"heap": 8}, COMMON / (COMMON + ABSENT)),
        (["heap", "zebra"], "a heap", {"named": "heap"}, 2 / 3),
        ([], "a heap", {}, 0.0),
        (["heap"], "", {}, 0.0),
    ],
)
def test_a_passage_covers_a_question_by_the_rarity_of_its_words(words, held, about, share) -> None:
    """Those of a named concept count double, as in S; without content nothing is covered."""
    assert coverage(words, held, **about) == pytest.approx(share)
