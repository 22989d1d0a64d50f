"""The features of relevance that look beyond a pair, and the second judgement: is there an answer at all?"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import factories as make
import pytest

from knowledge.bm25 import read_words
from knowledge.index.embedded import EmbeddedIndex
from knowledge.learned_ranking import LearnedRanker, most_agreed
from knowledge.ranking import ConceptAwareRanker
from knowledge.relevance import (
    documents,
    neighbours,
    share_adjacent,
)
from vta.languages import Language
from vta.text import Analyser, detect_language
from vta.types.courses import Course, CourseId
from vta.types.pairs import QAPair, SearchQuery, Source

ANALYSER = Analyser()
COURSE = Course(id=CourseId("c"), name="C", domains=("d",), language=Language.EN)


def pair(document: str | None, source: Source = Source.MATERIAL) -> QAPair:
    return make.pair("", "", id="p", source=source, document=document)


def test_a_document_is_as_near_as_its_three_nearest_passages() -> None:
    """Their mean, however many more there are; what is missing of three counts as 0."""
    pairs = [pair("long")] * 4 + [pair("short")]
    found = documents(pairs, [0.9, 0.6, 0.3, -0.2, 0.6])
    assert found == pytest.approx([0.6] * 4 + [0.2])


@pytest.mark.parametrize("source", [Source.FAQ, Source.CONCEPT])
def test_only_passages_make_a_document(source: Source) -> None:
    """Entries of one FAQ file are about different things, so each stands alone."""
    assert documents([pair("faq.csv", source)] * 2, [0.9, 0.3]) == pytest.approx([0.3, 0.1])


@pytest.mark.parametrize(
    ("passage", "share"),
    [
        (" hash table lookup ", 1.0),
        (" hash the table lookup ", 0.5),
        (" lookup table hash ", 0.0),
        ("  ", 0.0),
    ],
)
def test_words_are_adjacent_where_they_follow_each_other(passage: str, share: float) -> None:
    """In the order of the question, with nothing between them."""
    query = SearchQuery(words=(("hash", 1.0), ("table", 1.0), ("lookup", 1.0)), grams=())
    assert share_adjacent(passage, neighbours(query)) == share


def test_a_question_of_one_word_has_no_neighbours() -> None:
    """0, and no division by nothing."""
    assert share_adjacent(" heap ", neighbours(SearchQuery(words=(("heap", 1.0),), grams=()))) == 0.0


@pytest.mark.parametrize(
    ("question", "heading", "text", "foreign"),
    [
        ("队列怎样实现", "队列 > 实现", "```python\nclass Queue:\n    def push(self): ...\n```", 0.0),
        ("how is it done", "队列 > 实现", "```python\nclass Queue:\n    def push(self): ...\n```", 1.0),
        ("队列怎样实现", "Queues", "A queue holds elements.", 1.0),
        ("队列怎样实现", "Queue", "队列用数组实现。", 0.0),
    ],
)
def test_code_is_in_the_language_of_its_heading(
    question: str, heading: str, text: str, foreign: float
) -> None:
    """Else a passage of code would be judged by its meaning alone, as one in another language."""
    passage = replace(pair("d"), question=heading, answer=text)
    language = detect_language(question, Language.EN)
    assert (read_words(ANALYSER, passage).language is not language) == foreign


@pytest.mark.parametrize(
    ("answers", "first"),
    [
        (["on monday", "by mail to the office", "by mail to the office"], 1),
        (["on monday", "by mail"], 0),
        (["on monday", "by mail", "in the hall"], 0),
        (["on monday"], 0),
    ],
)
def test_the_answer_that_most_others_give_goes_first(answers: list[str], first: int) -> None:
    """Answers that are all different leave the first where it is."""
    assert most_agreed([set(each.split()) for each in answers]) == first


def test_of_equal_faq_entries_the_most_agreed_answer_is_first_and_as_relevant(tmp_path: Path) -> None:
    """Though another has the lower id; the others keep their order."""
    answers = {
        "a": "On Monday at ten in the great hall.",
        "b": "Ask your own tutor by mail before noon.",
        "c": "Ask your tutor by mail before noon.",
    }
    stored = [
        make.pair("When is the exam?", answer, id=id, course=COURSE.id) for id, answer in answers.items()
    ]
    index = EmbeddedIndex(tmp_path)
    index.replace(stored, analyser=ANALYSER, stamp="1")
    ranker = LearnedRanker(ConceptAwareRanker(index=index, analyser=ANALYSER, courses=[COURSE]))
    found = ranker.rank("When will the exam be?", course=COURSE, mentions=(), chit_chat=0.0, top=3).candidates
    assert [each.pair.id for each in found] == ["b", "a", "c"]
    assert found[0].relevance == found[1].relevance
