"""Questions put to a course through the whole pipeline; nothing of it is kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

from services.evaluation.rows import Row
from services.wiring import Platform
from vta.dialogue.question import check_question
from vta.errors import InvalidInput
from vta.evaluation.intervals import bootstrap_interval
from vta.faults import Fault
from vta.types import Answer, Course, Question, Route

ANSWERED = frozenset({Route.DIRECT, Route.CHAIN_OF_TEACH})
"""The routes on which the course's knowledge answers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """The answer to a question, and the milliseconds from question to whole answer."""

    question: str
    answer: Answer
    ms: float

    @property
    def answered(self) -> bool:
        """Whether the course answered, rather than that it was refused or talked about something else."""
        return self.answer.route in ANSWERED


async def ask_all(vta: Platform, course: Course, questions: Sequence[str]) -> list[Asked]:
    """Ask each in a session of its own; the knowledge is read before the first, and counts for none."""
    vta.knowledge.current()
    asked = []
    for text in questions:
        start = perf_counter()
        answer = await vta.previewer.answer(Question(course_id=course.id, text=text))
        asked.append(Asked(question=text, answer=answer, ms=(perf_counter() - start) * 1000))
    return asked


def question_of(row: Row, place: Fault) -> str:
    """The question of a row; `InvalidInput` names the row where it is none."""
    text = row["question"]
    if not isinstance(text, str):
        raise InvalidInput(Fault("data.not_text", place=place, field="question"), field="question")
    try:
        check_question(text)
    except InvalidInput as fault:
        raise InvalidInput(
            Fault("data.row_fault", place=place, reason=fault.fault), field="question"
        ) from fault
    return text


def text_of(row: Row, field: str, place: Fault) -> str | None:
    """An optional text of a row; None where it is missing, null or blank."""
    text = row.get(field)
    if text is not None and not isinstance(text, str):
        raise InvalidInput(Fault("data.not_text", place=place, field=field), field=field)
    return text if text and text.strip() else None


def texts_of(row: Row, field: str, place: Fault) -> tuple[str, ...]:
    """An optional text, or list of texts, of a row."""
    given = row.get(field, ())
    texts = [given] if isinstance(given, str) else given
    if texts is None:
        return ()
    if not isinstance(texts, list | tuple) or not all(isinstance(each, str) for each in texts):
        raise InvalidInput(Fault("data.not_texts", place=place, field=field), field=field)
    return tuple(texts)


def place_of(file: Path, number: int) -> Fault:
    """How a row is named in a fault, counted from 1."""
    return Fault("name.row", file=str(file), row=number)


def mean_json(values: Sequence[float], seed: int) -> dict[str, object]:
    """A mean with its 95 % bootstrap interval and the number of values; null where there are none."""
    if not values:
        return {"mean": None, "n": 0}
    low, high = bootstrap_interval(values, seed=seed)
    mean = round(sum(values) / len(values), 4)
    return {"mean": mean, "interval_95": [round(low, 4), round(high, 4)], "n": len(values)}
