"""Questions that a FAQ pair names as not its own."""

from __future__ import annotations

import io
from typing import Any

import pytest

from knowledge.ranking import ConceptAwareRanker
from knowledge.sources.readers import FaqReader
from vta.languages import Language
from vta.text import Analyser
from vta.types.courses import Course, CourseId

COURSE = Course(id=CourseId("ds"), name="DS", domains=("计算机",), language=Language.ZH)
TABLE = (
    "question,answer,similar_questions,negative_questions\n"
    "作业什么时候交,周五,作业的截止时间,考试什么时候|小组作业什么时候交\n"
    "作业在哪里交,上传,,\n"
)


@pytest.fixture
def rank(brute_force_index) -> Any:
    pairs = FaqReader().read(io.BytesIO(TABLE.encode()), path="f.csv", course=COURSE).pairs
    analyser, index = Analyser(), brute_force_index()
    index.replace(pairs, analyser=analyser, stamp="1")
    ranker = ConceptAwareRanker(index=index, analyser=analyser, courses=[COURSE])

    def answers(question: str, top: int = 1) -> list[str]:
        asked = ranker.ask(question, course=COURSE, mentions=(), chit_chat=0.0)
        return [candidate.pair.answer for candidate in ranker.find(asked, top)]

    return answers


def test_a_pair_is_left_out_for_its_negative_questions(rank):
    """In whatever marks and forms they are asked; the next best pair takes its place."""
    assert rank("小组作业什么时候交？") == ["上传"]
    assert rank("小组作业什么时候交", top=5) == ["上传"]
    assert rank("小組作業什麼時候交?") == ["上传"]


def test_other_questions_find_the_pair(rank):
    """Words that a negative question shares with them do not count against it."""
    assert "周五" in rank("作业什么时候交？", top=2)
    assert rank("作业的截止时间？") == ["周五"]
