"""What every `ExactMatches` finds."""

from __future__ import annotations

from dataclasses import replace

import factories as make
import pytest

from services.stores import Stores
from vta.types.courses import CourseId
from vta.types.documents import CourseDocument
from vta.types.pairs import QAPair

DS, ML = CourseId("ds"), CourseId("ml")


def entry(name: str, question: str, *similar: str, document: str | None = "faq.csv") -> QAPair:
    return make.pair(question, id=name, course="ds", document=document, similar_questions=similar)


def put(stores: Stores, path: str, *pairs: QAPair, sha256: str = "1") -> None:
    stores.documents.apply(DS, put=[CourseDocument(path=path, sha256=sha256, pairs=pairs)])


@pytest.mark.parametrize(
    "asked", ["作业何时交？", "作业何时交", " 作业 何时交 ?", "截止日期", "WHEN is it due"]
)
def test_a_pair_is_found_by_each_of_its_wordings(stores: Stores, asked: str) -> None:
    """Marks at the end, width and case do not count; white space inside does."""
    due = entry("due", "作业何时交？", "截止日期", "When is it due?", "作业 何时交？")
    put(stores, "faq.csv", entry("other", "什么是栈？"), due)
    assert stores.exact_matches.find(DS, asked) == due


@pytest.mark.parametrize("asked", ["作业何时交呢", "作业", "", "?"])
def test_other_words_find_nothing(stores: Stores, asked: str) -> None:
    put(stores, "faq.csv", entry("due", "作业何时交？"))
    assert stores.exact_matches.find(DS, asked) is None


def test_a_passage_and_another_course_are_no_answer(stores: Stores) -> None:
    put(stores, "notes.md", replace(entry("m", "栈"), source=make.MATERIAL))
    assert stores.exact_matches.find(DS, "栈") is None
    put(stores, "faq.csv", entry("f", "队列"))
    assert stores.exact_matches.find(ML, "队列") is None
    assert stores.exact_matches.find(CourseId("nowhere"), "队列") is None


def test_what_an_instructor_wrote_here_goes_before_a_file(stores: Stores) -> None:
    """Whichever comes first by its path."""
    own = entry("own", "栈？", document=None)
    put(stores, "/faq/1", own)
    put(stores, "a.csv", entry("file", "栈？"))
    put(stores, ".csv", entry("file2", "栈？"))
    assert stores.exact_matches.find(DS, "栈") == own


def test_a_change_is_seen_at_once(stores: Stores) -> None:
    """An edited wording and a removed document, after the course was read before."""
    put(stores, "faq.csv", entry("due", "作业何时交？"))
    assert stores.exact_matches.find(DS, "作业何时交") is not None
    put(stores, "faq.csv", entry("due", "考试在何时？"), sha256="2")
    assert stores.exact_matches.find(DS, "作业何时交") is None
    assert stores.exact_matches.find(DS, "考试在何时") is not None
    stores.documents.apply(DS, put=[], remove=["faq.csv"])
    assert stores.exact_matches.find(DS, "考试在何时") is None
