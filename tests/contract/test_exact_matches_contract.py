"""What every `ExactMatches` finds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from memory_stores import Memory, MemoryCourses, MemoryDocuments, MemoryExactMatches

from services.clock import SystemClock
from services.storage.courses import SqlCourses
from services.storage.engine import sqlite_url
from services.storage.stores import open_stores
from vta.ports import DocumentStore, ExactMatches
from vta.types import Course, CourseDocument, CourseId, Language, PairId, QAPair, Source

DS, ML = CourseId("ds"), CourseId("ml")


@dataclass(frozen=True, kw_only=True)
class Kept:
    """The stores of one place."""

    courses: MemoryCourses | SqlCourses
    documents: DocumentStore
    exact: ExactMatches


@pytest.fixture(params=["memory", "sqlite", "postgresql"])
def kept(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Kept]:
    if request.param == "memory":
        memory = Memory()
        yield Kept(
            courses=MemoryCourses(memory),
            documents=MemoryDocuments(memory),
            exact=MemoryExactMatches(memory),
        )
        return
    url = request.getfixturevalue("postgres_url") if request.param == "postgresql" else None
    opened = open_stores(url or sqlite_url(tmp_path / "vta.db"), SystemClock())
    yield Kept(courses=opened.courses, documents=opened.documents, exact=opened.exact_matches)
    opened.close()


@pytest.fixture(autouse=True)
def two_courses(kept: Kept) -> None:
    for course in (DS, ML):
        kept.courses.add(Course(id=course, name=course, domains=("CS",), language=Language.ZH))


def pair(name: str, question: str, *similar: str, document: str | None = "faq.csv") -> QAPair:
    return QAPair(
        id=PairId(name),
        course_id=DS,
        source=Source.FAQ,
        question=question,
        answer=f"答案 {name}",
        document=document,
        similar_questions=similar,
    )


def put(kept: Kept, path: str, *pairs: QAPair, sha256: str = "1") -> None:
    kept.documents.apply(DS, put=[CourseDocument(path=path, sha256=sha256, pairs=pairs)])


@pytest.mark.parametrize(
    "asked", ["作业何时交？", "作业何时交", " 作业 何时交 ?", "截止日期", "WHEN is it due"]
)
def test_a_pair_is_found_by_each_of_its_wordings(kept: Kept, asked: str) -> None:
    """Marks at the end, width and case do not count; white space inside does."""
    due = pair("due", "作业何时交？", "截止日期", "When is it due?", "作业 何时交？")
    put(kept, "faq.csv", pair("other", "什么是栈？"), due)
    assert kept.exact.find(DS, asked) == due


@pytest.mark.parametrize("asked", ["作业何时交呢", "作业", "", "?"])
def test_other_words_find_nothing(kept: Kept, asked: str) -> None:
    put(kept, "faq.csv", pair("due", "作业何时交？"))
    assert kept.exact.find(DS, asked) is None


def test_a_passage_and_another_course_are_no_answer(kept: Kept) -> None:
    put(kept, "notes.md", replace(pair("m", "栈"), source=Source.MATERIAL))
    assert kept.exact.find(DS, "栈") is None
    put(kept, "faq.csv", pair("f", "队列"))
    assert kept.exact.find(ML, "队列") is None
    assert kept.exact.find(CourseId("nowhere"), "队列") is None


def test_what_an_instructor_wrote_here_goes_before_a_file(kept: Kept) -> None:
    """Whichever comes first by its path."""
    own = pair("own", "栈？", document=None)
    put(kept, "/faq/1", own)
    put(kept, "a.csv", pair("file", "栈？"))
    put(kept, ".csv", pair("file2", "栈？"))
    assert kept.exact.find(DS, "栈") == own


def test_a_change_is_seen_at_once(kept: Kept) -> None:
    """An edited wording and a removed document, after the course was read before."""
    put(kept, "faq.csv", pair("due", "作业何时交？"))
    assert kept.exact.find(DS, "作业何时交") is not None
    put(kept, "faq.csv", pair("due", "考试在何时？"), sha256="2")
    assert kept.exact.find(DS, "作业何时交") is None
    assert kept.exact.find(DS, "考试在何时") is not None
    kept.documents.apply(DS, put=[], remove=["faq.csv"])
    assert kept.exact.find(DS, "考试在何时") is None
