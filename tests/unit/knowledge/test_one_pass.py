"""Pairs that are scored again for many questions, as a replay does, are read once."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import factories as make

from knowledge.index.embedded import EmbeddedIndex
from knowledge.learned_ranking import LearnedRanker
from knowledge.ranking import ConceptAwareRanker
from vta.languages import Language
from vta.text import Analyser
from vta.types.courses import Course, CourseId
from vta.types.pairs import Candidate, QAPair

COURSE = Course(id=CourseId("c"), name="C", domains=("d",), language=Language.EN)
QUESTIONS = ("When is the exam?", "When is the quiz?", "Where is the exam?")


class CountingAnalyser(Analyser):
    """An analyser that counts how often it goes through each text."""

    def __init__(self) -> None:
        super().__init__()
        self.read: Counter[str] = Counter()

    def words_and_grams(self, text: str) -> tuple[list[str], list[str]]:
        self.read[text] += 1
        return super().words_and_grams(text)


def pair(name: str, answer: str) -> QAPair:
    return make.pair(f"When is the {name}?", answer, id=name, course=COURSE.id)


STORED = [pair("exam", "On Monday at ten."), pair("quiz", "On Friday at noon.")]
DRAFT = pair("retake", "In March, in the large hall.")


def judge(ranker: LearnedRanker) -> list[tuple[Candidate, ...]]:
    """Every question, judged with a draft and without, as a replay does it."""
    found = []
    for question in QUESTIONS:
        asked = ranker.by_words.ask(question, course=COURSE, mentions=(), chit_chat=0.0)
        pool = ranker.gather(asked, 5)
        found += [ranker.judge(pool), ranker.judge(pool, joining=[DRAFT])]
    return found


def test_each_answer_is_read_once_however_many_questions_there_are(tmp_path: Path) -> None:
    """Once for its terms and once for its words (A16)."""
    analyser = CountingAnalyser()
    index = EmbeddedIndex(tmp_path)
    index.replace(STORED, analyser=analyser, stamp="1")
    ranker = LearnedRanker(ConceptAwareRanker(index=index, analyser=analyser, courses=[COURSE]))
    analyser.read.clear()
    judged = judge(ranker)
    answers = {text: n for text, n in analyser.read.items() if text.endswith(".")}
    assert set(answers.values()) == {1}
    assert any(candidates[0].score > 0 for candidates in judged)
