"""Does an answer cite the page that holds the answer? hit@1 of the first citation's document."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from vta.dialogue.assistant import Assistant
from vta.evaluation.intervals import bootstrap_interval
from vta.evaluation.metrics import JudgedQuestion
from vta.types import Answer, CourseId, Question, Route


@dataclass(frozen=True, slots=True, kw_only=True)
class CitedPages:
    """hit@1 over the judged questions with a 95 % bootstrap interval, and every answer by question id."""

    hit_at_1: float
    interval: tuple[float, float]
    judged: int
    answers: Mapping[str, Answer]

    @property
    def without_source(self) -> tuple[str, ...]:
        """The questions that were answered without any citation, which must not happen."""
        silent = (Route.UNANSWERED, Route.REFUSED, Route.CHIT_CHAT)
        return tuple(i for i, a in self.answers.items() if not a.citations and a.route not in silent)


async def measure_cited_pages(
    assistant: Assistant, course_id: CourseId, questions: Sequence[JudgedQuestion], *, seed: int = 0
) -> CitedPages:
    """Ask every question in a session of its own. Questions without grades are asked, but not counted."""
    answers = {
        question.id: await assistant.answer(Question(course_id=course_id, text=question.text))
        for question in questions
    }
    hits = [_hit(answers[question.id], question) for question in questions if question.grades]
    return CitedPages(
        hit_at_1=sum(hits) / len(hits),
        interval=bootstrap_interval(hits, seed=seed),
        judged=len(hits),
        answers=answers,
    )


def _hit(answer: Answer, question: JudgedQuestion) -> float:
    first = answer.citations[0].document if answer.citations else None
    return float(first in question.grades)
