"""The answers of a FAQ to questions of other sessions: index four folds of the sessions, ask the fifth."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, BeforeValidator, Field

from lab.evaluation.calibration import Trial
from lab.evaluation.labelled_rows import answer_directly
from lab.evaluation.rows import Cell, read_rows
from lab.measures.rouge import NOTHING, Rouge, rouge
from services.faq.near_duplicates import content_terms
from services.settings import Settings
from services.wiring import Platform, build_platform
from vta.languages import Language
from vta.text import Analyser, jaccard
from vta.types.courses import Course, CourseId, PairId
from vta.types.documents import CourseDocument
from vta.types.pairs import QAPair, Source

FOLDS = 5
NEAR_DUPLICATE = 0.75
"""Jaccard similarity of content words and grams from which two questions count as the same one."""
RIGHT = 0.5
"""ROUGE-L from which an answer to another question counts as right; one to the same question always does."""
UNANSWERABLE = "cannot_answer"


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedQuestion:
    """A question with its reference answer; None where it cannot be answered."""

    id: Annotated[str, BeforeValidator(lambda given: f"{given:0>12}")]
    session: Annotated[str, BeforeValidator(str), Field(validation_alias="session_id")]
    text: Annotated[Cell, Field(validation_alias="question")]
    answer: Annotated[Cell | None, AfterValidator(lambda text: None if text == UNANSWERABLE else text)]


@dataclass(frozen=True, slots=True, kw_only=True)
class FoldAnswer:
    """What the index of the other folds gave for a question; `rouge` is None without a reference.

    `near_duplicate`: one of the indexed questions is nearly the same.
    """

    question: AskedQuestion
    rouge: Rouge | None
    near_duplicate: bool
    trial: Trial


def read_asked(file: Path) -> list[AskedQuestion]:
    """JSON Lines {id, session_id, question, answer}; the answer `cannot_answer` marks the unanswerable."""
    return read_rows(file, AskedQuestion)


def ask_folds(questions: Sequence[AskedQuestion]) -> list[FoldAnswer]:
    """Every question asked of the FAQ of the other four folds, with the shipped defaults."""
    answers: list[FoldAnswer] = []
    for fold in range(FOLDS):
        kept = [q for q in questions if fold_of(q) != fold and q.answer is not None]
        asked = [q for q in questions if fold_of(q) == fold]
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home:
            vta = build_platform(Settings(home=Path(home)))
            try:
                answers += _ask(vta, kept, asked)
            finally:
                vta.close()
    return answers


def _ask(
    vta: Platform, kept: Sequence[AskedQuestion], asked: Sequence[AskedQuestion]
) -> Iterator[FoldAnswer]:
    course = Course(id=CourseId("faq"), name="", domains=(), language=Language.ZH)
    vta.stores.courses.add(course)
    pairs = tuple(
        QAPair(id=PairId(q.id), course_id=course.id, source=Source.FAQ, question=q.text, answer=q.answer)
        for q in kept
        if q.answer is not None
    )
    vta.stores.documents.apply(course.id, put=[CourseDocument(path="faq", sha256="-", pairs=pairs)])
    analyser = Analyser()
    known = [content_terms(analyser, q.text) for q in kept]
    for question in asked:
        best, score, intent = answer_directly(vta, course, question.text, vta.settings.thresholds)
        content, found, same = content_terms(analyser, question.text), NOTHING, False
        if best is not None and question.answer is not None:
            same = jaccard(content, content_terms(analyser, best.pair.question)) >= NEAR_DUPLICATE
            found = rouge(analyser.segments(best.pair.answer), analyser.segments(question.answer))
        yield FoldAnswer(
            question=question,
            rouge=None if question.answer is None else found,
            near_duplicate=any(jaccard(content, each) >= NEAR_DUPLICATE for each in known),
            trial=Trial(
                score=score,
                right=question.answer is not None and (same or found.rouge_l >= RIGHT),
                answerable=question.answer is not None,
                chit_chat=intent.chit_chat,
            ),
        )


def fold_of(question: AskedQuestion) -> int:
    """The fold of its session."""
    return int(hashlib.sha256(question.session.encode()).hexdigest(), 16) % FOLDS
