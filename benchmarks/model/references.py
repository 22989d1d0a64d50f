"""Answers beside people's reference answers, by ROUGE: real questions of learners, without their FAQ.

The course is a book of computer science, the questions are whatever was asked, so much is not in it.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from asking import Reply, Ways
from turns import WITH, WITHOUT, interval

from lab.measures.rouge import Rouge, rouge
from services.wiring import Platform
from vta.ingest.pipeline import ingest
from vta.languages import Language
from vta.text import Analyser
from vta.types.courses import Course, CourseId
from vta.types.questions import Question

QUESTIONS = 60
BOOK = CourseId("hello-algo-zh")
_COURSES_WORDS = re.compile(r"^\*\*课程原文\*\*.*|^>.*\n?", re.MULTILINE | re.DOTALL)
_MARKS = re.compile(r"\s?\[\d{1,3}\]|^>\s?|^#+\s|^-\s|\*\*|(?<!\*)\*(?!\*)|\\(?=\W)", re.MULTILINE)

Row = dict[str, Any]


def draw_questions(data: Path) -> list[Row]:
    """Questions that have a reference answer (seed 0)."""
    lines = (data / "vta" / "qa_dev.jsonl").read_text(encoding="utf-8").splitlines()
    answered = [row for row in map(json.loads, lines) if row["answer"] != "cannot_answer"]
    return random.Random(0).sample(answered, QUESTIONS)


def put_book(vta: Platform, data: Path) -> None:
    """The book with its graph, and no FAQ."""
    course = Course(id=BOOK, name="数据结构与算法", domains=("计算机科学",), language=Language.ZH)
    vta.stores.courses.add(course)
    folders = [data / "hello_algo" / "zh"]
    ingest(folders, course=course, readers=vta.readers, documents=vta.stores.documents)
    vta.graphs.build(BOOK)


def ask(ways: Ways, row: Row) -> dict[str, Reply]:
    """One question to the platform with and without the model, and to the bare model."""
    question = Question(course_id=BOOK, text=row["question"])
    replies = {
        way: ways.ask(vta, way, question)[0] for way, vta in ((WITH, ways.platform), (WITHOUT, ways.without))
    }
    return {**replies, "bare model": ways.bare_model(row["question"], ())}


def figures(rows: Sequence[Row], asked: Sequence[Mapping[str, Reply]]) -> Row:
    """ROUGE-1, 2 and L by way, over all questions and over those that the platform answered with the model.

    Its own words are the answer without what it quotes of the course.
    """
    answered = [replies[WITH].route in ("direct", "chain_of_teach") for replies in asked]
    reached = [bool(replies[WITH].calls) for replies in asked]
    texts: dict[str, list[str]] = {way: [replies[way].text for replies in asked] for way in asked[0]}
    texts[f"{WITH}, its own words"] = [_COURSES_WORDS.split(text)[0] for text in texts[WITH]]
    result: Row = {"questions": len(rows), "answered": sum(answered), "reached the model": sum(reached)}
    analyser = Analyser()
    wanted = [analyser.segments(str(row["answer"])) for row in rows]
    for way, told in texts.items():
        scores = [
            rouge(analyser.segments(_MARKS.sub("", text)), reference)
            for text, reference in zip(told, wanted, strict=True)
        ]
        result[way] = {
            name: _rouge([score for score, is_in in zip(scores, chosen, strict=True) if is_in])
            for name, chosen in (
                ("all", [True] * len(rows)),
                ("answered", answered),
                ("reached the model", reached),
            )
        }
    return result


def _rouge(scores: Sequence[Rouge]) -> Row:
    rows = [{"conversation": str(n), **asdict(score)} for n, score in enumerate(scores)]

    def mean(name: str) -> list[float] | None:
        return interval(rows, lambda row: float(row[name]))

    return {name: mean(name) for name in ("rouge_1", "rouge_2", "rouge_l")}
