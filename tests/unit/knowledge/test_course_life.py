"""Questions on how a course is run are looked up in all words of the table, in both languages."""

from __future__ import annotations

from pathlib import Path

import factories as make
import pytest

from knowledge.index.embedded import EmbeddedIndex
from knowledge.ranking import build_query, source_weights
from knowledge.relevance import share_held
from vta.course_life import rows_of, spell_out, synonyms, tells
from vta.dialogue.routing import decide, relevant
from vta.languages import Language
from vta.patterns import read_table
from vta.text import Analyser
from vta.types.courses import Thresholds
from vta.types.pairs import Candidate

ANALYSER = Analyser()
DATES = "The final exam is on Tuesday 15 December. Two sheets may be brought along."


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("期末考试什么时候", "The final exam is on Tuesday."),
        ("作业截止日期", "Each homework has a deadline."),
        ("When are office hours?", "答疑在每周三下午。"),
        ("when is hw due", "The deadline of the assignment is Monday."),
    ],
)
def test_the_search_finds_a_passage_that_holds_only_other_words_for_what_is_asked(
    question: str, text: str, tmp_path: Path
) -> None:
    pairs = [make.passage("Binary trees are sorted.", id="A"), make.passage(text, id="B")]
    index = EmbeddedIndex(tmp_path)
    index.replace(pairs, analyser=ANALYSER, stamp="1")
    weights = source_weights(make.course(), [], 0.1)
    found = index.search(build_query(question, [], ANALYSER), weights, 3)
    assert [each.pair.id for each in found] == ["B"]


@pytest.mark.parametrize(
    "question",
    ["what is late binding", "what is a ROC curve", "什么是二叉树", "the final layer of a network"],
)
def test_the_words_of_a_subject_are_not_taken_for_those_of_course_life(question: str) -> None:
    assert not rows_of(question)
    assert not build_query(question, [], ANALYSER).alike


def test_an_ambiguous_word_counts_alone_or_beside_another() -> None:
    assert rows_of("when is the final?")
    assert rows_of("do you curve grades")
    assert rows_of("期末占多少")


def test_a_word_counts_in_part_where_a_passage_has_another_for_it() -> None:
    alike = synonyms("when is hw due", ANALYSER)
    assert share_held(" homework ", {"hw": 1.0}, alike) == 0.5
    assert share_held(" hw ", {"hw": 1.0}, alike) == 1.0
    assert share_held(" tree ", {"hw": 1.0}, alike) == 0.0


@pytest.mark.parametrize(
    ("question", "text", "expected"),
    [
        ("when is the final?", DATES, True),
        ("期末考试是什么时候", DATES, True),
        ("when is the final?", "There is a final exam.", False),
        ("when is the final?", "The final layer is trained for two weeks.", False),
        ("whens the exam", "The exam was easy. Classes are on Monday.", False),
        ("when is the exam", "Leave if the final scores of the exam are in.", False),
        ("when is the project due", "The project is due on Friday, 12/10.", True),
        ("when is the homework due", DATES, False),
        ("what is a sheet", DATES, False),
    ],
)
def test_a_text_tells_what_is_asked_where_it_has_every_word_and_the_date(
    question: str, text: str, expected: bool
) -> None:
    assert tells(question, text) is expected


def test_less_relevance_is_enough_of_a_passage_that_tells_what_is_asked() -> None:
    thresholds = Thresholds(relevance=0.6)
    passage = make.passage(DATES)
    candidate = Candidate(pair=passage, bm25=0.1, weight=1.0, score=0.1, relevance=0.45)
    assert relevant([candidate], thresholds, (), "when is the final?") == (candidate,)
    assert relevant([candidate], thresholds, (), "when is the homework due?") == ()


@pytest.mark.parametrize("question", ["when is the final exam?", "whens the exam", "期末考试什么时候"])
def test_a_passage_that_only_speaks_of_an_exam_does_not_say_when_it_is(question: str) -> None:
    """However relevant: it may be an example, or the exam of another year."""
    passage = make.passage("The final exam of 2019 had 30 questions. A student who crams for weeks fails it.")
    candidate = Candidate(pair=passage, bm25=0.1, weight=1.0, score=0.1, relevance=0.9)
    assert relevant([candidate], Thresholds(), (), question) == ()
    assert relevant([candidate], Thresholds(), (), "how is the final exam graded?") == (candidate,)
    of_faq = make.candidate(make.pair("When is the exam?", "That will be announced."), relevance=0.9)
    assert relevant([of_faq], Thresholds(), (), question) == (of_faq,)
    of_other = make.candidate(make.pair("Is the final exam open book?", "No."), relevance=0.9)
    assert relevant([of_other], Thresholds(), (), question) == ()


@pytest.mark.parametrize(
    "question", ["what is a deadline?", "explain deadlines", "why are there deadlines", "deadline"]
)
def test_a_question_about_deadlines_as_a_subject_does_not_ask_when_something_is(question: str) -> None:
    """Operating systems teach them."""
    found = make.candidate(make.passage("A deadline is what a job must meet."), relevance=0.9)
    assert relevant([found], Thresholds(), (), question) == (found,)
    assert relevant([found], Thresholds(), (), "when is the deadline?") == ()
    assert relevant([found], Thresholds(), (), "homework deadline?") == ()


def test_a_later_question_when_something_is_need_not_name_it() -> None:
    """ "They" are the check-ins of the question before."""
    found = [make.candidate(make.passage("Check-ins are due by noon."), relevance=0.9)]
    more = {"standalone": "what are check-ins? when are they due", "intent": make.intent()}
    assert decide(make.understood("when are they due", **more), found).known == tuple(found)
    assert decide(make.understood("when are they due"), found).known == ()


@pytest.mark.parametrize(
    ("text", "language", "full"),
    [
        ("When is HW due?", Language.EN, "When is homework due?"),
        ("这次的ddl是什么时候", Language.ZH, "这次的截止是什么时候"),
        ("what is hw_size in hw3.py", Language.EN, "what is hw_size in hw3.py"),
    ],
)
def test_short_forms_are_spelt_out(text: str, language: Language, full: str) -> None:
    assert spell_out(text, language) == full


def test_every_ambiguous_word_stands_in_a_row_and_there_are_at_most_eighty_rows() -> None:
    table = read_table("vta", "words/course_life.toml")
    phrases = {phrase for row in table["rows"] for phrase in (*row["en"], *row["zh"])}
    assert set(table["ambiguous"]) <= phrases
    assert len(table["rows"]) <= 80
